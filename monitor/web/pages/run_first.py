"""The first screen of a run, and its matrix."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import Query

from monitor.domain.engine import Access
from monitor.domain.money import NOTHING, Spent
from monitor.domain.score import Coverage
from monitor.engines import ENGINES
from monitor.pipeline.examining import together
from monitor.pipeline.live_surfaces import resting
from monitor.pipeline.reporting import engine_label
from monitor.pipeline.run_status import counts_of
from monitor.pipeline.stored_view import view_baseline
from monitor.report.screens.matrix import (
    EVERYTHING,
    MatrixScreen,
    matrix_screen,
    matrix_table,
)
from monitor.report.screens.run import EngineFacts, RunFacts, RunScreen, run_screen
from monitor.report.screens.slices import SlicesScreen, slices_screen, slices_table
from monitor.report.view import ReportView
from monitor.store import Connection, alerts, run_captures, runs
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf, RunOf, require_segment
from monitor.web.pages.overview import run_row_of
from monitor.web.pages.trust import trust_of
from monitor.web.screens import Screen

Segment = Annotated[
    str | None,
    Query(max_length=300, description="Field such as `topic`, or part such as `topic=tax`."),
]


def load_run(desk: DeskOf, run: RunOf, who: VisitorOf, *, segment: Segment = None) -> RunScreen:
    """What changed in a run, is it noise, was it measured, what to do next."""
    view = desk.view(run)
    require_segment(view, segment)
    facts = desk.bench.read(lambda c: _facts(c, desk, run, view))
    screen = run_screen(view, facts, segment or None)
    return replace(screen, trust=trust_of(desk, run, who)) if view.engines else screen


def load_matrix(desk: DeskOf, run: RunOf, segment: Segment = None) -> MatrixScreen:
    """Engines of a run, or of a part of it, by measures."""
    view = desk.view(run)
    require_segment(view, segment)
    return matrix_screen(view, segment if segment and "=" in segment else EVERYTHING)


def load_slices(desk: DeskOf, run: RunOf, segment: Segment = None) -> SlicesScreen:
    """Parts of a run by a field, such as its topics, by leading measures."""
    view = desk.view(run)
    require_segment(view, segment)
    return slices_screen(view, segment if segment != EVERYTHING else None)


def _facts(connection: Connection, desk: Desk, run: runs.Run, view: ReportView) -> RunFacts:
    """What the store knows of a run, beside its scorecards."""
    coverage, spent = counts_of(connection, run)
    baseline = view_baseline(connection, view)
    raised = alerts.raised_by(connection, run.id)
    return RunFacts(
        row=run_row_of(run, together(coverage.values())),
        engines=_engines(connection, desk, run, coverage, spent),
        judge=run.judge_version or run.judge or "that of the settings, not begun",
        splitter=run.splitter_version,
        judge_micros=run.judge_micros,
        caps=_caps(run),
        frozen_at=baseline.frozen_at if baseline else None,
        captures_of=run_captures.engines_of(connection, run.id) if view.engines else {},
        alert_ids={one.key: one.id for one in raised},
    )


def _engines(
    connection: Connection,
    desk: Desk,
    run: runs.Run,
    coverage: Mapping[str, Coverage],
    spent: Mapping[str, Spent],
) -> dict[str, EngineFacts]:
    """Engines that were planned, in the order of the panel where it still names them."""
    labels = engine_labels(connection, run, coverage)
    states = run_captures.locale_states(connection, run.id)
    at_rest: Mapping[str, str] = {}
    if run.state not in runs.FINAL:
        at_rest = resting(connection, desk.bench.settings, desk.bench.clock.now())
    return {
        name: EngineFacts(
            label=labels[name],
            coverage=one,
            cost_micros=spent.get(name, NOTHING).micros,
            calls=spent.get(name, NOTHING).calls,
            locale_states=states.get(name),
            resting=at_rest.get(name, ""),
        )
        for name, one in coverage.items()
    }


def engine_labels(connection: Connection, run: runs.Run, engines: Iterable[str]) -> dict[str, str]:
    """Engine -> the name a reader sees."""
    access = {one.engine: one.access for one in runs.load_plan(connection, run.id)}
    return {name: _label(name, access) for name in engines}


def _label(name: str, access: Mapping[str, Access]) -> str:
    """Name a reader sees; the bare name of an engine that this version does not know."""
    engine = ENGINES.get(name)
    return engine_label(name, access.get(name, engine.access)) if engine else name


def _caps(run: runs.Run) -> str:
    """Most calls and most money of a run, in words; empty for none."""
    calls = f"{run.caps.calls} calls" if run.caps.calls is not None else ""
    usd = f"{run.caps.micros / 1e6:.2f} USD" if run.caps.micros is not None else ""
    return " and ".join(one for one in (calls, usd) if one)


FIRST = Screen("/runs/{run}", load_run, RunScreen, "run.html.j2")
MATRIX = Screen(
    "/runs/{run}/matrix", load_matrix, MatrixScreen, "matrix_page.html.j2", table=matrix_table
)
SLICES = Screen(
    "/runs/{run}/segments", load_slices, SlicesScreen, "slices.html.j2", table=slices_table
)
