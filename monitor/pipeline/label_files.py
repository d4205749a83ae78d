"""Files of drawn pairs that people filled in, read with every problem by row and pair."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from typing import Any

from monitor.domain.claim import Support
from monitor.errors import MonitorError
from monitor.report.csv import FORMULA
from monitor.store.support_labels import DrawnPair, LabelDraw, SupportLabel

SUPPORTS = tuple(one.value for one in Support)
"""What a person may write under `support`."""

MOST_ROWS = 100_000
MOST_PROBLEMS = 20
"""Problems named at once; the rest is counted."""
_LONGEST = {"annotator": 100, "note": 4_000, "guideline": 64}
_EXPORTED = ("guideline", "labelled_at", "seconds")
"""Columns of an export that a draw's own file lacks."""
_LONGEST_LOOK = 86_400
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Filled:
    """The labels of a filled file."""

    labels: tuple[SupportLabel, ...]
    blank: int
    """Rows without a support: not labelled."""


def read_filled(
    content: bytes,
    draws: Sequence[LabelDraw],
    *,
    source: str,
    guideline: str | None,
    annotator: str | None,
) -> Filled:
    """Labels of a filled file; MonitorError names up to twenty wrong rows, none is taken then.

    A first character `{` makes it JSON lines, else it is CSV with a header; `;` and tabs may part
    its columns. `annotator` and `guideline` stand where a row names none.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MonitorError(f"{source}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    known = {pair.name: pair for draw in draws for pair in draw.pairs}
    found = _json_rows(text) if text.lstrip()[:1] == "{" else _csv_rows(text)
    labels: list[SupportLabel] = []
    problems: list[str] = []
    first: dict[tuple[str, str], int] = {}
    blank = rows = 0
    for row, line, read in found:
        rows += 1
        made = read if isinstance(read, str) else _label(read, known, guideline, annotator)
        if made is None:
            blank += 1
            continue
        if not isinstance(made, str):
            before = first.setdefault((made.pair.identity, made.annotator), row)
            if before == row:
                labels.append(made)
                continue
            made = f"{_cut(made.annotator)} labelled this pair in row {before} already"
        problems.append(f"{source}: {_place(row, line, read)}: {made}")
    if not rows:
        problems.append(f"{source}: no rows; expected a file that `monitor labels draw` wrote")
    if problems:
        more = len(problems) - MOST_PROBLEMS
        tail = [f"{source}: and {more} more"] if more > 0 else []
        raise MonitorError("\n".join([*problems[:MOST_PROBLEMS], *tail, "nothing was stored"]))
    return Filled(tuple(labels), blank)


def _place(row: int, line: int, read: Mapping[str, Any] | str) -> str:
    """Which row is meant, counted below the header, and its pair; the line where it has none."""
    if isinstance(read, str):
        return f"row {row}, line {line}" if row else f"line {line}"
    pair = read.get("pair")
    return f"row {row}, pair {_cut(pair)}" if isinstance(pair, str) and pair else f"row {row}"


def _label(
    read: Mapping[str, Any],
    known: Mapping[str, DrawnPair],
    guideline: str | None,
    annotator: str | None,
) -> SupportLabel | str | None:
    """The label of one row, what is wrong with it, or None where nobody filled it in."""
    cells: dict[str, str] = {}
    for name in ("pair", "claim", "support", "annotator", "note", *_EXPORTED):
        value = read.get(name)
        if name == "seconds" and isinstance(value, int | float):
            value = str(value)
        if not isinstance(value, str | None):
            return f"{name} is a {type(value).__name__}; expected text"
        cells[name] = (value or "").strip()
        if len(cells[name]) > _LONGEST.get(name, len(cells[name])):
            return f"{name} has {len(cells[name])} characters; expected at most {_LONGEST[name]}"
    drawn = known.get(cells["pair"])
    if drawn is None:
        return (
            f"pair {_cut(cells['pair'])!r} was not drawn from this panel; expected the `pair` of a "
            "file that `monitor labels draw` wrote, unchanged"
        )
    if cells["claim"] and _plain(cells["claim"]) != _plain(drawn.claim):
        return (
            f"the claim is not that of pair {drawn.name}; were columns sorted apart from each "
            "other? Take the rows as they were drawn"
        )
    if not cells["support"]:
        return None
    support = cells["support"].lower().replace(" ", "_").replace("-", "_")
    if support not in SUPPORTS:
        return f"support {_cut(cells['support'])!r}; expected one of {', '.join(SUPPORTS)}"
    who = cells["annotator"] or annotator
    if not who:
        return "no annotator; fill the column or name one with --annotator"
    by = cells["guideline"] or guideline
    if not by:
        return "no guideline; fill the column or name its version with --guideline"
    try:
        at, seconds = _when(cells["labelled_at"]), _seconds(cells["seconds"])
    except ValueError as error:
        return str(error)
    return SupportLabel(
        drawn.pair, drawn.claim, drawn.evidence, Support(support), who, by, cells["note"] or None,
        labelled_at=at, seconds=seconds,
    )  # fmt: skip


def _when(text: str) -> datetime | None:
    """When a label was given; ValueError for what is no moment with a zone."""
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise ValueError(f"labelled_at {_cut(text)!r}; expected such as 2026-12-01T09:30:00+00:00")
    return at


def _seconds(text: str) -> float | None:
    """How long the annotator looked; ValueError for what is no time."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < _LONGEST_LOOK:
        raise ValueError(f"seconds {_cut(text)!r}; expected a number of seconds, or nothing")
    return seconds


