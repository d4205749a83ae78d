"""How commands grow with the citations in a store: from ten thousand to a million.

Each store holds ten months of one panel. What is asked about one run looks at a tenth of them: the
last month, which is exported, and the last two, which are compared: from stored counts, and with
all of them made anew.
"""

import asyncio
import math
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from benchmarks.figures import Outcome, Ratio, busy_seconds, peak_mib
from benchmarks.history import months_of
from benchmarks.score import Ready
from benchmarks.stores import benched, local_settings
from monitor.pipeline.bench import Bench
from monitor.pipeline.comparing import weigh
from monitor.pipeline.exporting import export_csv, export_json
from monitor.pipeline.line import load_run
from monitor.pipeline.run_status import run_status
from monitor.pipeline.spending import month_spend
from monitor.store import runs
from monitor.web.health import HealthWatch
from monitor.web.metrics import exposition

SIZES = (10_000, 100_000, 1_000_000)
LARGEST = "MONITOR_BENCH_CITATIONS"
"""Variable that names a smaller largest store."""
FLAT, LINEAR = 0.1, 1.1
"""Bars of exponents; linear growth is 1, the rest is noise."""
COMPARED = 1.05
"""Bar of comparisons: linear, and a twentieth for noise. CPU times here differ by up to a tenth from
one call to the next; a tenth at either end of two decades turns the slope by 2 ln 1.1 / ln 100."""

Works = Mapping[str, tuple[Callable[[], object], int]]


@dataclass(frozen=True, slots=True)
class Sized:
    """What one store took: CPU seconds by command, and the size of both."""

    citations: int
    seconds: Mapping[str, float]
    peaks: Mapping[str, float]
    """MiB of this process after each command, its own filling of the store included."""
    mib: float
    """The database on disk."""


BARS = {"status": FLAT, "metrics": FLAT, "spend": LINEAR, "export": LINEAR, "export csv": LINEAR,
        "compare": COMPARED, "compare anew": COMPARED}  # fmt: skip


def run() -> Outcome:
    """Exponents of the CPU time, each with what it took on every size."""
    most = int(os.environ.get(LARGEST, SIZES[-1]))
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder:
        _sized(Path(folder) / "warm", 2_000)
        found = [_sized(Path(folder) / str(size), size) for size in SIZES if size <= most]
    lines = [f"{'command':12}" + "".join(f"{one.citations:>22,}" for one in found)]
    lines += [
        f"{name:12}"
        + "".join(
            f"{one.seconds[name] * 1000:>11,.1f} ms {one.peaks[name]:>4.0f} MiB" for one in found
        )
        for name in BARS
    ]
    lines.append(f"{'database':12}" + "".join(f"{one.mib:>18,.0f} MiB" for one in found))
    return Outcome(
        tuple(lines),
        tuple(
            Ratio(f"{name}, exponent of the CPU time", _exponent(found, name), bar, unit="")
            for name, bar in BARS.items()
        ),
    )


def _exponent(found: list[Sized], name: str) -> float:
    """Slope of the least squares line through the logarithms of size and time."""
    points = [(math.log(one.citations), math.log(one.seconds[name])) for one in found]
    x0, y0 = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    return sum((x - x0) * (y - y0) for x, y in points) / sum((x - x0) ** 2 for x, _ in points)


def _sized(folder: Path, citations: int) -> Sized:
    """A store of so many citations, and every command in it."""
    folder.mkdir()
    with benched(local_settings(folder)) as bench:
        made = months_of(bench, citations)
        seconds, peaks = {}, {}
        for name, (work, turns) in _works(bench, made, folder / "csv").items():
            seconds[name] = min(busy_seconds(work) for _ in range(turns))
            peaks[name] = peak_mib()
        mib = sum(path.stat().st_size for path in folder.glob("monitor.db*")) / 1024**2
    return Sized(citations, seconds, peaks, mib)


def _works(bench: Bench, made: list[runs.Run], folder: Path) -> Works:
    """Command -> what it does, and how often it is measured."""
    before, last = made[-2:]
    return {
        "status": (lambda: run_status(bench, load_run(bench, None)).as_json(), 20),
        "metrics": (lambda: _metrics(bench), 5),
        "spend": (lambda: month_spend(bench, last.slot).as_json(), 3),
        "export": (lambda: export_json(bench, last), 2),
        "export csv": (lambda: export_csv(bench, last, folder), 2),
        "compare": (lambda: weigh(bench, [before], last, Ready()), 2),
        "compare anew": (lambda: _anew(bench, before, last), 1),
    }


def _anew(bench: Bench, before: runs.Run, last: runs.Run) -> None:
    """Compare with tallies that nothing vouches for: both months are scored again."""
    bench.write(lambda c: c.execute(text("UPDATE tally_set SET inputs = NULL")))
    weigh(bench, [before], last, Ready())


def _metrics(bench: Bench) -> bytes:
    """The page /metrics after a fresh look."""
    return exposition(asyncio.run(HealthWatch(bench, patience=60).look()))
