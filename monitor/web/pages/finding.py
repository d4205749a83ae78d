"""What an address names: a run, a panel, a page of a list; 404 says where to look instead."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from monitor.report.screens.paging import Pager, pager_of, pages_of
from monitor.store import runs
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
Words = Annotated[str, Query(max_length=200, description="Words that a row must contain.")]


def run_named(request: Request, run: RunName) -> runs.Run:
    """The run of a public id."""
    found = desk_of(request).bench.read(lambda c: runs.load_run(c, run))
    if found is None:
        raise not_found(f"no run {run!r}; the list of runs is under /")
    return found


def chosen_run(request: Request, run: RunQuery = None, panel: PanelQuery = None) -> runs.Run | None:
    """The run of the query, else the newest whole one that ended, of the panel or of all.

    None where nothing has ended yet.
    """
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


def window(request: Request, page: PageNumber = 1) -> Window:
    """The page of the query in rows of 50; the whole list, up to 20,000 rows, for a CSV."""
    whole = request.url.path.endswith("/table.csv")
    return Window(1, _MOST_IN_CSV) if whole else Window(page, _ROWS)


_ROWS = 50
_MOST_IN_CSV = 20_000

WindowOf = Annotated[Window, Depends(window)]
