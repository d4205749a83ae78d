"""What a person sees while work goes on: bars on a terminal, lines elsewhere."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from monitor.report.digest import plain
from monitor.report.words import visible


class _Screen(Console):
    """A console on which no text can steer a terminal, whoever wrote it."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts with their control characters visible."""
        super().print(*(visible(o) if isinstance(o, str) else o for o in objects), **options)


OUT = _Screen(
    # Names are printed as they are: `run:tea:2026-01` holds no picture, `[x]` no style.
    emoji=False,
    markup=False,
    highlight=False,
    soft_wrap=True,
    width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 200,
)
"""Standard output; where nobody watches, lines are long rather than folded."""


class _Rate(ProgressColumn):
    """How many a second."""

    def render(self, task: Task) -> Text:
        """The mean of the last seconds."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


class _Cost(ProgressColumn):
    """Money so far, beside the captures."""

    def __init__(self) -> None:
        super().__init__()
        self._micros: Callable[[], int] | None = None
        self._shown = ""
        self._asked = 0.0

    def watch(self, micros: Callable[[], int]) -> None:
        """Take the function that knows."""
        self._micros = micros

    def text(self) -> str:
        """What is spent now, or nothing where nobody knows."""
        return "" if self._micros is None else f"{self._micros() / 1e6:.4f} USD"

    def render(self, task: Task) -> Text:
        """The figure of at most a second ago."""
        if task.description != "captures":
            return Text("")
        if time.monotonic() - self._asked > 1:
            self._shown, self._asked = self.text(), time.monotonic()
        return Text(self._shown)


class Bars:
    """Progress of stages; call it with (stage, done, total)."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._live = self._console.is_terminal
        self._tasks: dict[str, TaskID] = {}
        self._ended: set[str] = set()
        self._begun: dict[str, float] = {}
        self._unended: dict[str, tuple[int, int]] = {}
        self._cost = _Cost()
        self._progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            self._cost,
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=False,
        )

    def watch_cost(self, micros: Callable[[], int]) -> None:
        """Show what `micros` gives, in USD, beside the bars; asked about once a second."""
        self._cost.watch(micros)

    def __enter__(self) -> Self:
        """Start drawing."""
        if self._live:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop drawing."""
        if self._live:
            self._progress.stop()
        for stage, (done, total) in self._unended.items():
            self._say(stage, done, total)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw how far a stage is."""
        if not self._live:
            self._begun.setdefault(stage, time.monotonic())
            self._unended.pop(stage, None)
            if total and done >= total and stage not in self._ended:
                self._ended.add(stage)
                self._say(stage, done, total)
            if done < total:
                self._ended.discard(stage)
                self._unended[stage] = (done, total)
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total)

    def _say(self, stage: str, done: int, total: int) -> None:
        """One line on how far a stage came."""
        seconds = time.monotonic() - self._begun[stage]
        spent = self._cost.text() if stage == "captures" else ""
        cost = f", {spent}" if spent else ""
        line = f"  {stage}: {done} of {total} in {seconds:.0f} s{cost}"
        print(line, file=sys.stderr, flush=True)


def table(
    title: str, columns: tuple[str, ...], rows: Sequence[Sequence[str]], *, texts: int = 1
) -> None:
    """Print a plain table; the first columns are texts, the rest are right-aligned.

    A cell is one line without control characters, and no longer than a person reads.
    """
    drawn = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for index, name in enumerate(columns):
        drawn.add_column(name, justify="left" if index < texts else "right", overflow="fold")
    for row in rows:
        drawn.add_row(*map(plain, row))
    OUT.print(drawn)
