"""A baseline while people draw it up: what is graded, who graded it how, and claims so far."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from monitor.domain.baseline import BaselineClaim, EvidenceType, Match, Relevance, SourceRoles
from monitor.domain.keys import content_key
from monitor.domain.panel import Panel
from monitor.domain.source import Grade


class DraftState(StrEnum):
    """Whether a draft is still worked on."""

    OPEN = "open"
    FROZEN = "frozen"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """How a draft was begun; it stays as it was."""

    panel: Panel
    """As it read when the draft began: annotators answer to these very words."""
    annotators: tuple[str, ...]
    double_share: float
    """Share of the sources that two annotators grade apart."""
    seed: int
    starts_from: str | None = None
    """Version whose claims and sources it began with."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a pooled source comes from; annotators do not see it."""

    kind: str
    """`stored`, `typed` or `cited`."""
    of: str
    """Version of a baseline, who typed it, or public id of a run."""
    engines: tuple[str, ...] = ()
    answers: int = 0
    """How many answers cited it."""


@dataclass(frozen=True, slots=True)
class PoolNote:
    """What is known of a pooled source: its origins, and what its own fetch said."""

    origins: tuple[Origin, ...]
    status: str | None = None
    """Fetch status; None where it was not asked for."""
    published: date | None = None
    updated: date | None = None
    fetched_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PooledSource:
    """A source of one prompt that people grade."""

    prompt: str
    position: int
    """Place in an order that tells nothing of where it comes from."""
    url: str
    """Address of a page, or the name of a family or unit."""
    page_key: str
    page_hash: str
    family: str | None
    title: str | None
    text_sha256: str | None
    note: PoolNote
    annotators: tuple[str, ...]
    """Who grades it, drawn beforehand."""

    @property
    def only_match(self) -> Match | None:
        """How it is met where it is no page but a whole family or unit."""
        kind, _, name = self.page_key.partition(" ")
        return Match(kind) if name and kind in {Match.FAMILY, Match.UNIT} else None

    @property
    def is_page(self) -> bool:
        """Whether it is a page, not a whole family or unit."""
        return self.only_match is None


def whole_key(match: Match, name: str) -> str:
    """Key of a whole family or unit in a pool; no page has one with a space."""
    return f"{match.value} {name}"


@dataclass(frozen=True, slots=True)
class SourceDetails:
    """What an annotator says of a source beside its grade."""

    match: Match = Match.PAGE
    supports: tuple[str, ...] = ()
    evidence_type: EvidenceType = EvidenceType.OTHER
    published: date | None = None
    updated: date | None = None
    jurisdiction: str | None = None
    known_limitation: str = ""
    reason: str = ""
    relevance: Relevance | None = None
    roles: SourceRoles | None = None
    note: str = ""
    """For the other annotators and the lead; in no file."""


@dataclass(frozen=True, slots=True)
class SourceLabel:
    """One act of one annotator: a source graded, or its grade taken back."""

    id: int
    prompt: str
    page_hash: str
    grade: Grade | None
    """None where the label before is taken back."""
    details: SourceDetails
    annotator: str
    guideline: str
    blind: bool
    """Whether form and annotator had shown and seen no answer to the prompt."""
    seconds: float | None
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class SourceRuling:
    """How a disagreement over a source was settled."""

    subject: str
    grade: Grade
    match: Match
    reason: str
    adjudicator: str
    originals: tuple[int, ...]
    """Ids of the labels that disagreed."""
    saved_at: datetime
    id: int = 0


@dataclass(frozen=True, slots=True)
class DraftedClaim:
    """The newest row of a claim; without words it was removed."""

    id: int
    prompt: str
    claim: str
    words: BaselineClaim | None
    annotator: str
    saved_at: datetime


def source_subject(draft_id: int, prompt: str, page_hash: str) -> str:
    """Identity of a source that is adjudicated."""
    return content_key([draft_id, prompt, page_hash])
