"""What a report shows, as plain values: pipeline fills it, the templates only place it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.alert import NO_RULES, Alert
from monitor.domain.baseline import ClaimCategory, EvidenceType
from monitor.domain.change import Comparison, Event
from monitor.domain.claim import Gap, StatementKind, Support, Votes
from monitor.domain.eligibility import Funnel
from monitor.domain.engine import Access, Cost, Role
from monitor.domain.panel import Panel
from monitor.domain.score import Bounds, Scorecard, Tally
from monitor.domain.source import Grade
from monitor.domain.trust import JudgeTrust


@dataclass(frozen=True, slots=True)
class ScreenshotView:
    """A picture taken of a surface, with what makes it evidence."""

    kind: str
    sha256: str
    jpeg: bytes
    url: str
    taken_at: datetime
    browser: str
    viewport: tuple[int, int]
    locale: str


@dataclass(frozen=True, slots=True)
class PageView:
    """A counted citation of one capture, numbered as its chip."""

    number: int
    clean_url: str | None
    page_key: str
    title: str | None
    family: str | None
    grade: Grade
    role: Role
    marks: int
    fetch_status: str
    """A FetchStatus word, or `pending`."""
    copy_of: str | None
    """Page key of the evidence group's original (or first) where this page is a copy."""
    known_limitation: str = ""
    text_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class QuoteView:
    """The passage a verdict rests on: text around the quote, and the quote's place in it."""

    page: int | None
    """Number of the page it stands in; None where that is the answer itself."""
    excerpt: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ByBaselineView:
    """An uncited claim of the answer, and what the baseline's claims say of it."""

    text: str
    support: Support
    reasons: tuple[str, ...]
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One of several claims of a statement, by the pages that the statement cites."""

    text: str
    support: Support | None
    """None for a statement without visible citation."""
    reasons: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    votes: Votes | None = None


@dataclass(frozen=True, slots=True)
class StatementView:
    """A statement as a reader saw it, with what its citations are worth."""

    text: str
    kind: StatementKind
    chips: tuple[int, ...]
    """Numbers of the pages cited for it."""
    support: Support | None
    """None for a statement without visible citation."""
    reasons: tuple[str, ...]
    quote: QuoteView | None
    claims: tuple[ClaimView, ...]
    """Claims of the statement with their own support, where there is more than one."""
    by_baseline: tuple[ByBaselineView, ...] = ()
    """Its uncited claims that need a citation; empty for a cited one and without baseline."""
    gaps: tuple[Gap, ...] = ()
    """Where it goes beyond the pages that it cites."""
    votes: Votes | None = None
    alone: tuple[tuple[int, Support], ...] = ()
    """(number of a cited page, support by that page alone), where several are cited."""
    elsewhere: tuple[int, ...] = ()
    """Numbers of pages that support it and are not cited for it, where all were asked."""


@dataclass(frozen=True, slots=True)
class BaselineClaimView:
    """A baseline claim held against one capture."""

    id: str
    text: str
    category: ClaimCategory
    required: bool
    stated: Support | None
    evidence: Support | None
    """Best support among the adequate visible pages; None where there is none of them."""
    evidence_page: int | None
    """Number of the page that gives it."""
    evidence_quote: QuoteView | None = None
    stated_quote: QuoteView | None = None
    evidence_gaps: tuple[Gap, ...] = ()
    """What it says beyond that page."""
    stated_gaps: tuple[Gap, ...] = ()
    """What it says beyond the answer."""


@dataclass(frozen=True, slots=True)
class BaselineSourceView:
    """A baseline source held against one capture."""

    key: str
    url: str | None
    grade: Grade
    evidence_type: EvidenceType
    cited: bool
    reason: str
    known_limitation: str
    retrieved: bool | None = None
    """Whether the engine's search found it; None where the engine does not tell."""


@dataclass(frozen=True, slots=True)
class CaptureView:
    """One capture with its proof."""

    id: int
    slot: str
    engine: str
    prompt_id: str
    prompt_text: str
    repeat: int
    outcome: str
    """`answered`, `no_answer/declined`, ..."""
    asked_at: datetime | None
    served_model: str | None
    retrieval: str
    queries: tuple[str, ...]
    statements: tuple[StatementView, ...]
    pages: tuple[PageView, ...]
    claims: tuple[BaselineClaimView, ...]
    sources: tuple[BaselineSourceView, ...]
    screenshots: tuple[ScreenshotView, ...]
    payloads: tuple[tuple[str, int | None], ...]
    """(sha256, HTTP status) of every stored exchange."""
    warnings: tuple[str, ...]
    cost_micros: int | None
    """What the engine itself tells, in USD."""
    judges: tuple[str, ...] = ()
    """Names and versions of the judges behind its verdicts; one, but for what was labelled."""
    counted: Cost | None = None
    """What was counted for all its calls, with its basis; None where no call was made."""


