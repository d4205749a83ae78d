"""The first page: panels with their newest run, and all runs, newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from fastapi import Depends, HTTPException, Query
from fastapi.concurrency import run_in_threadpool

from monitor.domain.alert import Severity
from monitor.domain.score import Coverage
from monitor.errors import MonitorError, StoreBusyError
from monitor.pipeline.examining import Examination, RunTotals, summed_coverage, together
from monitor.pipeline.run_status import counts_of
from monitor.report.screens.links import panel_address, run_address
from monitor.report.screens.overview import (
    AlertCount,
    OverviewScreen,
    PanelRow,
    PlanView,
    RunRow,
    alert_counts,
    coverage_view,
    overview_address,
    runs_table,
)
from monitor.report.screens.run import run_headline
from monitor.schedule import PanelSchedule
from monitor.store import Connection, run_lists, runs
from monitor.web.desk import Desk
from monitor.web.health import Health
from monitor.web.pages.finding import DeskOf, Window, Words, require_panel, window_of
from monitor.web.screens import Screen

RunWindow = Annotated[Window, Depends(window_of(20))]
PanelFilter = Annotated[str, Query(max_length=200, description="Panel whose runs are listed.")]


async def load_overview(
    desk: DeskOf, shown: RunWindow, panel: PanelFilter = "", words: Words = ""
) -> OverviewScreen:
    """Panels with their newest run, and runs newest first."""
    health = await desk.health.glance()
    found = require_store(health)
    await run_in_threadpool(require_panel, desk, panel)
    listed = await run_in_threadpool(
        desk.bench.read, lambda c: _listed(c, panel, words, shown=shown)
    )
    pager = shown.pager(listed.total, lambda number: overview_address(panel, words, number))
    rows = panel_rows(found, health.schedules)
    rows = await run_in_threadpool(_with_headlines, desk, rows, newest_runs(found))
    return OverviewScreen(
        at=found.at,
        problems=health.problems,
        warnings=health.warnings,
        panels=rows,
        panel=panel,
        words=words,
        runs=listed.rows,
        pager=pager,
        has_runs=listed.has_runs,
        headlines_text=_headlines_text(rows),
    )


_HEADLINES = 20
"""Panels whose newest run is looked into: as many views as the desk keeps, and some to spare."""


def _with_headlines(
    desk: Desk, rows: Sequence[PanelRow], newest: Mapping[str, RunTotals]
) -> tuple[PanelRow, ...]:
    """Panels with what their newest run says first."""
    return tuple(
        replace(row, headline=_headline(desk, newest[row.panel].run, row.newest))
        if row.newest is not None and place < _HEADLINES
        else row
        for place, row in enumerate(rows)
    )


def _headline(desk: Desk, run: runs.Run, row: RunRow) -> str:
    """Empty for a run under way, whose numbers move, and where its page could say nothing."""
    if run.state not in runs.TELLING:
        return ""
    try:
        return run_headline(desk.view(run), row)
    except StoreBusyError:
        raise
    except MonitorError:
        return ""


def _headlines_text(rows: Sequence[PanelRow]) -> str:
    if len(rows) <= _HEADLINES:
        return ""
    return f"What changed is told here for the first {_HEADLINES} of {len(rows)} panels"


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of runs, of how many, and whether there is any at all."""

    rows: tuple[RunRow, ...]
    total: int
    has_runs: bool


def _listed(connection: Connection, panel: str, words: str, *, shown: Window) -> Listed:
    total, found = run_lists.find_runs(
        connection, panel, words, offset=shown.offset, limit=shown.size
    )
    has_runs = bool(total or run_lists.count_runs(connection))
    return Listed(tuple(run_row_now(connection, one) for one in found), total, has_runs)


def run_row_now(connection: Connection, run: runs.Run) -> RunRow:
    """A run in a list, as its captures are now."""
    coverage, _ = counts_of(connection, run)
    return run_row_of(run, together(coverage.values()))


def require_store(health: Health) -> Examination:
    """What a look found; HTTPException 503 where the store cannot be read."""
    if health.examination is None or not health.store_is_fine:
        raise HTTPException(503, "; ".join(health.problems))
    return health.examination


def run_row(one: RunTotals) -> RunRow:
    """A run in a list."""
    return run_row_of(one.run, summed_coverage(one.totals))


def run_row_of(run: runs.Run, coverage: Coverage) -> RunRow:
    """The same, of a run whose coverage is at hand."""
    return RunRow(
        run=run.public_id,
        href=run_address(run.public_id),
        panel=run.panel,
        panel_href=panel_address(run.panel),
        slot=run.slot,
        state=run.state.value,
        stage=run.stage.value if run.stage else None,
        kind="import" if run.imported else "trial" if run.partial else "",
        fictional=run.fictional,
        held=run.held,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        coverage=coverage_view(run.public_id, coverage),
        cost_micros=run.spent_micros,
    )


def panel_rows(found: Examination, schedules: Sequence[PanelSchedule]) -> tuple[PanelRow, ...]:
    """Panels that were run or are scheduled, by name."""
    newest = newest_runs(found)
    planned = {one.panel: one for one in schedules}
    return tuple(
        PanelRow(
            panel=panel,
            href=panel_address(panel),
            newest=run_row(newest[panel]) if panel in newest else None,
            plan=plan_view(planned.get(panel)),
            alerts=open_alerts(found, panel),
        )
        for panel in sorted(newest.keys() | planned.keys())
    )


def newest_runs(found: Examination) -> Mapping[str, RunTotals]:
    """Panel -> its newest run; one that asked engines goes before what people handed in."""
    return {one.run.panel: one for one in reversed(found.runs)} | found.newest


def broken_of(found: Examination, panel: str) -> tuple[str, ...]:
    """What looks broken about the measuring of a panel."""
    checked = found.checkups.get(panel)
    return tuple(one.says for one in checked.alarms) if checked else ()


def open_alerts(found: Examination, panel: str) -> tuple[AlertCount, ...]:
    """Open alerts of a panel, gravest first."""
    counted = {one.value: found.open_alerts.get((panel, one.value), 0) for one in Severity}
    return alert_counts(panel, counted)


def plan_view(plan: PanelSchedule | None) -> PlanView:
    """When a panel is due."""
    if plan is None or plan.rule is None:
        broken = (plan.broken,) if plan and plan.broken else ()
        why = "not known: its file cannot be read" if broken else "run by hand"
        return PlanView("", None, None, why, broken)
    return PlanView(
        rule=f"{plan.rule.cron} ({plan.rule.timezone})",
        next_slot=plan.next.name if plan.next else None,
        next_due=plan.next.due if plan.next else None,
        why_not="" if plan.next else _paused(plan.paused_at),
        troubles=tuple(one for one in (plan.refused, plan.broken) if one),
    )


def _paused(at: datetime | None) -> str:
    return f"paused since {at:%Y-%m-%d %H:%M} UTC" if at else "never due again"


OVERVIEW = Screen(
    "/",
    load_overview,
    OverviewScreen,
    "overview.html.j2",
    twin="/overview",
    table=lambda screen: runs_table(screen.runs),
)
