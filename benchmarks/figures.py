"""What a benchmark prints: ratios against their bars, absolutes, peak memory."""

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Ratio:
    """One figure that does not depend on how fast the machine is, and its bar."""

    name: str
    value: float
    bar: float
    at_least: bool = False
    """Whether the bar is a floor; otherwise it is a ceiling."""
    unit: str = "x"

    @property
    def met(self) -> bool:
        """Whether the figure keeps its bar."""
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def __str__(self) -> str:
        word = "at least" if self.at_least else "at most"
        value = f"{self.value:.0f}" if float(self.value).is_integer() else f"{self.value:.3f}"
        return (
            f"{self.name}: {value}{self.unit}, bar {word} {self.bar:g}{self.unit}: {self._verdict}"
        )

    @property
    def _verdict(self) -> str:
        return "met" if self.met else "MISSED"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything one benchmark found."""

    absolutes: tuple[str, ...]
    ratios: tuple[Ratio, ...]
    table: tuple[str, ...] = ()
    """Lines for the documentation, the same at each run: no times."""


def seconds(work: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def busy_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call over all threads: what growth is held to on a machine in use."""
    started = time.process_time()
    work()
    return time.process_time() - started


def alternating(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Best wall seconds of each work, run in turns so that noise meets all of them."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            best[index] = min(best[index], seconds(work))
    return best


def peak_mib() -> float:
    """Highest resident memory of this process so far, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def write_table(name: str, outcome: Outcome, page: Path = ROOT / "docs" / "statistics.md") -> None:
    """Put a benchmark's table and bars between its marks on a page; nothing where it has none."""
    if not outcome.table:
        return
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(first)
    _, ended, after = rest.partition(last)
    if not found or not ended:
        raise ValueError(f"{page} has no place between {first} and {last}: add both lines")
    bars = "\n".join(f"- {ratio}" for ratio in outcome.ratios)
    body = "\n\n".join((first, "\n".join(outcome.table).strip(), bars, last))
    page.write_text(before + body + after, encoding="utf-8")


def corpora() -> Path:
    """Folder of the outside truth; may be absent."""
    return Path(os.environ.get("MONITOR_CORPORA", ROOT.parent / "shared"))


@contextmanager
def printed(name: str) -> Iterator[list[Outcome]]:
    """Print a benchmark's outcome once its block left one in the list."""
    print(f"{name}  ({os.cpu_count()} cores, load {os.getloadavg()[0]:.1f})", flush=True)
    found: list[Outcome] = []
    yield found
    for outcome in found:
        for line in (*outcome.absolutes, *map(str, outcome.ratios)):
            print(f"  {line}")
    print(f"  peak memory {peak_mib():.0f} MiB", flush=True)