@dataclass(frozen=True, slots=True)
class EngineView:
    """One engine in the report: this run, the run before, and what changed between them."""

    name: str
    label: str
    access: Access
    card: Scorecard
    segments: tuple[Scorecard, ...]
    before: Scorecard | None
    comparison: Comparison | None
    skipped_before: str | None = None
    """Why there is no comparison, where there is none."""


@dataclass(frozen=True, slots=True)
class OverlapView:
    """How alike two sets of answers are: mean over prompts of the Jaccard overlap of families."""

    kind: str
    """`repeats` of one engine, `engines` or `months`."""
    a: str
    b: str
    mean: float | None
    prompts: int
    panel_wide: float | None = None
    """Overlap of all families of the panel: another measure, never the mean."""


@dataclass(frozen=True, slots=True)
class SharedView:
    """A family or a copied text that at least two engines cite: apparent corroboration."""

    kind: str
    """`family` or `evidence group`."""
    key: str
    engines: tuple[str, ...]
    copies: tuple[str, ...] = ()
    """Keys of the cited pages that are this one text; empty for a family."""
    publishers: tuple[str, ...] = ()
    """Families of those pages: they look like so many sources and are one."""


@dataclass(frozen=True, slots=True)
class BoundedView:
    """Visible citation recall of one engine against what all engines of its access cited."""

    engine: str
    bounds: Bounds | None
    point: float | None
    """None below 70 % judged, and where no relevant page is known."""
    judged_share: float | None
    widened: Bounds | None
    higher_than: tuple[str, ...]
    """Engines whose recall is lower for certain; all others are not separated."""
    is_alone: bool = False
    """True where no other engine of its access answered: against itself there is no recall."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One engine in one run, as that run was scored last."""

    run: str
    slot: str
    card: Scorecard | None
    """None where the engine was not asked, or the run was not scored."""
    unlike: tuple[str, ...] = ()
    """Keys in which its recipe differs from that of the report's run; empty where none does."""
    events: tuple[Event, ...] = ()
    """What is another since the point before it."""


@dataclass(frozen=True, slots=True)
class TrendView:
    """One engine over the last runs of its panel, oldest first, the report's run last."""

    engine: str
    points: tuple[TrendPoint, ...]


@dataclass(frozen=True, slots=True)
class ManifestView:
    """What one run's stored bytes come to."""

    run: str
    panel_version: int
    sha256: str
    """Of the manifest, as `monitor verify` prints it."""


@dataclass(frozen=True, slots=True)
class ReminderView:
    """An alert that was sent before and is open still."""

    engine: str
    says: str
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class MeasureNote:
    """What a measure is called and means, for a reader."""

    label: str
    meaning: str
    unit: str
    section: str
    direction: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything a report shows."""

    panel: Panel
    run: str
    slot: str
    before_run: str | None
    before_slot: str | None
    made_at: datetime
    fictional: bool
    """True where the engines were the sandbox's stand-ins."""
    engines: tuple[EngineView, ...]
    skipped: tuple[tuple[str, str], ...]
    """(engine, why) for engines of the panel that were not asked."""
    captures: tuple[CaptureView, ...]
    """Captures of this run, and of the run before where a change points at them."""
    tallies: Mapping[int, Tally]
    """Capture id -> its counts."""
    baseline: str | None
    """Version of the baseline, with `-draft` while not frozen."""
    drawn_blind: bool | None
    annotators: int
    spent_micros: int
    measures: Mapping[str, MeasureNote]
    """Measure name -> its explanation, in reading order."""
    overlaps: tuple[OverlapView, ...] = ()
    shared: tuple[SharedView, ...] = ()
    bounded: tuple[BoundedView, ...] = ()
    trends: tuple[TrendView, ...] = ()
    manifests: tuple[ManifestView, ...] = ()
    """Of this run, then of the run before."""
    alerts: tuple[ReminderView, ...] = ()
    """Open alerts of earlier runs; a report reminds of them, nothing is sent again."""
    told: tuple[Alert, ...] = ()
    """Alerts that this run told, gravest first."""
    strict_level: float = NO_RULES.strict_level
    """Adjusted p, at most, of alerts but those of a share against the run before."""
    trust: JudgeTrust | None = None
    """The judge of this run, and how far it agrees with people."""
    funnels: tuple[Funnel, ...] = ()
    """Engines for which sources were checked; empty where none was."""
    imported: bool = False
    """True where people handed the answers in, which no other run is held against."""