def _plain(text: str) -> str:
    """A claim without what a spreadsheet adds or takes: a leading quote, and kinds of blanks."""
    return " ".join(text.replace("\ufffd", "").removeprefix("'").split())


def _written(cell: str) -> str:
    """A cell without the quote that keeps a spreadsheet from running it."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell


def _cut(text: str) -> str:
    """A cell as a message repeats it."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _json_rows(text: str) -> Iterator[tuple[int, int, Mapping[str, Any] | str]]:
    """Objects of JSON lines with their row and line, and what is wrong with the others."""
    row = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        row += 1
        try:
            read = json.loads(line)
        except (ValueError, RecursionError):
            yield row, number, "not JSON; expected one object a line"
            continue
        is_row = isinstance(read, dict) and "pair" in read
        yield row, number, read if is_row else "expected an object with `pair` and `support`"


def _csv_rows(text: str) -> Iterator[tuple[int, int, Mapping[str, Any] | str]]:
    """Rows of CSV, each with its number and first line, and what is wrong with the others.

    Rows are counted from 1 below the header, blank ones too, as a spreadsheet does.
    """
    header = text.partition("\n")[0]
    marks = [mark for mark in (",", ";", "\t") if mark in header]
    reader = csv.reader(StringIO(text, newline=""), delimiter=marks[0] if marks else ",")
    begins, row = 1, 0
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        for name in ("pair", "support"):
            if names.count(name) != 1:
                yield (
                    0,
                    1,
                    f"expected one column `{name}`, got {_cut(', '.join(names)) or 'nothing'}",
                )
                return
        begins = reader.line_num + 1
        for row, cells in enumerate(reader, 1):
            if row > MOST_ROWS:
                yield row, begins, f"more than {MOST_ROWS} rows"
                return
            if any(cells) and len(cells) > len(names):
                yield row, begins, f"{len(cells)} cells; the header has {len(names)}"
            elif any(cells):
                # Spreadsheets leave out empty cells at the end of a row.
                padded = [*map(_written, cells), *[""] * (len(names) - len(cells))]
                yield row, begins, dict(zip(names, padded, strict=True))
            begins = reader.line_num + 1
    except csv.Error as error:
        yield row + 1, begins, f"not CSV ({error}); expected quotes around cells in pairs"
