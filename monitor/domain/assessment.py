"""One capture with everything known about it: what scoring turns into a tally.

Pipeline builds these values from stored evidence; scoring only counts. A page here is a counted
citation: all citations of a capture that share one page, with the strongest role and all marks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from monitor.domain.claim import AnswerFormat, Claim, Statement, Verdict
from monitor.domain.engine import Outcome, Retrieval, Role
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Prompt, Risk


class Profile(StrEnum):
    """How ALCE measures are counted."""

    MONITOR = "monitor"
    ALCE = "alce"


class PartialPolicy(StrEnum):
    """What partial support is worth."""

    HALF = "half"
    NONE = "none"
    SPLIT = "split"


class AdequacyPolicy(StrEnum):
    """Which grades may evidence a required claim."""

    ANY = "any"
    GRADED = "graded"
    REQUIRED_OR_ACCEPTABLE = "required_or_acceptable"


@dataclass(frozen=True, slots=True)
class RelevanceWeights:
    """Weights of the recorded relevance parts; equal unless configured."""

    topical_fit: float = 1.0
    authority: float = 1.0
    freshness: float = 1.0
    support: float = 1.0


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything a user may choose that changes a number; all of it is in the signature."""

    profile: Profile = Profile.MONITOR
    partial: PartialPolicy = PartialPolicy.HALF
    adequacy: Mapping[Risk, AdequacyPolicy] = field(
        default_factory=lambda: MappingProxyType(
            {
                Risk.STANDARD: AdequacyPolicy.ANY,
                Risk.YMYL: AdequacyPolicy.REQUIRED_OR_ACCEPTABLE,
            }
        )
    )
    relevance: RelevanceWeights = RelevanceWeights()


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A counted citation of one capture."""

    page_key: str
    """rel=canonical key where fetched and guarded, else the URL's own key."""
    clean_url: str | None
    family: str | None
    """None while unresolved."""
    unit: str | None
    role: Role
    marks: int
    citations: tuple[int, ...]
    """Indexes into Reading.citations."""
    has_span: bool
    """Whether any of its citations is tied to a span of the answer."""
    group: str
    """Evidence group; the page's own key when nothing is a copy of it."""
    group_original: bool | None = None
    """True for the group's known original, False for a known copy, None when unknown."""
    fetch_status: FetchStatus | None = None
    """None while the page was not fetched."""

    @property
    def readable(self) -> bool:
        """Whether its text can be judged."""
        return self.fetch_status is FetchStatus.OK

    @property
    def unreadable_reason(self) -> str:
        """Why its text cannot be judged: the fetch status, `unresolved` or `pending`."""
        if self.family is None:
            return "unresolved"
        return self.fetch_status.value if self.fetch_status else "pending"


_NO_VERDICTS: Mapping[int, Verdict] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AssessedClaim:
    """A claim of the answer with the verdict of its statement's cited pages read together."""

    claim: Claim
    joint: Verdict | None
    """None when the statement has no visible citation with a span."""
    baseline: Verdict | None = None
    """Verdict of (this claim, the baseline's claims), for uncited claims; None without baseline."""


@dataclass(frozen=True, slots=True)
class AssessedStatement:
    """A statement with the verdicts of the ALCE conditions, only where needed."""

    statement: Statement
    pages: tuple[int, ...]
    """Indexes into AssessedCapture.pages, distinct, in order of first mark."""
    claims: tuple[AssessedClaim, ...] = ()
    joint: Verdict | None = None
    """All cited pages read together; None without citations."""
    alone: Mapping[int, Verdict] = field(default_factory=lambda: _NO_VERDICTS)
    """Page index -> that page alone (condition A)."""
    rest: Mapping[int, Verdict] = field(default_factory=lambda: _NO_VERDICTS)
    """Page index -> all the others together (condition B), only where `alone` is not full."""


@dataclass(frozen=True, slots=True)
class AssessedCapture:
    """One answered, no_answer or failed capture, assessed."""

    capture_id: int
    prompt: Prompt
    engine: str
    repeat: int
    outcome: Outcome
    reason: str | None
    retrieval: Retrieval
    shows_citations: bool
    exposes_retrieved: bool
    pages: tuple[CitedPage, ...] = ()
    """Visible pages (displayed and listed), in order of first mark."""
    retrieved: tuple[CitedPage, ...] = ()
    """Everything the payload says was searched, cited pages included."""
    statements: tuple[AssessedStatement, ...] = ()
    answer_format: AnswerFormat | None = None
    shopping: bool = False
    evidence: Mapping[tuple[str, int], Verdict] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """(baseline claim id, page index) -> verdict of that page alone for the baseline claim."""
    stated: Mapping[str, Verdict] = field(default_factory=lambda: MappingProxyType({}))
    """Baseline claim id -> verdict of the answer text for it: does the answer state it?"""
    lists_sources: bool = False
    """Whether the surface shows a list of sources beside the marks in its text."""
    matrix: Mapping[tuple[int, int], Verdict] | None = None
    """(statement index, page index) -> verdict of that page alone, for counted statements.

    None where the support matrix was not asked for.
    """
