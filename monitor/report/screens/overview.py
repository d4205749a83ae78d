"""The first page of the application: panels with their newest run, then all runs, newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.engine import ANY_HEARD
from monitor.domain.score import Coverage, Rate
from monitor.report.screens.links import captures_address, page_address
from monitor.report.screens.numbers import NumberView, number_of_rate
from monitor.report.screens.paging import Pager
from monitor.report.tables import Table, usd_text
from monitor.report.words import outcome_words


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """Captures that came to one outcome other than an answer."""

    outcome: str
    label: str
    captures: int
    href: str


@dataclass(frozen=True, slots=True)
class CoverageView:
    """Captures by how far they came, and by outcome."""

    planned: int
    attempted: int
    heard: int
    heard_href: str
    answered: int
    answers: NumberView
    """Answered of planned."""
    others: tuple[OutcomeCount, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run in a list."""

    run: str
    href: str
    panel: str
    panel_href: str
    slot: str
    state: str
    stage: str | None
    kind: str
    """`trial`, `import`, or empty for a whole run that asks engines."""
    fictional: bool
    held: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    coverage: CoverageView
    cost_micros: int


@dataclass(frozen=True, slots=True)
class AlertCount:
    """Open alerts of one severity."""

    severity: str
    alerts: int
    href: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """When a panel is due, and what is in the way."""

    rule: str
    """Cron and time zone; empty for a panel that is run by hand."""
    next_slot: str | None
    next_due: datetime | None
    why_not: str
    """Why no next slot is named; empty where one is."""
    troubles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PanelRow:
    """One panel: its newest run, its schedule, its open alerts."""

    panel: str
    href: str
    newest: RunRow | None
    plan: PlanView
    alerts: tuple[AlertCount, ...]
    headline: str = ""
    """What the newest run says first; empty while it is under way, and behind the first panels."""


@dataclass(frozen=True, slots=True)
class OverviewScreen:
    """Everything of the first page."""

    at: datetime
    """When the store was looked at."""
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    panels: tuple[PanelRow, ...]
    panel: str
    """Panel whose runs are listed; empty for all."""
    words: str
    runs: tuple[RunRow, ...]
    pager: Pager
    has_runs: bool
    """Whether there is any run at all, whatever the filter."""
    headlines_text: str = ""
    """Of how many panels the newest run is told, where that is not all of them."""


def coverage_view(run: str, coverage: Coverage, *, engine: str | None = None) -> CoverageView:
    """Coverage of a run, or of one engine of it, each count with a way to its captures."""
    ordered = sorted(coverage.outcomes.items(), key=lambda pair: (-pair[1], pair[0]))
    answered = captures_address(run, engine=engine, outcome="answered")
    return CoverageView(
        planned=coverage.planned,
        attempted=coverage.attempted,
        heard=coverage.heard,
        heard_href=captures_address(run, engine=engine, outcome=ANY_HEARD),
        answered=coverage.answered,
        answers=number_of_rate(Rate(coverage.answered, coverage.planned), None, answered),
        others=tuple(
            OutcomeCount(
                name, outcome_words(name), n, captures_address(run, engine=engine, outcome=name)
            )
            for name, n in ordered
            if n and name != "answered"
        ),
    )


def alert_counts(panel: str, counted: Mapping[str, int]) -> tuple[AlertCount, ...]:
    """Open alerts of a panel by severity, in the order given."""
    return tuple(
        AlertCount(severity, n, page_address("alerts", panel=panel, severity=severity))
        for severity, n in counted.items()
        if n
    )


def overview_address(panel: str, words: str, page: int) -> str:
    """Address of a page of the list of runs."""
    return page_address(panel=panel, words=words, page=page) + "#runs"


RUNS_HEADER = (
    "run", "panel", "slot", "state", "stage", "kind", "created_at", "started_at", "finished_at",
    "planned", "attempted", "heard", "answered", "other_outcomes", "usd",
)  # fmt: skip


def runs_table(rows: Sequence[RunRow]) -> Table:
    """Runs, a row each."""
    return RUNS_HEADER, [
        (
            row.run, row.panel, row.slot, row.state, row.stage, row.kind, _iso(row.created_at),
            _iso(row.started_at), _iso(row.finished_at), row.coverage.planned,
            row.coverage.attempted, row.coverage.heard, row.coverage.answered,
            ", ".join(f"{one.outcome} {one.captures}" for one in row.coverage.others),
            usd_text(row.cost_micros),
        )
        for row in rows
    ]  # fmt: skip


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
