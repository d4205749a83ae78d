"""Whether the view that pages of a run are made of costs the same per capture in a large run.

One store has a run of 100 captures, the other one of 2,500; each with 8 citations a capture.
"""

import gc
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import CITATIONS
from benchmarks.figures import Outcome, Ratio, busy_seconds
from benchmarks.history import NAMES
from benchmarks.stores import benched, local_settings
from benchmarks.web_store import days_of
from monitor.pipeline.bench import Bench
from monitor.pipeline.stored_view import stored_view
from monitor.store import runs

PROMPTS = (20, 500)
TIMES = 5
BAR = 1.25
KIB_BAR = 5.0
"""Most memory of a capture."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading the view of one run took."""

    captures: int
    seconds: float
    """Of CPU, the least of some readings."""
    kib: float

    @property
    def line(self) -> str:
        """The figures in words."""
        each = 1000 * self.seconds / self.captures
        return (
            f"{self.captures:,} captures: {self.seconds:.2f} s of CPU, {each:.2f} ms a capture; "
            f"{self.kib / 1024:.1f} MiB, {self.kib / self.captures:.1f} KiB a capture"
        )


def run() -> Outcome:
    """CPU per capture of a large run over that of a small one, and memory per capture."""
    small, large = (_cost(prompts) for prompts in PROMPTS)
    cpu = (large.seconds / large.captures) / (small.seconds / small.captures)
    memory = large.kib / large.captures
    return Outcome(
        (small.line, large.line),
        (
            Ratio("CPU per capture of a view, large run over small one", cpu, BAR),
            Ratio("memory per capture of a view", memory, KIB_BAR, unit=" KiB"),
        ),
    )


def _cost(prompts: int) -> Cost:
    with _run_of(prompts) as (bench, one):
        captures = len(stored_view(bench, one).tallies)
        least = min(busy_seconds(lambda: stored_view(bench, one)) for _ in range(TIMES))
        gc.collect()
        tracemalloc.start()
        view = stored_view(bench, one)
        gc.collect()
        kib = tracemalloc.get_traced_memory()[0] / 1024
        tracemalloc.stop()
        if len(view.tallies) != captures:
            raise RuntimeError(f"{len(view.tallies)} captures, and {captures} before")
    return Cost(captures, least, kib)


@contextmanager
def _run_of(prompts: int) -> Iterator[tuple[Bench, runs.Run]]:
    """A store of one run of so many prompts to every engine."""
    with (
        tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder,
        benched(local_settings(Path(folder))) as bench,
    ):
        (one,) = days_of(bench, prompts * len(NAMES) * CITATIONS, prompts)
        yield bench, one
