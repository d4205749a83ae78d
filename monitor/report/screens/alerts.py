"""Alerts as pages show them: what is told, by which numbers, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.alert import Alert, AlertKind, Closed, Severity, StoredAlert
from monitor.domain.change import Change, Subject
from monitor.domain.keys import slot_of
from monitor.report.against import against_words
from monitor.report.digest import alert_verdict, numbers_words, plain
from monitor.report.numbers import p_value, signed_interval, signed_points
from monitor.report.screens.links import (
    alert_address,
    family_address,
    page_address,
    rows_address,
    run_address,
)
from monitor.report.screens.numbers import NumberView, number_of_rate
from monitor.report.screens.paging import Pager
from monitor.report.tables import Row, Table
from monitor.report.words import plural

SEVERITY_SHAPES: Mapping[Severity, str] = {
    Severity.CRITICAL: "full",
    Severity.WARNING: "partial",
    Severity.NOTICE: "unsupported",
}
"""Severity -> the shape beside its word: filled, half, outline."""

_CLOSED: Mapping[Closed, str] = {
    Closed.QUIET: "not seen any more in the runs after it",
    Closed.ACCEPTED: "a person took the new level for the level",
    Closed.OVERTAKEN: "a graver one of the same took its place",
    Closed.WITHDRAWN: "its run was completed and no longer says so",
}


@dataclass(frozen=True, slots=True)
class RunLink:
    """A run by name, and its page."""

    run: str
    slot: str
    href: str


@dataclass(frozen=True, slots=True)
class AlertLine:
    """One alert in a list."""

    id: int
    href: str
    severity: Severity
    shape: str
    panel: str
    engine: str
    label: str
    """Name of the engine for readers."""
    kind: AlertKind
    kind_text: str
    entity: str
    direction: str
    verdict: str
    says: str
    numbers_text: str
    """Before and now with counts, interval and adjusted p; empty where no test stands behind it."""
    before: NumberView | None
    after: NumberView | None
    difference: float | None
    low: float | None
    high: float | None
    adjusted_p: float | None
    moved_text: str
    """Difference, interval and adjusted p in words; empty without a test."""
    run: RunLink
    """The run that raised it."""
    against: tuple[RunLink, ...]
    """The runs it was held against, oldest first."""
    against_text: str
    opened_at: datetime
    closed_at: datetime | None
    closed: Closed | None
    state_text: str
    told_text: str
    """What became of its messages, in words."""
    counted_text: str
    """How it was counted, where its run was scored otherwise since; else empty."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a list of alerts can be narrowed by, and what it is narrowed by now."""

    panels: tuple[str, ...]
    engines: tuple[str, ...]
    panel: str
    engine: str
    state: str
    severity: str
    words: str


@dataclass(frozen=True, slots=True)
class AlertsScreen:
    """Alerts of a search, newest first."""

    title: str
    choices: Choices
    alerts: tuple[AlertLine, ...]
    pager: Pager


@dataclass(frozen=True, slots=True)
class ToldLine:
    """One message of the outbox that told of an alert."""

    channel: str
    state: str
    attempts: int
    created_at: datetime
    next_try: datetime | None
    sent_at: datetime | None
    error: str


def alert_line(
    one: StoredAlert, told: Sequence[ToldLine], labels: Mapping[str, str], *, counted: str = ""
) -> AlertLine:
    """An alert as a line, with what became of its messages and the names of engines.

    `counted` says how it was counted, where its run was scored otherwise since.
    """
    alert = one.alert
    before, after = _sides(alert)
    test = alert.change.test if alert.change else None
    moved = test or (alert.concentration.test if alert.concentration else None)
    return AlertLine(
        id=one.id,
        href=alert_address(one.id),
        severity=alert.severity,
        shape=SEVERITY_SHAPES[alert.severity],
        panel=one.panel,
        engine=alert.engine,
        label=labels.get(alert.engine, alert.engine),
        kind=alert.kind,
        kind_text=alert.kind.value.replace("_", " "),
        entity=alert.entity,
        direction=alert.direction.value,
        verdict=alert_verdict(alert).value,
        says=plain(alert.says),
        numbers_text=plain(numbers_words(alert)),
        before=before,
        after=after,
        difference=alert.change.difference if alert.change else None,
        low=moved.interval.low if moved else None,
        high=moved.interval.high if moved else None,
        adjusted_p=moved.adjusted if moved else None,
        moved_text=_moved(alert),
        run=run_link(alert.after),
        against=tuple(run_link(name) for name in alert.before),
        against_text=against_words(alert),
        opened_at=one.opened_at,
        closed_at=one.closed_at,
        closed=one.closed,
        state_text=_state(one),
        told_text=told_words(told),
        counted_text=plain(counted),
    )


