"""The page of one panel."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path
from fastapi.concurrency import run_in_threadpool

from monitor.domain.baseline import Baseline
from monitor.domain.panel import Panel
from monitor.engines import ENGINES
from monitor.report.screens.links import page_address
from monitor.report.screens.overview import RunRow, runs_table
from monitor.report.screens.panel import BaselineFacts, PanelFacts, PanelScreen
from monitor.store import Connection, panels, run_lists
from monitor.web.pages.finding import DeskOf, Window
from monitor.web.pages.overview import (
    RunWindow,
    broken_of,
    newest_runs,
    open_alerts,
    plan_view,
    require_store,
    run_row,
    run_row_now,
)
from monitor.web.problems import not_found
from monitor.web.screens import Screen

PanelName = Annotated[str, Path(max_length=200, description="Name of a panel.")]


async def load_panel(desk: DeskOf, panel: PanelName, shown: RunWindow) -> PanelScreen:
    """A panel with its runs, its schedule and its baseline."""
    health = await desk.health.glance()
    found = require_store(health)
    stored = await run_in_threadpool(desk.bench.read, lambda c: _stored(c, panel, shown))
    planned = next((one for one in health.schedules if one.panel == panel), None)
    if stored.facts is None and planned is None:
        raise not_found(f"no panel {panel!r}; the list of panels is under /")
    newest = newest_runs(found).get(panel)
    return PanelScreen(
        panel=panel,
        facts=stored.facts,
        baseline=stored.baseline,
        newest=run_row(newest) if newest else None,
        plan=plan_view(planned),
        alerts=open_alerts(found, panel),
        broken=broken_of(found, panel),
        runs=stored.rows,
        pager=shown.pager(stored.total, lambda number: page_address("panels", panel, page=number)),
    )


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store knows of a panel: its newest version, its baseline, a page of its runs."""

    facts: PanelFacts | None = None
    baseline: BaselineFacts | None = None
    rows: tuple[RunRow, ...] = ()
    total: int = 0


def _stored(connection: Connection, name: str, shown: Window) -> Stored:
    if name not in run_lists.panel_names(connection):
        return Stored()
    baseline = panels.load_baseline(connection, name)
    total, found = run_lists.find_runs(connection, name, offset=shown.offset, limit=shown.size)
    return Stored(
        _facts(panels.load_panel(connection, name)),
        _baseline(baseline) if baseline else None,
        tuple(run_row_now(connection, one) for one in found),
        total,
    )


def _facts(panel: Panel) -> PanelFacts:
    labels = (ENGINES[name].label if name in ENGINES else name for name in panel.engines)
    return PanelFacts(
        version=panel.version,
        prompts=len(panel.prompts),
        repeats=panel.repeats,
        locales=tuple(sorted({one.locale for one in panel.prompts})),
        engines=tuple(labels),
        watch=panel.watch,
        client_domains=panel.client_domains,
    )


def _baseline(one: Baseline) -> BaselineFacts:
    return BaselineFacts(
        one.label, one.drawn_blind, one.frozen_at, len(one.annotators), len(one.prompts)
    )


PANEL = Screen(
    "/panels/{panel}",
    load_panel,
    PanelScreen,
    "panel.html.j2",
    table=lambda screen: runs_table(screen.runs),
)
