"""What a file holds: its format, told from its first bytes, and its rows as work for a judge."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from monitor.errors import MonitorError
from monitor.pipeline.evaluation.answers import (
    ANSWER_BEHIND,
    CITATIONS,
    INPUTS,
    Choice,
    evaluate_record,
)
from monitor.pipeline.evaluation.asking import Asking
from monitor.pipeline.evaluation.evaluated import Evaluated
from monitor.pipeline.evaluation.records import Broken, Record, alce_records, line_records
from monitor.pipeline.evaluation.snippets import BEHIND, CELLS, evaluate_row
from monitor.pipeline.evaluation.tables import Sheet, read_sheet, sheet_rows

_FIRST = 65_536


class Format(StrEnum):
    """How a file is written."""

    CSV = "csv"
    ALCE = "alce"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be evaluated."""

    path: Path
    format: Format
    choice: Choice
    sheet: Sheet | None
    """None for formats that are no table."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Input columns of the table that is written."""
        return INPUTS if self.sheet is None else self.sheet.header

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of its measures."""
        return (*self.choice.columns, "failure") if self.sheet is None else CELLS

    @property
    def behind(self) -> tuple[str, ...]:
        """Columns behind what the row took."""
        return ANSWER_BEHIND if self.sheet is None else BEHIND

    def works(self) -> Iterator[Asking[Evaluated]]:
        """One piece of work for each row, in order."""
        if self.sheet is not None:
            return (evaluate_row(self.sheet, row) for row in sheet_rows(self.sheet))
        return (evaluate_record(record, self.choice) for record in self._records())

    def count(self) -> int:
        """Rows in the file."""
        if self.sheet is not None:
            return sum(1 for _ in sheet_rows(self.sheet))
        return sum(1 for _ in self._records())

    def _records(self) -> Iterator[Record | Broken]:
        if self.format is Format.ALCE:
            cites = CITATIONS in self.choice.groups
            return alce_records(self.path, qampari=self.choice.qampari, cites=cites)
        return line_records(self.path)

    def sha256(self) -> str:
        """Hash of its bytes."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def open_source(path: Path, wanted: Format | None, choice: Choice) -> Source:
    """The file at a path, in the format that was named or else the one it looks like."""
    if not path.is_file():
        raise MonitorError(f"{str(path)[:200]}: no such file")
    found = wanted or _looks_like(path)
    if found is Format.CSV:
        return Source(path, found, choice, read_sheet(path))
    return Source(path, found, choice, None)


def _looks_like(path: Path) -> Format:
    with path.open("rb") as file:
        start = file.read(_FIRST).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] == b"[":
        return Format.ALCE
    if start[:1] != b"{":
        return Format.CSV
    return Format.ALCE if _is_alce(start) else Format.JSONL


def _is_alce(start: bytes) -> bool:
    """Whether the first object goes on behind its line, or holds a list of outcomes."""
    line, ended, _ = start.partition(b"\n")
    try:
        first: Any = json.loads(line)
    except (ValueError, RecursionError):
        # A long first line of JSON lines is cut here: its fields say whether it is one.
        return ended != b"" or not any(one in start[:200] for one in (b'"id"', b'"claim"'))
    return isinstance(first, dict) and "data" in first
