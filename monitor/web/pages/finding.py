"""What an address names: a run, a panel, a capture; 404 says what there is instead."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from monitor.store import runs
from monitor.web.desk import Desk, desk_of
from monitor.web.problems import not_found

DeskOf = Annotated[Desk, Depends(desk_of)]

RunName = Annotated[str, Path(max_length=300, description="Public id of a run, or its slot.")]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000, description="Page of a long list.")]
Filter = Annotated[str, Query(max_length=200, description="Words that a row must contain.")]


def run_named(request: Request, run: RunName) -> runs.Run:
    """The run of a public id."""
    desk = desk_of(request)
    found = desk.bench.read(lambda c: runs.load_run(c, run))
    if found is None:
        raise not_found(f"no run {run!r}; the list of runs is under /")
    return found


RunOf = Annotated[runs.Run, Depends(run_named)]
