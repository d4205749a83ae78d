"""A baseline file as text -> Baseline, or every problem in it with its line."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from monitor.baseline.checks import check_baseline
from monitor.config.yaml import Document, Problem, problems_of, read_yaml
from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    ClaimCategory,
    EvidenceType,
    Match,
    PromptBaseline,
    Relevance,
)
from monitor.domain.keys import content_key
from monitor.domain.panel import Panel
from monitor.domain.source import Grade, UrlIdentity

Identify = Callable[[str], UrlIdentity]
Part01 = Annotated[float, Field(ge=0, le=1)]
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _RelevanceFile(_Part):
    topical_fit: Part01 | None = None
    authority: Part01 | None = None
    freshness: Part01 | None = None


class SourceFile(_Part):
    """The keys of one graded source."""

    url: str | None = None
    family: str | None = None
    unit: str | None = None
    grade: Grade
    match: Match | None = None
    supports: tuple[Slug, ...] = ()
    evidence_type: EvidenceType = EvidenceType.OTHER
    published: date | None = None
    updated: date | None = None
    jurisdiction: str | None = None
    known_limitation: str = ""
    reason: str = ""
    annotator: str | None = None
    adjudication: str = ""
    relevance: _RelevanceFile | None = None

    @model_validator(mode="after")
    def _one_target(self) -> "SourceFile":
        given = [n for n in ("url", "family", "unit") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of url, family or unit, found {given or 'none'}")
        if self.grade is Grade.UNGRADED:
            raise ValueError("leave a source out to keep it ungraded")
        expected = {"url": Match.PAGE, "family": Match.FAMILY, "unit": Match.UNIT}[given[0]]
        if self.match not in {None, expected, Match.FAMILY if given == ["url"] else expected}:
            raise ValueError(f"match {self.match.value!r} does not go with {given[0]}")
        return self


class ClaimFile(_Part):
    """The keys of one baseline claim."""

    id: Slug
    text: str = Field(min_length=3, max_length=2000)
    category: ClaimCategory
    required: bool = True


class PromptFile(_Part):
    """Sources and claims of one prompt."""

    sources: tuple[SourceFile, ...] = ()
    claims: tuple[ClaimFile, ...] = ()


class BaselineFile(_Part):
    """The keys a baseline file may have."""

    panel: str
    version: str | int | float | date
    annotators: tuple[str, ...]
    drawn_blind: bool
    frozen_at: datetime | None
    guideline: str | int
    note: str = ""
    prompts: dict[str, PromptFile]


@dataclass(frozen=True, slots=True)
class ParsedBaseline:
    """A baseline, or None with the problems that prevent it; warnings come with a baseline."""

    baseline: Baseline | None
    problems: tuple[Problem, ...]


def parse_baseline(text: str, file: str, panel: Panel | None, identify: Identify) -> ParsedBaseline:
    """Baseline of a file's text; without a panel its prompt ids are not checked."""
    document = read_yaml(text, file)
    if isinstance(document, Problem):
        return ParsedBaseline(None, (document,))
    try:
        read = BaselineFile.model_validate(document.value)
    except ValidationError as error:
        return ParsedBaseline(None, problems_of(error, document, BaselineFile))
    baseline, problems = _baseline(read, document, identify)
    problems += check_baseline(baseline, document, panel)
    if panel is not None:
        bound = {p.id: p.version_key for p in panel.prompts if p.id in baseline.prompts}
        baseline = replace(baseline, bound=MappingProxyType(bound))
    if any(not p.warning for p in problems):
        return ParsedBaseline(None, problems)
    return ParsedBaseline(baseline, problems)


def _baseline(
    read: BaselineFile, document: Document, identify: Identify
) -> tuple[Baseline, tuple[Problem, ...]]:
    """Domain value of a well-formed file, and the URLs it could not place."""
    problems: list[Problem] = []
    prompts = {}
    for prompt_id, one in read.prompts.items():
        sources = []
        for index, source in enumerate(one.sources):
            at = ("prompts", prompt_id, "sources", index)
            made = _source(source, identify)
            if isinstance(made, str):
                problems.append(document.problem(at, made))
            else:
                sources.append(made)
        claims = tuple(BaselineClaim(c.id, c.text, c.category, c.required) for c in one.claims)
        prompts[prompt_id] = PromptBaseline(prompt_id, tuple(sources), claims)
    frozen = read.frozen_at
    if frozen is not None and frozen.tzinfo is None:
        frozen = frozen.replace(tzinfo=UTC)
    baseline = Baseline(
        panel=read.panel,
        version=str(read.version),
        annotators=read.annotators,
        drawn_blind=read.drawn_blind,
        frozen_at=frozen.astimezone(UTC) if frozen else None,
        guideline=str(read.guideline),
        prompts=MappingProxyType(prompts),
        content_key=content_key(read.model_dump(mode="json")),
    )
    return baseline, tuple(problems)


def _source(one: SourceFile, identify: Identify) -> BaselineSource | str:
    """Domain value of a source, or why its URL cannot be placed."""
    match, key = _target(one, identify)
    if match is None:
        return key
    parts = one.relevance
    return BaselineSource(
        key=key,
        match=match,
        grade=one.grade,
        url=one.url,
        supports=one.supports,
        evidence_type=one.evidence_type,
        published=one.published,
        updated=one.updated,
        jurisdiction=one.jurisdiction,
        known_limitation=one.known_limitation,
        reason=one.reason,
        annotator=one.annotator,
        adjudication=one.adjudication,
        relevance=Relevance(parts.topical_fit, parts.authority, parts.freshness) if parts else None,
    )


def _target(one: SourceFile, identify: Identify) -> tuple[Match | None, str]:
    """Match level and key of a source; (None, message) when there is none."""
    if one.unit is not None:
        return Match.UNIT, one.unit
    if one.family is not None:
        place = identify(one.family)
        if place.family is None:
            return None, f"family {one.family!r} is not a host name, e.g. 'example.org'"
        return Match.FAMILY, place.family
    place = identify(one.url or "")
    if place.page_key is None or place.family is None:
        return None, f"url {one.url!r} is no web address of a known publisher"
    if one.match is Match.FAMILY:
        return Match.FAMILY, place.family
    return Match.PAGE, place.page_key
