"""Prompts of a run: all of them by engines, and one with its answers, baseline and past."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Depends, Query, Request

from monitor.report.screens.prompts import (
    PromptFilter,
    PromptsScreen,
    chosen_prompts,
    no_prompts,
    prompts_screen,
    prompts_table,
)
from monitor.store import prompted, runs
from monitor.web.desk import Desk
from monitor.web.pages.finding import ChosenRun, DeskOf, PageNumber, Window, Words
from monitor.web.pages.trends import MeasureQuery, require_measure
from monitor.web.screens import Screen

_ROWS = 100
_MOST_IN_CSV = 20_000
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


def heat_window(request: Request, page: PageNumber = 1) -> Window:
    """The page of the query in rows of 100; the whole list for a CSV."""
    whole = request.url.path.endswith("/table.csv")
    return Window(1, _MOST_IN_CSV) if whole else Window(page, _ROWS)


def load_prompts(
    desk: DeskOf,
    run: ChosenRun,
    asked: Annotated[PromptFilter, Depends(prompt_filter)],
    window: Annotated[Window, Depends(heat_window)],
) -> PromptsScreen:
    """Prompts of a run by engines, with a measure's value in the cell."""
    if run is None:
        return no_prompts(asked)
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


SCREENS = (Screen("/prompts", load_prompts, PromptsScreen, "prompts.html.j2", table=prompts_table),)
