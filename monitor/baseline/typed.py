"""What people typed into forms -> values of a draft, with every problem told at once."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeVar

from monitor.domain.baseline import (
    BaselineClaim,
    ClaimCategory,
    EvidenceType,
    Match,
    Relevance,
    RoleSaid,
    SourceRoles,
)
from monitor.domain.drafted import SourceDetails
from monitor.domain.source import Grade

Word = TypeVar("Word", bound=StrEnum)

LONGEST = 2_000
"""Characters of a claim, a reason, a limitation or a note."""
PARTS = ("topical_fit", "authority", "freshness")
ROLES = ("authoritative", "relevant", "current", "sufficient")
FRACTIONS = ("0", "0.5", "1")
_REASONED = frozenset({Grade.REQUIRED, Grade.OUT_OF_SCOPE, Grade.UNGRADED})
"""Grades that are given with a reason."""
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TypedGrade:
    """A grade with its details, or None with what is wrong."""

    grade: Grade | None
    details: SourceDetails
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypedClaim:
    """A claim's words, or None with what is wrong."""

    claim: str
    words: BaselineClaim | None
    problems: tuple[str, ...]


def typed_grade(
    fields: Mapping[str, str], supports: Sequence[str], claims: Collection[str]
) -> TypedGrade:
    """A grade as a form sent it; `claims` are those that a source may support."""
    problems: list[str] = []
    grade = _one_of(Grade, fields.get("grade", ""), "grade", problems)
    reason = _text(fields, "reason", problems)
    if grade in _REASONED and not reason:
        named = grade.value.replace("_", " ") if grade else ""
        problems.append(f"reason: {named} takes one in your own words; got none")
    unknown = [one for one in supports if one not in claims]
    if unknown:
        problems.append(f"supports: {unknown[0][:64]!r} is no claim of this prompt (any more)")
    details = SourceDetails(
        match=_one_of(Match, fields.get("match") or Match.PAGE, "match", problems) or Match.PAGE,
        supports=tuple(dict.fromkeys(one for one in supports if one in claims)),
        evidence_type=_evidence(fields, problems) or EvidenceType.OTHER,
        published=_day(fields, "published", problems),
        updated=_day(fields, "updated", problems),
        jurisdiction=_text(fields, "jurisdiction", problems, most=64) or None,
        known_limitation=_text(fields, "known_limitation", problems),
        reason=reason,
        relevance=_relevance(fields, problems),
        roles=_roles(fields, problems),
        note=_text(fields, "note", problems),
    )
    return TypedGrade(None if problems else grade, details, tuple(problems))


def typed_claim(fields: Mapping[str, str]) -> TypedClaim:
    """A claim as a form sent it."""
    problems: list[str] = []
    claim = fields.get("claim", "").strip()
    if not _SLUG.fullmatch(claim):
        problems.append(
            f"id: got {claim[:80]!r}; expected letters, digits, - and _, at most 64, such as c1"
        )
    text = _text(fields, "text", problems)
    if len(text) < 3:
        problems.append("text: expected a sentence that a good answer must say")
    category = _one_of(ClaimCategory, fields.get("category", ""), "category", problems)
    words = BaselineClaim(
        claim,
        text,
        category or ClaimCategory.OTHER,
        fields.get("required", "") == "yes",
        _evidence(fields, problems),
        _day(fields, "published", problems),
        _day(fields, "updated", problems),
        _text(fields, "jurisdiction", problems, most=64) or None,
        _text(fields, "known_limitation", problems),
        _text(fields, "reason", problems),
    )
    return TypedClaim(claim, None if problems else words, tuple(problems))


def _text(fields: Mapping[str, str], name: str, problems: list[str], *, most: int = LONGEST) -> str:
    """Words without control characters."""
    written = fields.get(name, "").replace("\r\n", "\n")
    found = _CONTROL.sub(" ", written).strip()
    if len(found) > most:
        said = f"{name.replace('_', ' ')}: {len(found)} characters; at most {most} are kept"
        problems.append(f"{said}, shorten it")
    return found


def _one_of(kind: type[Word], written: str, name: str, problems: list[str]) -> Word | None:
    try:
        return kind(written)
    except ValueError:
        known = ", ".join(one.value for one in kind)
        problems.append(f"{name}: got {written[:64]!r}; expected one of {known}")
        return None


def _evidence(fields: Mapping[str, str], problems: list[str]) -> EvidenceType | None:
    written = fields.get("evidence_type", "")
    return _one_of(EvidenceType, written, "evidence type", problems) if written else None


def _day(fields: Mapping[str, str], name: str, problems: list[str]) -> date | None:
    written = fields.get(name, "").strip()
    if not written:
        return None
    try:
        if len(written) == len("2024-03-01"):
            return date.fromisoformat(written)
    except ValueError:
        pass
    problems.append(f"{name}: got {written[:40]!r}; expected a day such as 2024-03-01")
    return None


def _relevance(fields: Mapping[str, str], problems: list[str]) -> Relevance | None:
    given = {part: fields.get(part, "") for part in PARTS}
    for part, written in given.items():
        if written and written not in FRACTIONS:
            named = part.replace("_", " ")
            problems.append(f"{named}: got {written[:40]!r}; expected 0, 0.5, 1 or nothing")
    found = [float(w) if w in FRACTIONS else None for w in given.values()]
    return Relevance(*found) if any(one is not None for one in found) else None


def _roles(fields: Mapping[str, str], problems: list[str]) -> SourceRoles | None:
    given = {role: fields.get(role, "") for role in ROLES}
    found = {
        role: _one_of(RoleSaid, written, role, problems) if written else None
        for role, written in given.items()
    }
    return SourceRoles(**found) if any(found.values()) else None
