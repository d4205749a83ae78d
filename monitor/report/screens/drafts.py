"""A draft as a whole: progress of its annotators, its pool, its disagreements, its freezing."""

from dataclasses import dataclass
from datetime import datetime

from monitor.report.screens.agreement import AgreementView
from monitor.report.screens.grading import GradeChoice
from monitor.report.tables import Table


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of their sources somebody graded."""

    annotator: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class PromptLine:
    """One prompt of a draft."""

    prompt: str
    question: str
    href: str
    sources: int
    doubles: int
    """Sources that two annotators grade."""
    claims: int
    progress: tuple[Progress, ...]
    """One for each annotator of the draft."""


@dataclass(frozen=True, slots=True)
class OriginLine:
    """Where a source came from; told once the draft is frozen."""

    prompt: str
    url: str
    origins: str


@dataclass(frozen=True, slots=True)
class DraftScreen:
    """A draft with its prompts, and forms that fill its pool."""

    draft: int
    panel: str
    version: str
    guideline: str
    state: str
    starts_from: str
    annotators: tuple[str, ...]
    double_share: float
    seed: int
    made_by: str
    made_at: datetime
    annotator: str
    """Name of the visitor; empty where nobody gave one."""
    go_on: str | None
    """The visitor's next open source."""
    prompts: tuple[PromptLine, ...]
    progress: tuple[Progress, ...]
    without_text: int
    """Pages of the pool whose text was not asked for yet."""
    is_lead: bool
    runs: tuple[str, ...]
    versions: tuple[str, ...]
    per_prompt: int
    origins: tuple[OriginLine, ...]
    """Empty until the draft is frozen."""
    told: tuple[str, ...] = ()
    """What filling the pool came to."""
    is_done: bool = False
    """Whether the visitor comes from their last source."""


@dataclass(frozen=True, slots=True)
class SaidView:
    """What one annotator said of a source on which they disagree."""

    label: int
    annotator: str
    grade: str
    match: str
    supports: tuple[str, ...]
    reason: str
    limitation: str
    note: str


@dataclass(frozen=True, slots=True)
class DisagreementView:
    """A source that annotators graded differently."""

    prompt: str
    question: str
    page: str
    url: str
    title: str
    is_page: bool
    matches: tuple[str, ...]
    said: tuple[SaidView, ...]
    ruling: str
    """How it was settled; empty while it is open."""


@dataclass(frozen=True, slots=True)
class SettlingScreen:
    """Disagreements of a draft, with both labels, and how far its annotators agree."""

    draft: int
    panel: str
    version: str
    is_open: bool
    open: tuple[DisagreementView, ...]
    settled: tuple[DisagreementView, ...]
    agreement: AgreementView
    choices: tuple[GradeChoice, ...]


@dataclass(frozen=True, slots=True)
class FreezingScreen:
    """What a draft would become, what is in the way, and whether it was drawn blind."""

    draft: int
    panel: str
    version: str
    is_open: bool
    mark: str
    prompts: int
    sources: int
    claims: int
    open: int
    clashes: tuple[str, ...]
    unlabelled: int
    ungraded: int
    remarks: tuple[str, ...]
    not_blind: tuple[str, ...]
    edited: tuple[str, ...]
    first_run: datetime | None
    text: str
    """The file as it would be, `frozen_at` aside."""
    problems: tuple[str, ...]
    """What a check of that file says."""
    may_freeze: bool


def draft_table(screen: DraftScreen) -> Table:
    """Prompts of a draft by annotator."""
    header = ("prompt", "sources", "graded_twice", "claims", "annotator", "done", "to_grade")
    rows = [
        (one.prompt, one.sources, one.doubles, one.claims, p.annotator, p.done, p.total)
        for one in screen.prompts
        for p in one.progress
    ]
    return header, [*rows]


def settling_table(screen: SettlingScreen) -> Table:
    """Disagreements as rows, one a label."""
    header = ("prompt", "url", "annotator", "grade", "match", "reason", "ruling")
    rows = [
        (one.prompt, one.url, said.annotator, said.grade, said.match, said.reason, one.ruling)
        for one in (*screen.open, *screen.settled)
        for said in one.said
    ]
    return header, [*rows]
