"""The rows behind a number of a run: what it was counted from, capture by capture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Query

from monitor.pipeline.family_pages import family_pages
from monitor.pipeline.segment_captures import segment_captures
from monitor.report.screens.matrix import EVERYTHING, card_of
from monitor.report.screens.rows import (
    Behind,
    CitedPageView,
    Only,
    Placed,
    RowsScreen,
    behind_address,
    counted,
    only,
    rows_screen,
    rows_table,
)
from monitor.report.view import ReportView
from monitor.store import run_captures, runs
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk
from monitor.web.pages.finding import (
    DeskOf,
    RunOf,
    WindowOf,
    require_engine,
    require_measure,
    some_of,
)
from monitor.web.pages.seeing import note_cited
from monitor.web.problems import not_found
from monitor.web.screens import Screen

_Name = Query(max_length=300)


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of the page of rows."""

    behind: Behind
    which: Only


def asked(
    engine: Annotated[str, Query(max_length=80, description="Engine of the number.")],
    *,
    measure: Annotated[str | None, Query(max_length=80, description="Measure.")] = None,
    family: Annotated[str | None, _Name] = None,
    segment: Annotated[str, Query(max_length=300, description="`all`, or field=value.")] = "",
    prompt: Annotated[str | None, _Name] = None,
    only: Annotated[Only | None, Query(description="Which rows.")] = None,
) -> Asked:
    """What is asked for; 422 where it is no number, or two."""
    if bool(measure) == bool(family):
        raise HTTPException(422, "measure: name one measure, or one family in place of it")
    behind = Behind(engine, measure or None, family or None, segment or EVERYTHING, prompt or None)
    return Asked(behind, only or (Only.HITS if family else Only.ALL))


QueryOf = Annotated[Asked, Depends(asked)]


def load_rows(
    desk: DeskOf, run: RunOf, who: VisitorOf, *, window: WindowOf, query: QueryOf
) -> RowsScreen:
    """Captures behind a number of a run, each with its counts."""
    view, behind = desk.view(run), query.behind
    require_engine(view, behind.engine)
    require_measure(view, behind.measure)
    _require_part(view, behind)
    ids = segment_captures(
        desk.bench, run, view.panel, engine=behind.engine, segment=behind.segment
    )
    every = counted(view, behind, ids)
    if behind.prompt is not None and not every:
        raise not_found(f"{behind.engine} was not asked {behind.prompt!r} in {view.run}")
    shown = only(every, query.which)
    pager = window.pager(
        len(shown), lambda page: behind_address(view.run, behind, which=query.which, page=page)
    )
    mine = shown[window.offset : window.offset + window.size]
    named = [one.capture for one in mine]
    lines = desk.bench.read(lambda c: run_captures.lines_of(c, named))
    pages: Mapping[int, tuple[CitedPageView, ...]] = {}
    if behind.family is not None:
        pages = _pages(desk, run, named, behind.family)
        note_cited(desk, run.panel, {one: view.tallies[one].prompt_id for one in named}, who)
    placed = Placed(mine, pager, lines, pages)
    return rows_screen(view, behind, every, which=query.which, placed=placed)


def _require_part(view: ReportView, behind: Behind) -> None:
    """404 for a part of the run that the engine has no numbers of."""
    engine = next(one for one in view.engines if one.name == behind.engine)
    if card_of(engine, behind.segment) is None:
        known = some_of([EVERYTHING, *(card.segment for card in engine.segments)])
        raise not_found(f"no segment {behind.segment!r} of {engine.name}; there are {known}")


def _pages(
    desk: Desk, run: runs.Run, captures: Sequence[int], family: str
) -> dict[int, tuple[CitedPageView, ...]]:
    """Pages of a family that captures cite."""
    found = family_pages(desk.bench, run, captures, family)
    return {
        one: tuple(CitedPageView(page.url, page.title) for page in pages)
        for one, pages in found.items()
    }


ROWS = Screen("/runs/{run}/rows", load_rows, RowsScreen, "rows.html.j2", table=rows_table)
