"""Looking on while workers work on a run: how far it is, until it ends or nobody is there."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from monitor.domain.job import PAGES, Stage
from monitor.pipeline.bench import Bench
from monitor.store import captures, pages, queue, runs, workers

_LOOK_SECONDS = 1.0
_NOBODY_SECONDS = 20.0
"""How long a run without any worker is looked at."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A run as it stood when looking on ended."""

    run: runs.Run
    has_workers: bool


def watch_run(bench: Bench, run_id: int, *, sleep: Callable[[float], None] = time.sleep) -> Watched:
    """Tell the progress of a run until it is final, or until no worker was seen for a while."""
    alone_since: float | None = None
    while True:
        run = bench.read(lambda c: runs.load_run_by_id(c, run_id))
        _tell(bench, run)
        if run.state in runs.FINAL:
            return Watched(run, has_workers=True)
        now = bench.clock.monotonic()
        if bench.read(lambda c: workers.alive_workers(c, now=bench.clock.now())):
            alone_since = None
        elif alone_since is None:
            alone_since = now
        elif now - alone_since > _NOBODY_SECONDS:
            return Watched(run, has_workers=False)
        sleep(_LOOK_SECONDS)


def _tell(bench: Bench, run: runs.Run) -> None:
    """Draw what is known about the stage that a run is in."""
    planned = bench.read(lambda c: captures.count_planned(c, run.id))
    left = bench.read(lambda c: captures.count_open(c, run.id))
    bench.progress("captures", planned - left, planned)
    if run.stage in {Stage.PAGES, Stage.JUDGE, Stage.FINISH}:
        fetched = bench.read(lambda c: pages.count_fetched(c, run.id))
        waiting = bench.read(lambda c: queue.count_jobs(c, run.id, PAGES))
        bench.progress("pages", fetched, fetched + waiting)
