"""Baselines: what people say the evidence should be, stored before answers are seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType

from monitor.domain.source import Grade


class Match(StrEnum):
    """How a baseline source is met; a page match beats a unit match beats a family match."""

    PAGE = "page"
    UNIT = "unit"
    FAMILY = "family"


class ClaimCategory(StrEnum):
    """What kind of claim a baseline asks for."""

    CORE_FACT = "core_fact"
    LIMITATION = "limitation"
    ELIGIBILITY = "eligibility"
    EXCEPTION = "exception"
    TRADE_OFF = "trade_off"
    OTHER = "other"


class EvidenceType(StrEnum):
    """What kind of source an item is."""

    PRIMARY_OFFICIAL = "primary_official"
    STANDARD = "standard"
    SYSTEMATIC_REVIEW = "systematic_review"
    INDEPENDENT_TEST = "independent_test"
    EXPERT_GUIDANCE = "expert_guidance"
    VENDOR_DOCUMENTATION = "vendor_documentation"
    NEWS = "news"
    EXPLAINER = "explainer"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Relevance:
    """Recorded relevance parts, each in [0, 1] or None."""

    topical_fit: float | None = None
    authority: float | None = None
    freshness: float | None = None


class RoleSaid(StrEnum):
    """Whether a source plays a role, as a person sees it."""

    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class SourceRoles:
    """Judgement of a source by four questions; None where it was not asked."""

    authoritative: RoleSaid | None = None
    relevant: RoleSaid | None = None
    current: RoleSaid | None = None
    sufficient: RoleSaid | None = None


@dataclass(frozen=True, slots=True)
class BaselineSource:
    """A graded source of one prompt."""

    key: str
    """page_key, unit or family, as `match` says."""
    match: Match
    grade: Grade
    url: str | None = None
    """As written; None for family items."""
    supports: tuple[str, ...] = ()
    """Ids of the baseline claims it evidences."""
    evidence_type: EvidenceType = EvidenceType.OTHER
    published: date | None = None
    updated: date | None = None
    jurisdiction: str | None = None
    known_limitation: str = ""
    reason: str = ""
    annotator: str | None = None
    adjudication: str = ""
    relevance: Relevance | None = None
    roles: SourceRoles | None = None


@dataclass(frozen=True, slots=True)
class BaselineClaim:
    """A claim a good answer should state and evidence."""

    id: str
    text: str
    category: ClaimCategory
    required: bool = True
    evidence_type: EvidenceType | None = None
    """Kind of source that should stand behind it; None where any may."""
    published: date | None = None
    """Since when it holds."""
    updated: date | None = None
    """When it was last looked at."""
    jurisdiction: str | None = None
    known_limitation: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PromptBaseline:
    """Sources and claims for one prompt version."""

    prompt_id: str
    sources: tuple[BaselineSource, ...]
    claims: tuple[BaselineClaim, ...]

    @property
    def required_claims(self) -> tuple[BaselineClaim, ...]:
        """Claims marked required."""
        return tuple(c for c in self.claims if c.required)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A panel's stored relevance baseline, versioned and frozen by people."""

    panel: str
    version: str
    annotators: tuple[str, ...]
    drawn_blind: bool
    frozen_at: datetime | None
    """None marks a draft; its scorecards carry `-draft` in the signature."""
    guideline: str
    prompts: Mapping[str, PromptBaseline]
    content_key: str = ""
    """Hash of the content; the same version with another key is an error."""
    bound: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Prompt id -> key of the prompt version it was written for; another key makes it stale."""

    @property
    def label(self) -> str:
        """Version as signatures print it, with `-draft` while not frozen."""
        return self.version if self.frozen_at else f"{self.version}-draft"
