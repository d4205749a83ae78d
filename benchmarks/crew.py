"""Real worker processes on a PostgreSQL server of their own, for benchmarks."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import ROOT
from monitor.cli.sandboxed import KEYS, RunningSandbox, sandbox_settings
from monitor.pipeline.bench import Bench
from monitor.store import captures, runs
from monitor.store.workers import ALIVE, list_workers

PATIENCE = 240.0
"""Most seconds for a run to end, or for workers to appear."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Busy:
    """CPU seconds so far; 0 where the system does not tell."""

    workers: float
    database: float

    def __sub__(self, other: "Busy") -> "Busy":
        return Busy(self.workers - other.workers, self.database - other.database)


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers that are at it."""

    processes: "tuple[subprocess.Popen[bytes], ...]"
    log: Path
    server: int
    """Process of the database."""

    @property
    def busy(self) -> Busy:
        """CPU seconds that the workers and the database used so far."""
        return Busy(sum(_busy(one.pid) for one in self.processes), _family_busy(self.server))

    def wait_for_captures(self, bench: Bench, run: runs.Run) -> None:
        """Return once every capture of a run is stored."""
        self._wait(lambda: not bench.read(lambda c: captures.count_open(c, run.id)))

    def wait_for(self, bench: Bench, run: runs.Run) -> runs.Run:
        """The run, once it is done."""
        self._wait(lambda: _load(bench, run).state in runs.FINAL)
        found = _load(bench, run)
        if found.state is not runs.RunState.DONE:
            raise RuntimeError(f"{found.public_id} is {found.state}: {self._said()}")
        return found

    def wait_until_there(self, bench: Bench) -> None:
        """Return once every worker was heard of."""
        ends = time.monotonic() + PATIENCE
        since = bench.clock.now() - ALIVE
        while len(bench.read(lambda c: list_workers(c, since=since))) < len(self.processes):
            if time.monotonic() > ends:
                raise RuntimeError(f"the workers did not start: {self._said()}")
            time.sleep(0.1)

    def _wait(self, happened: Callable[[], bool]) -> None:
        ends = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > ends or any(p.poll() is not None for p in self.processes):
                raise RuntimeError(f"the workers do not go on: {self._said()}")
            time.sleep(0.1)

    def _said(self) -> str:
        return self.log.read_text("utf-8", "replace")[-2000:]


def _load(bench: Bench, run: runs.Run) -> runs.Run:
    return bench.read(lambda c: runs.load_run_by_id(c, run.id))


def _stat(pid: int | str) -> list[str]:
    """What Linux tells of a process, from its state on."""
    return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()


def _busy(pid: int | str) -> float:
    """CPU seconds of a process; 0 where the system does not tell."""
    try:
        words = _stat(pid)
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / _TICKS


def _family_busy(pid: int) -> float:
    """CPU seconds of a process and its children, those that ended included."""
    try:
        words = _stat(pid)
    except OSError:
        return 0.0
    ended = (int(words[13]) + int(words[14])) / _TICKS
    return _busy(pid) + ended + sum(_busy(one) for one in _children(pid))


def _children(pid: int) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if _stat(folder.name)[1] == str(pid):
                yield folder.name


@contextmanager
def working(folder: Path, config: Path, number: int, *, server: int) -> Iterator[Crew]:
    """So many workers for as long as the block runs; only these are ended."""
    log = folder / "workers.txt"
    words = [sys.executable, "-m", "monitor", "worker", "--config", str(config)]
    with log.open("ab") as output:
        processes = tuple(
            subprocess.Popen(
                words, cwd=ROOT, env={**os.environ, **KEYS}, stdout=output, stderr=output
            )
            for _ in range(number)
        )
    try:
        yield Crew(processes, log, server)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def server_settings(
    sandbox: RunningSandbox, folder: Path, database: str, *, places: int
) -> dict[str, Any]:
    """Content of a config.yaml for workers that ask the sandbox, each engine in so many places."""
    content = sandbox_settings(sandbox, folder, folder)
    content["store"]["database"] = database
    content["runner"] = {"name": "pgqueuer"}
    for part in content["engines"].values():
        part["concurrency"] = places
    return content


def written(folder: Path, content: dict[str, Any]) -> Path:
    """The settings as a file."""
    path = folder / "config.yaml"
    path.write_text(json.dumps(content), "utf-8")
    return path
