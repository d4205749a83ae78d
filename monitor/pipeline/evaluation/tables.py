"""Tables of statements and snippets as CSV, read row by row whatever wrote them."""

import codecs
import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from monitor.errors import MonitorError
from monitor.pipeline.evaluation.cells import MOST_CHARACTERS

COLUMNS = (
    "question", "response", "context_id", "statement_index", "statement", "citations", "snippets",
    "documents",
)  # fmt: skip
"""Columns of a table, by name; there may be others."""
NEEDED = ("question", "statement", "snippets")
"""Columns without which nothing can be judged."""
_DELIMITERS = ",;\t|"
_LONGEST_HEADER = 1_000_000


@dataclass(frozen=True, slots=True)
class Sheet:
    """How a table is written, told from its first line."""

    path: Path
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    """Columns as the file names them."""
    places: Mapping[str, int]
    """Column of ours -> its index."""

    @property
    def absent(self) -> tuple[str, ...]:
        """Columns of ours that the table lacks and that nothing depends on."""
        return tuple(name for name in COLUMNS if name not in self.places)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row: its cells under the header, and what is wrong with it, if anything."""

    number: int
    """Counted from 1, without the header and blank lines."""
    cells: tuple[str, ...]
    """As many as the header has."""
    fault: str | None = None


def read_sheet(path: Path) -> Sheet:
    """The header of a table; MonitorError names the columns that are missing and those found."""
    encoding = _encoding(path)
    with _opened(path, encoding) as text:
        first = text.readline(_LONGEST_HEADER)
    delimiter = max(_DELIMITERS, key=lambda one: (len(_places(_cells(first, one))), one == ","))
    with _opened(path, encoding) as text:
        header = tuple(next(_lines(text, delimiter), ()))
    places = _places(header)
    missing = [name for name in NEEDED if name not in places]
    if missing:
        shown = ", ".join(one.strip()[:40] for one in header[:20]) or "nothing"
        raise MonitorError(
            f"{path}: column {', '.join(missing)} is missing; needed are {', '.join(NEEDED)}; "
            f"found: {shown}"
        )
    return Sheet(path, encoding, delimiter, header, places)


def sheet_rows(sheet: Sheet) -> Iterator[SheetRow]:
    """Rows in order, one at a time; a row that cannot be read carries its fault."""
    width, number = len(sheet.header), 0
    with _opened(sheet.path, sheet.encoding) as text:
        reader = _lines(text, sheet.delimiter)
        next(reader, None)
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield SheetRow(number + 1, ("",) * width, _cut_off(error))
                return
            if cells is None:
                return
            if any(cell.strip() for cell in cells):
                number += 1
                yield SheetRow(number, _fitted(cells, width), _fault(cells, width))


def _cut_off(error: csv.Error) -> str:
    return f"nothing from here on can be read as CSV ({error}); is a quote left open?"


def _fitted(cells: Sequence[str], width: int) -> tuple[str, ...]:
    return (*cells[:width], *[""] * (width - len(cells)))


def _fault(cells: Sequence[str], width: int) -> str | None:
    if len(cells) != width:
        return f"the row has {len(cells)} cells, the header {width}"
    if any("\udc80" <= char <= "\udcff" for cell in cells if not cell.isascii() for char in cell):
        return "the row is not UTF-8; save the file as UTF-8"
    return None


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


@contextmanager
def _opened(path: Path, encoding: str) -> Iterator[TextIO]:
    errors = "replace" if encoding == "utf-16" else "surrogateescape"
    with path.open("r", encoding=encoding, errors=errors, newline="") as text:
        yield text


def _lines(text: TextIO, delimiter: str) -> Iterator[list[str]]:
    """Rows of cells; the limit of a cell, which all readers share, is raised for each row alone."""
    reader = csv.reader(text, delimiter=delimiter)
    while True:
        before = csv.field_size_limit(4 * MOST_CHARACTERS)
        try:
            cells = next(reader)
        except StopIteration:
            return
        finally:
            csv.field_size_limit(before)
        yield cells


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _places(header: Sequence[str]) -> dict[str, int]:
    """Where our columns stand; names are compared without case and spaces around them."""
    found: dict[str, int] = {}
    for place, name in enumerate(header):
        known = name.strip().lower()
        if known in COLUMNS:
            found.setdefault(known, place)
    return found
