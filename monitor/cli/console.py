"""What a person sees while work goes on: bars on a terminal, lines elsewhere."""

import os
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

OUT = Console(
    # Names are printed as they are: `run:tea:2026-01` holds no picture, `[x]` no style.
    emoji=False,
    markup=False,
    highlight=False,
    soft_wrap=True,
    width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 200,
)
"""Standard output; where nobody watches, lines are long rather than folded."""


class Bars:
    """Progress of stages; call it with (stage, done, total)."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._live = self._console.is_terminal
        self._tasks: dict[str, TaskID] = {}
        self._ended: set[str] = set()
        self._progress = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=False,
        )

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

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw how far a stage is."""
        if not self._live:
            if total and done >= total and stage not in self._ended:
                self._ended.add(stage)
                print(f"  {stage}: {done} of {total}", file=sys.stderr, flush=True)
            if done < total:
                self._ended.discard(stage)
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total)


def table(title: str, columns: tuple[str, ...], rows: Sequence[Sequence[str]]) -> None:
    """Print a plain table; the first column is text, the rest are right-aligned."""
    drawn = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for index, name in enumerate(columns):
        drawn.add_column(name, justify="left" if index == 0 else "right", overflow="fold")
    for row in rows:
        drawn.add_row(*row)
    OUT.print(drawn)
