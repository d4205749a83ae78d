"""One answer with all that proves it, as plain values: pipeline fills it, screens only place it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from monitor.domain.claim import Gap, Support
from monitor.domain.score import Tally
from monitor.report.view import CaptureView, MeasureNote, QuoteView


@dataclass(frozen=True, slots=True)
class BlockView:
    """One block of an answer as a reader saw it."""

    kind: str
    """`paragraph`, `heading`, `bullet`, `numbered`, `header`, `row` or `aside`."""
    statements: tuple[int, ...] = ()
    """Indexes of the statements in it."""
    cells: tuple[str, ...] = ()
    text: str = ""
    """Its words, where no statement has them."""


@dataclass(frozen=True, slots=True)
class FileView:
    """Stored bytes of a capture, under their hash."""

    kind: str
    sha256: str
    removed_at: datetime | None
    """When retention removed them; None while they are there."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """One call and what came back."""

    number: int
    file: FileView
    status: int | None
    failure: str | None
    started_at: datetime | None
    duration_ms: int | None
    has_request: bool


@dataclass(frozen=True, slots=True)
class ShotView:
    """A picture of what was shown."""

    file: FileView
    url: str
    taken_at: datetime
    browser: str
    viewport: tuple[int, int]
    size: tuple[int, int]
    locale: str
    masked: int
    altered: str | None


@dataclass(frozen=True, slots=True)
class FetchView:
    """What fetching a cited page gave."""

    status: str
    http_status: int | None
    fetched_at: datetime | None
    final_url: str | None
    media_type: str | None
    detail: str | None
    published: date | None
    updated: date | None
    body: FileView | None
    text: FileView | None


@dataclass(frozen=True, slots=True)
class ProofView:
    """What proves a capture."""

    manifest_sha256: str
    signature_sha256: str | None
    key_id: str | None
    token_sha256: str | None
    made_at: datetime


@dataclass(frozen=True, slots=True)
class HumanLabelView:
    """What a person, or an adjudication, says of one claim and the pages it cites."""

    statement: int
    """Index of the statement."""
    claim: str
    support: Support
    annotator: str
    note: str
    is_decision: bool
    """Whether it settles labels that disagree."""


@dataclass(frozen=True, slots=True)
class BesideView:
    """Another answer to the same prompt."""

    id: int
    run: str
    slot: str
    engine: str
    label: str
    repeat: int
    outcome: str


@dataclass(frozen=True, slots=True)
class RuleMove:
    """A rule that is another now than when an answer was counted."""

    key: str
    """As signatures name it."""
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class CitingView:
    """One statement that cites a page, and what the page is worth for it."""

    statement: int
    """Index of the statement."""
    text: str
    together: Support | None
    """All pages it cites, read together."""
    alone: Support | None
    """This page by itself, where that was asked."""
    without: Support | None
    """All its other pages together, where that was asked."""
    quote: QuoteView | None
    """Passage of this very page; None where the judge quotes another one, or none."""
    gaps: tuple[Gap, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer and everything known of it."""

    view: CaptureView
    run: str
    panel: str
    panel_version: int
    fictional: bool
    label: str
    """The engine's name for a reader."""
    access: str
    locale: str
    locale_state: str | None
    """What canaries said of it; None where none was asked."""
    locale_confirmed: str | None
    """What the surface said it served; None where it does not say."""
    is_canary: bool
    requested_model: str | None
    text: str
    """What was said, as it was stored."""
    without_text: bool
    hidden_citations: int | None
    blocks: tuple[BlockView, ...]
    tally: Tally | None
    """Its counts as its run was scored last; None before."""
    measures: Mapping[str, MeasureNote]
    """Measure name -> its explanation, in reading order."""
    baseline: str | None
    """The baseline it is held against; None where there is none for its prompt."""
    signature: str | None
    moves: tuple[RuleMove, ...]
    """What its counts were made under, where the rest of it follows other rules by now."""
    exchanges: tuple[ExchangeView, ...]
    shots: tuple[ShotView, ...]
    snapshots: tuple[FileView, ...]
    proof: ProofView | None
    fetches: Mapping[int, FetchView]
    """Number of a cited page -> what fetching it gave."""
    labels: tuple[HumanLabelView, ...]
    beside: tuple[BesideView, ...]
    """Answers to the prompt in the same run, this one among them."""
    earlier: BesideView | None
    later: BesideView | None
