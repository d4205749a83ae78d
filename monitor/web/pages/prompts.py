"""Prompts of a run: all of them by engines, and one with its answers, baseline and past."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from monitor.domain.panel import Prompt
from monitor.domain.score import Measured, Undefined, pooled
from monitor.pipeline.comparing import earlier_runs
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.stored_view import view_baseline
from monitor.pipeline.trending import RUNS_SHOWN
from monitor.report.screens.prompt import (
    PromptEvidence,
    PromptScreen,
    history_measures,
    prompt_screen,
    prompt_table,
)
from monitor.report.screens.prompts import (
    PromptFilter,
    PromptsScreen,
    chosen_prompts,
    no_prompts,
    prompts_screen,
    prompts_table,
)
from monitor.report.view import ReportView
from monitor.store import Connection, prompted, run_captures, runs
from monitor.web.desk import Desk, desk_of
from monitor.web.pages.finding import (
    ChosenRun,
    DeskOf,
    MeasureQuery,
    PanelQuery,
    RunQuery,
    Window,
    Words,
    chosen_run,
    require_measure,
    run_named,
    window_of,
)
from monitor.web.problems import not_found
from monitor.web.screens import Screen

_ROWS = 100
_MARKED = 500
"""Prompts that may be marked at once."""

PromptId = Annotated[str, Query(max_length=300)]


def prompt_filter(
    measure: MeasureQuery = None,
    words: Words = "",
    prompt: Annotated[
        list[PromptId], Query(max_length=_MARKED, description="Prompts to show; repeatable.")
    ] = [],  # noqa: B006 - the framework copies it
) -> PromptFilter:
    """Which prompts are asked for."""
    marked = tuple(dict.fromkeys(one for one in prompt if one))
    return PromptFilter(measure or None, words.strip(), marked)


def load_prompts(
    desk: DeskOf,
    run: ChosenRun,
    asked: Annotated[PromptFilter, Depends(prompt_filter)],
    *,
    window: Annotated[Window, Depends(window_of(_ROWS))],
    panel: PanelQuery = None,
) -> PromptsScreen:
    """Prompts of a run by engines, with a measure's value in the cell."""
    if run is None:
        return no_prompts(asked, panel or None)
    view = desk.view(run)
    require_measure(view, asked.measure)
    found = chosen_prompts(view.panel.prompts, asked)
    pager = window.pager(len(found), lambda page: asked.address(run.public_id, page=page))
    shown = found[window.offset : window.offset + window.size]
    captures = captures_by_engine(desk, run, [one.id for one in shown])
    return prompts_screen(view, asked, shown, captures=captures, pager=pager)


def captures_by_engine(
    desk: Desk, run: runs.Run, prompts: Iterable[str]
) -> dict[tuple[str, str], list[int]]:
    """(prompt, engine) -> captures of a run, in the order they were planned."""
    found: dict[tuple[str, str], list[int]] = {}
    for one in desk.bench.read(lambda c: prompted.captures_of(c, [run.id], prompts)):
        found.setdefault((one.prompt_id, one.engine), []).append(one.id)
    return found


PromptKey = Annotated[str, Path(max_length=300, description="Id of a prompt.")]


def prompt_run(
    request: Request, prompt: PromptKey, run: RunQuery = None, panel: PanelQuery = None
) -> runs.Run:
    """The run that is named, else the newest one where it asks the prompt, else the last to ask."""
    desk = desk_of(request)
    chosen = chosen_run(request, run, panel)
    if chosen is not None and (run or panel or desk.view(chosen).panel.prompt(prompt)):
        return chosen
    last = desk.bench.read(lambda c: prompted.newest_run_of(c, prompt))
    if last is None:
        raise not_found(f"no prompt {prompt!r} was ever asked; /prompts lists those of a run")
    return run_named(request, last)


def load_prompt(
    desk: DeskOf, prompt: PromptKey, run: Annotated[runs.Run, Depends(prompt_run)]
) -> PromptScreen:
    """One prompt: its baseline, each engine's numbers and answers, and its past."""
    view = desk.view(run)
    own = view.panel.prompt(prompt)
    if own is None:
        raise not_found(f"no prompt {prompt!r} in the panel of {view.run}; /prompts lists them")
    shown = (*earlier_runs(desk.bench, run, RUNS_SHOWN - 1), run)
    return prompt_screen(view, own, _evidence(desk, view, own, shown))


def _evidence(
    desk: Desk, view: ReportView, prompt: Prompt, shown: Sequence[runs.Run]
) -> PromptEvidence:
    """Everything that the page of a prompt shows beside its run's view."""
    bench, names = desk.bench, {one.id: one.public_id for one in shown}
    captures = bench.read(lambda c: prompted.captures_of(c, list(names), [prompt.id]))
    own = [one.id for one in captures if names[one.run_id] == view.run]
    versions = bench.read(lambda c: prompted.load_versions(c, {one.version_id for one in captures}))
    baseline = bench.read(lambda c: view_baseline(c, view))
    found = baseline_for(baseline, prompt)
    lines = bench.read(lambda c: run_captures.lines_of(c, own))
    return PromptEvidence(
        baseline=found.reason.value if isinstance(found, Undefined) else found,
        baseline_label=f"{baseline.panel}@{baseline.label}" if baseline else None,
        captures=[lines[one] for one in own],
        queries=bench.read(lambda c: prompted.load_searches(c, own)),
        past=bench.read(lambda c: _past(c, view, captures, names, history_measures(prompt))),
        wordings={names[one.run_id]: versions[one.version_id] for one in captures},
    )


def _past(
    connection: Connection,
    view: ReportView,
    captures: Sequence[prompted.PromptCapture],
    names: Mapping[int, str],
    measures: Sequence[str],
) -> dict[tuple[str, str], dict[str, Measured]]:
    """(run, engine) -> measures of its answers, as the run was scored last."""
    recipes = {
        (point.run, trend.engine): point.card.recipe
        for trend in view.trends
        for point in trend.points
        if point.card is not None
    }
    sets = prompted.newest_sets(connection, list(names))
    placed: dict[tuple[int, str], list[int]] = {}
    for one in captures:
        placed.setdefault((one.run_id, one.engine), []).append(one.id)
    found: dict[tuple[str, str], dict[str, Measured]] = {}
    for (run_id, engine), ids in placed.items():
        run = names[run_id]
        set_id = sets.get((run_id, recipes.get((run, engine), "")))
        if set_id is not None:
            counted = prompted.load_measured(connection, set_id, ids, measures)
            found[run, engine] = _pooled(list(counted.values()), measures)
    return found


def _pooled(
    counted: Sequence[Mapping[str, Measured]], measures: Sequence[str]
) -> dict[str, Measured]:
    """Measures of several answers, each as one."""
    return {
        name: pooled([one[name] for one in counted if name in one])
        for name in measures
        if any(name in one for one in counted)
    }


SCREENS = (
    Screen("/prompts", load_prompts, PromptsScreen, "prompts.html.j2", table=prompts_table),
    Screen("/prompts/{prompt}", load_prompt, PromptScreen, "prompt.html.j2", table=prompt_table),
)
