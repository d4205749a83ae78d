"""The two files an evaluation writes; neither is there before it is whole."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from monitor.pipeline.evaluation.book import Used
from monitor.pipeline.evaluation.evaluated import Evaluated
from monitor.pipeline.evaluation.totals import usage_json
from monitor.report.csv import Cell, to_csv

JSON_NAME = "output_data_with_usage.json"
CSV_NAME = "output_data_with_usage_and_metrics.csv"
_TOOK = ("input_tokens", "output_tokens", "cost")


class Outputs:
    """Both files, written row by row under another name until `end`."""

    def __init__(
        self,
        folder: Path,
        inputs: Sequence[str],
        columns: Sequence[str],
        behind: Sequence[str] = (),
    ) -> None:
        """Columns of the input, those of the measures, what they took, and those behind all."""
        own = (*columns, *_TOOK, *behind)
        taken = [name.strip().lower() for name in own]
        kept = [f"input_{one}" if one.strip().lower() in taken else one for one in inputs]
        self._header = (*kept, *own)
        self._columns = tuple(columns)
        self._behind = tuple(behind)
        self._folder = folder
        self._json = _fresh(folder / f"{JSON_NAME}.part", "ascii")
        self._csv = _fresh(folder / f"{CSV_NAME}.part", "utf-8")
        self._head = to_csv(self._header, ())
        self._csv.write(self._head)
        self._rows = 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take away what was not ended."""
        for file in (self._json, self._csv):
            file.close()
            Path(file.name).unlink(missing_ok=True)

    def begin(self, head: Mapping[str, Any]) -> None:
        """What all rows share."""
        shared = "".join(f"{json.dumps(k)}: {_dumped(v)},\n" for k, v in head.items())
        self._json.write("{" + shared + '"rows": [')

    def add(self, rows: Iterable[tuple[Evaluated, Used]]) -> None:
        """Rows with what their verdicts took."""
        cells: list[tuple[Cell, ...]] = []
        for one, used in rows:
            cost = used.micros / 1_000_000
            told = {**one.told, "usage": usage_json(used), "cost": cost}
            self._json.write(f"{',' if self._rows else ''}\n{_dumped(told)}")
            self._rows += 1
            cells.append(
                (
                    *one.inputs,
                    *(one.measures[name] for name in self._columns),
                    used.input_tokens,
                    used.output_tokens,
                    f"{cost:.6f}",
                    *(one.measures[name] for name in self._behind),
                )
            )
        self._csv.write(to_csv(self._header, cells)[len(self._head) :])

    def end(self, totals: Mapping[str, Any]) -> tuple[Path, Path]:
        """Close both files and give them their names."""
        rest = "".join(f",\n{json.dumps(k)}: {_dumped(v)}" for k, v in totals.items())
        self._json.write(f"\n]{rest}}}\n")
        made = []
        for file, name in ((self._json, JSON_NAME), (self._csv, CSV_NAME)):
            file.flush()
            os.fsync(file.fileno())
            file.close()
            made.append(Path(file.name).replace(self._folder / name))
        return made[0], made[1]


def _fresh(path: Path, encoding: str) -> TextIO:
    """A new file; what an evaluation that was killed left under the name is taken away first.

    A link there would have its target written over.
    """
    path.unlink(missing_ok=True)
    return path.open("x", encoding=encoding, newline="")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