def run_link(run: str) -> RunLink:
    """A run with the address of its page."""
    return RunLink(run, slot_of(run), run_address(run))


def told_words(told: Sequence[ToldLine]) -> str:
    """What became of messages, as `mail: sent; chat: given up`."""
    if not told:
        return "told by no channel"
    return "; ".join(f"{one.channel}: {one.state.replace('_', ' ')}" for one in told)


def _sides(alert: Alert) -> tuple[NumberView | None, NumberView | None]:
    """Both levels of what a test stands behind; the earlier one has rows where it is one run's."""
    change = alert.change
    if change is None:
        return None, None
    earlier = _rows(alert, change, alert.before[-1]) if len(alert.before) == 1 else None
    return (
        number_of_rate(change.before.pooled, None, earlier),
        number_of_rate(change.after.pooled, None, _rows(alert, change, alert.after)),
    )


def _rows(alert: Alert, change: Change, run: str) -> str:
    if change.subject is Subject.FAMILY_SHARE:
        return family_address(change.name, run=run, engine=alert.engine)
    return rows_address(run, alert.engine, change.name)


def _moved(alert: Alert) -> str:
    change = alert.change
    if change is None:
        return numbers_words(alert)
    if change.test is None:
        return f"{signed_points(change.difference)}; not tested"
    level = f"{100 * change.test.interval.level:.0f} % interval"
    return (
        f"{signed_points(change.difference)}, {level} {signed_interval(change.test.interval)}; "
        f"adjusted p {p_value(change.test.adjusted)}"
    )


def _state(one: StoredAlert) -> str:
    if one.closed is None:
        quiet = f", not seen in {plural(one.quiet_runs, 'run')} since" if one.quiet_runs else ""
        return f"open{quiet}"
    return f"closed, {one.closed.value}: {_CLOSED[one.closed]}"


def alerts_title(total: int, state: str) -> str:
    """What the list comes to, in words."""
    kind = "" if state == "all" else f"{state} "
    return f"No {kind}alert here" if not total else plural(total, f"{kind}alert")


ALERTS_HEADER = (
    "id", "severity", "panel", "engine", "kind", "entity", "direction", "verdict", "says",
    "before_hits", "before_total", "after_hits", "after_total", "difference", "low", "high",
    "p_adjusted", "run", "against", "opened_at", "closed_at", "closed", "told", "counted",
)  # fmt: skip


def alerts_table(screen: AlertsScreen) -> Table:
    """The list as rows: counts first, values unrounded."""
    return ALERTS_HEADER, [_row(one) for one in screen.alerts]


def _row(one: AlertLine) -> Row:
    before, after = one.before, one.after
    return (
        one.id, one.severity.value, one.panel, one.engine, one.kind.value, one.entity,
        one.direction, one.verdict, one.says,
        before.hits if before else None, before.total if before else None,
        after.hits if after else None, after.total if after else None,
        one.difference, one.low, one.high, one.adjusted_p, one.run.run,
        "|".join(run.run for run in one.against), one.opened_at.isoformat(),
        one.closed_at.isoformat() if one.closed_at else None,
        one.closed.value if one.closed else None, one.told_text, one.counted_text,
    )  # fmt: skip


def alerts_address(choices: Choices, page: int) -> str:
    """Another page of the same list."""
    return page_address(
        "alerts",
        panel=choices.panel,
        engine=choices.engine,
        state=choices.state,
        severity=choices.severity,
        words=choices.words,
        page=page,
    )
