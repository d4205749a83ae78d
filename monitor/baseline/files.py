"""The keys a baseline file may have, and what may stand under each."""

import re
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from monitor.domain.baseline import ClaimCategory, EvidenceType, Match, RoleSaid
from monitor.domain.source import Grade

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise ValueError("expected letters, digits, - and _, at most 64")
    return value


def _words(value: str) -> str:
    if not value.strip():
        raise ValueError("expected some words")
    return value


def _day(value: Any) -> date | None:
    """A calendar day; a bare year or a number is none."""
    if value is None:
        return None
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError as error:
            raise ValueError("no calendar has this day") from error
    raise ValueError("expected a day such as 2024-03-01, or null")


def _moment(value: Any) -> datetime | None:
    """A date-time in UTC; one without a zone is taken as UTC, a bare day as its midnight."""
    if value is None:
        return None
    if isinstance(value, str) and _DATE.match(value):
        try:
            return _in_utc(datetime.fromisoformat(value))
        except (ValueError, OverflowError) as error:
            raise ValueError("no calendar or clock has this moment") from error
    raise ValueError("expected a moment such as 2026-10-28T09:00:00Z, or null")


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _label(value: Any) -> str:
    """A version or guideline: words, or a number as it was written."""
    if isinstance(value, str) and value.strip():
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError("expected a word or number such as 2026-11")


Slug = Annotated[str, AfterValidator(_slug)]
Words = Annotated[str, AfterValidator(_words)]
Day = Annotated[date | None, BeforeValidator(_day)]
Moment = Annotated[datetime | None, BeforeValidator(_moment)]
Label = Annotated[str, BeforeValidator(_label), Field(max_length=64)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _Grown(_Part):
    """Keys that came later are no content while nobody uses them: versions keep their hash."""

    later: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_unused(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        unused = {
            name
            for name in self.later
            if getattr(self, name) == type(self).model_fields[name].default
        }
        return {name: value for name, value in written.items() if name not in unused}


class GivenGrade(StrEnum):
    """Grades that a file may give; what it does not list is ungraded."""

    REQUIRED = Grade.REQUIRED.value
    ACCEPTABLE = Grade.ACCEPTABLE.value
    OPTIONAL = Grade.OPTIONAL.value
    OUT_OF_SCOPE = Grade.OUT_OF_SCOPE.value


class RelevanceFile(_Part):
    """Recorded relevance parts of one source."""

    topical_fit: Fraction | None = None
    authority: Fraction | None = None
    freshness: Fraction | None = None


class RolesFile(_Part):
    """Judgement of a source by four questions."""

    authoritative: RoleSaid | None = None
    relevant: RoleSaid | None = None
    current: RoleSaid | None = None
    sufficient: RoleSaid | None = None


class SourceFile(_Grown):
    """The keys of one graded source."""

    later = frozenset({"roles"})

    url: Words | None = None
    family: Words | None = None
    unit: Words | None = None
    grade: GivenGrade
    match: Match | None = None
    supports: tuple[Slug, ...] = ()
    evidence_type: EvidenceType = EvidenceType.OTHER
    published: Day = None
    updated: Day = None
    jurisdiction: Words | None = None
    known_limitation: str = ""
    reason: str = ""
    annotator: Words | None = None
    adjudication: str = ""
    relevance: RelevanceFile | None = None
    roles: RolesFile | None = None

    @field_validator("grade", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if value == Grade.UNGRADED.value:
            raise ValueError("leave a source out to keep it ungraded")
        return value

    @model_validator(mode="after")
    def _one_target(self) -> "SourceFile":
        given = [n for n in ("url", "family", "unit") if getattr(self, n) is not None]
        if len(given) != 1:
            named = " and ".join(given) or "none"
            raise ValueError(f"give exactly one of url, family or unit; here: {named}")
        allowed = {
            "url": (Match.PAGE, Match.FAMILY),
            "family": (Match.FAMILY,),
            "unit": (Match.UNIT,),
        }[given[0]]
        if self.match is not None and self.match not in allowed:
            raise ValueError(
                f"match {self.match.value!r} does not go with {given[0]}; "
                f"expected {' or '.join(a.value for a in allowed)}"
            )
        return self


class ClaimFile(_Grown):
    """The keys of one baseline claim."""

    later = frozenset(
        {"evidence_type", "published", "updated", "jurisdiction", "known_limitation", "reason"}
    )

    id: Slug
    text: Annotated[Words, Field(min_length=3, max_length=2000)]
    category: ClaimCategory
    required: bool = True
    evidence_type: EvidenceType | None = None
    published: Day = None
    updated: Day = None
    jurisdiction: Words | None = None
    known_limitation: str = ""
    reason: str = ""


class PromptFile(_Part):
    """Sources and claims of one prompt."""

    sources: tuple[SourceFile, ...] = ()
    claims: tuple[ClaimFile, ...] = ()


class BaselineFile(_Part):
    """The keys a baseline file may have."""

    panel: Words
    version: Label
    annotators: tuple[Words, ...]
    drawn_blind: bool
    frozen_at: Moment
    guideline: Label
    note: str = ""
    prompts: dict[str, PromptFile]
