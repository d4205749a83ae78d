"""Memory of 200 live captures in one process: ours and the browser's, every 20 captures.

The pages are the replica's (`tests/replica`), on loopback: answers with pictures and panels, walls,
a long answer, a request that never ends. Everything is stored in a folder as in earnest. Resident
memory is summed over the browser's processes, so what they share counts more than once.
"""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Outcome, Ratio
from monitor.capture.live.patience import Patience
from monitor.store import StoredArtifacts, open_artifacts
from tests.live import LiveReplica
from tests.replica.modes import MODES, Times
from tests.replica.server import Replica

CAPTURES = 200
EVERY = 20
PATIENCE = Patience(
    navigate=10, ready=10, first_text=10, complete=20, panel=5, whole=60, stable=0.1
)
ROUND = (
    "normal", "inner_scroller", "login_wall", "hover_popover", "lazy_tab", "late_wall",
    "shadow_dom", "hidden_chips", "endless_poll", "cookie_dialog",
)  # fmt: skip
"""Modes of the replica, in turns."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """What was in use after so many captures."""

    captures: int
    own: float
    """MiB of this process."""
    browser: float
    """MiB of all its children: Playwright's driver and the browser."""
    contexts: int
    pages: int

    @property
    def total(self) -> float:
        """MiB of all."""
        return self.own + self.browser

    def __str__(self) -> str:
        return (
            f"  {self.captures:3d} captures: {self.total:5.0f} MiB ({self.own:.0f} here, "
            f"{self.browser:.0f} browser), {self.contexts} contexts and {self.pages} pages open"
        )


def run() -> Outcome:
    """The curve, the last sample over the first, and what was left open."""
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder, _replica() as replica:
        samples, strays = asyncio.run(_curve(replica, open_artifacts(f"{folder}/artifacts")))
    first, last = samples[0], samples[-1]
    ratios = (
        Ratio(f"memory after {CAPTURES} captures over {EVERY}", last.total / first.total, 1.5),
        Ratio(f"of this process, {CAPTURES} over {EVERY}", last.own / first.own, 1.5),
        Ratio("contexts left open at most", max(s.contexts for s in samples), 0, unit=""),
        Ratio("pages left open at most", max(s.pages for s in samples), 0, unit=""),
        Ratio("captures of another outcome than their mode's", len(strays), 0, unit=""),
    )
    return Outcome((*map(str, samples), *strays), ratios)


def _replica() -> Replica:
    return Replica(times=Times(step=5, pause=50, gap=20))


async def _curve(
    replica: Replica, artifacts: StoredArtifacts
) -> tuple[list[Sample], tuple[str, ...]]:
    """Samples of all captures, one after the other, and captures that came to something else."""
    live = LiveReplica(patience=PATIENCE)
    samples, strays = [], []
    try:
        for number in range(CAPTURES):
            mode = ROUND[number % len(ROUND)]
            found = await live.capture(replica.at(mode), artifacts=artifacts)
            if found.reading.outcome is not MODES[mode].expected.outcome:
                strays.append(f"capture {number + 1}, {mode}: {found.reading.outcome}")
            if (number + 1) % EVERY == 0:
                samples.append(_sample(number + 1, live))
    finally:
        await live.close()
    return samples, tuple(strays)


def _sample(captures: int, live: LiveReplica) -> Sample:
    contexts = live.contexts
    children = sum(map(_resident, _below(os.getpid())))
    return Sample(
        captures,
        _resident(os.getpid()),
        children,
        len(contexts),
        sum(len(one.pages) for one in contexts),
    )


def _resident(pid: int) -> float:
    """MiB of a process; 0 where it has just ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * _PAGE / 2**20
    except (OSError, IndexError):
        return 0.0


def _below(pid: int) -> Iterator[int]:
    """All descendants of a process, by the parents that processes name."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in brackets may hold anything, spaces too.
            parent = int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    waiting = [pid]
    while waiting:
        several = children.get(waiting.pop(), [])
        waiting += several
        yield from several
