"""What an address names: a run, its engines, a page of a list; 404 says which there are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from monitor.report.screens.matrix import EVERYTHING
from monitor.report.screens.paging import Pager, pager_of, pages_of
from monitor.report.screens.slices import FIELDS, segments_of
from monitor.report.view import ReportView
from monitor.store import run_lists, runs
from monitor.web.desk import Desk, desk_of
from monitor.web.problems import not_found

DeskOf = Annotated[Desk, Depends(desk_of)]

_NAME = 300
"""Most characters of a run's public id."""

RunName = Annotated[str, Path(max_length=_NAME, description="Public id of a run.")]
RunQuery = Annotated[
    str | None,
    Query(max_length=_NAME, description="Public id of a run; without it, the newest one."),
]
PanelQuery = Annotated[
    str | None, Query(max_length=64, description="Panel whose newest run is meant.")
]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000, description="Page of a long list.")]
EngineQuery = Annotated[str | None, Query(max_length=80, description="One engine.")]
MeasureQuery = Annotated[
    str | None, Query(max_length=80, description="One measure; without it, the leading ones.")
]
Words = Annotated[str, Query(max_length=200, description="Words that a row must contain.")]


def run_named(request: Request, run: RunName) -> runs.Run:
    """The run of a public id."""
    found = desk_of(request).bench.read(lambda c: runs.load_run(c, run))
    if found is None:
        raise not_found(f"no run {run!r}; the list of runs is under /")
    return found


def chosen_run(request: Request, run: RunQuery = None, panel: PanelQuery = None) -> runs.Run | None:
    """The run of the query, else the newest whole one that ended, of the panel or of all.

    None where nothing of it has ended yet.
    """
    panel = panel or None
    require_panel(desk_of(request), panel)
    if run is not None:
        return run_named(request, run)
    found = desk_of(request).bench.read(
        lambda c: runs.list_runs(c, panel, states=runs.TELLING, imports=False, limit=_LOOKED_AT)
    )
    whole = [one for one in found if not one.partial]
    return next(iter((*whole, *found)), None)


_LOOKED_AT = 20
"""Newest runs among which a whole one is looked for."""

RunOf = Annotated[runs.Run, Depends(run_named)]
ChosenRun = Annotated[runs.Run | None, Depends(chosen_run)]


@dataclass(frozen=True, slots=True)
class Window:
    """The rows of a long list that are asked for: those of one page; a CSV has those of all."""

    page: int
    size: int

    @property
    def offset(self) -> int:
        """Rows before the first one."""
        return (self.page - 1) * self.size

    def pager(self, total: int, address: Callable[[int], str]) -> Pager:
        """Where the window stands in a list of so many rows; 404 where it is behind the end."""
        pages = pages_of(total, self.size)
        if self.page > pages:
            raise not_found(f"page: got {self.page}, and the list ends with page {pages}")
        return pager_of(self.page, self.size, total, address)


def window_of(rows: int) -> Callable[..., Window]:
    """A dependency: the page of the query in so many rows, and for a CSV the whole list."""

    def window(request: Request, page: PageNumber = 1) -> Window:
        whole = request.url.path.endswith("/table.csv")
        return Window(1, _MOST_IN_CSV) if whole else Window(page, rows)

    return window


_MOST_IN_CSV = 20_000

WindowOf = Annotated[Window, Depends(window_of(50))]


def require_panel(desk: Desk, panel: str | None) -> None:
    """404 for a panel of which there is no file, no schedule and nothing stored."""
    stored = desk.bench.read(run_lists.panel_names)
    if not panel or panel in stored:
        return
    known = sorted({*stored, *desk.health.scheduled()})
    if panel not in known:
        has = f"there are {some_of(known)}" if known else "there is none yet"
        raise not_found(f"no panel {panel!r}; {has}; the list of panels is under /")


def require_engine(view: ReportView, engine: str | None) -> None:
    """404 for an engine of which the run has no numbers."""
    known = [one.name for one in view.engines]
    if engine is not None and engine not in known:
        has = f"there are {', '.join(known)}" if known else "nothing of it was scored yet"
        raise not_found(f"no numbers of the engine {engine!r} in {view.run}; {has}")


def require_measure(view: ReportView, measure: str | None) -> None:
    """404 for a measure that there is none of."""
    if measure is not None and measure not in view.measures:
        raise not_found(f"no measure {measure!r}; there are {', '.join(view.measures)}")


def require_segment(view: ReportView, segment: str | None) -> None:
    """404 for a field or a part that the run does not have."""
    known = segments_of(view)
    if segment and segment not in {EVERYTHING, *known, *FIELDS}:
        listed = some_of(known) or "none: it is not scored"
        raise not_found(f"segment: got {segment!r}; the parts of {view.run} are {listed}")


def some_of(names: Sequence[str]) -> str:
    """As many names as a message lists, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


_NAMED = 20
