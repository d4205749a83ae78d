"""Labels that annotators gave, read from CSV or JSON lines: one row a label."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from typing import Any

from monitor.errors import MonitorError
from monitor.statistics import Level

COLUMNS = ("subject", "annotator", "label")
MOST_LABELS = 200
"""Different labels: more are no scale, and make no agreement worth telling."""
MOST_ROWS = 100_000
"""Rows: more make a person no surer, and their resamples take hours; a sample says the same."""
MOST_ANNOTATORS = 100
"""Names: more are a wrong column, and would make a table that fits no memory."""
MOST_PROBLEMS = 20
"""Problems named at once; the rest is counted."""
_SHOWN = 80
"""Characters of a cell that a message repeats."""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label of one annotator for one subject."""

    line: int
    subject: str
    annotator: str
    label: str | None
    """None where the annotator gave none."""
    answer: str
    """What the subject stands in; by itself where the file names no answers."""


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels as a table of annotators x subjects, labels as numbers."""

    annotators: tuple[str, ...]
    subjects: tuple[str, ...]
    scale: tuple[str, ...]
    """Labels in order; of a nominal level by name."""
    values: tuple[float, ...]
    """The number of each label in `scale`."""
    ratings: tuple[tuple[float | None, ...], ...]
    """One row an annotator; None where there is no label."""
    answers: tuple[int, ...]
    """Number of each subject's answer."""
    given: int
    """Labels in the table; all other cells are missing."""

    @property
    def missing(self) -> int:
        """Cells of the table without a label."""
        return len(self.annotators) * len(self.subjects) - self.given


def read_labels(
    content: bytes, *, source: str, level: Level = Level.NOMINAL, order: Sequence[str] = ()
) -> Labels:
    """Labels of a file in UTF-8; MonitorError names up to twenty wrong lines at once.

    A first character `{` makes it JSON lines, else it is CSV with a header; `;` and tabs may part
    its columns. `order` names ordinal labels from least to most.
    """
    _check_order(level, order)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MonitorError(f"{source}: byte {error.start} is not UTF-8; save it as UTF-8") from None
    rows: list[LabelRow] = []
    problems: list[str] = []
    found = _json_rows(text) if text.lstrip()[:1] in {"{", "["} else _csv_rows(text)
    for one in found:
        if isinstance(one, LabelRow):
            rows.append(one)
        else:
            problems.append(one)
    problems += _contradictions(rows)
    values = _values(rows, level, order, problems)
    problems += _too_many(rows, values)
    if not rows and not problems:
        problems.append(f"no labels; expected rows of {', '.join(COLUMNS)}")
    if problems:
        raise MonitorError(_told(source, problems))
    return _table(rows, values)


def _too_many(rows: Sequence[LabelRow], values: Mapping[str, float]) -> Iterator[str]:
    """What there is more of than an agreement can be made of."""
    if len(values) > MOST_LABELS:
        yield f"{len(values)} different labels; expected at most {MOST_LABELS}"
    if (count := len({row.annotator for row in rows})) > MOST_ANNOTATORS:
        yield f"{count} annotators; expected at most {MOST_ANNOTATORS}: is it the right column?"
    if len(rows) > MOST_ROWS:
        yield f"{len(rows)} rows; expected at most {MOST_ROWS}: draw a sample of the answers"


def _shown(text: str) -> str:
    """A cell as a message repeats it."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _check_order(level: Level, order: Sequence[str]) -> None:
    """An order belongs to ordinal labels and names each of them once."""
    if order and level is not Level.ORDINAL:
        raise MonitorError(f"--order is for ordinal labels; got --level {level}: leave one out")
    if len(set(order)) < len(order) or "" in order:
        raise MonitorError(f"--order {','.join(order)}: expected every label once, least to most")


def _told(source: str, problems: Sequence[str]) -> str:
    """Problems of a file, one a line."""
    lines = [f"{source}: {problem}" for problem in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"{source}: and {len(problems) - MOST_PROBLEMS} more")
    return "\n".join(lines)


def _json_rows(text: str) -> Iterator[LabelRow | str]:
    """Rows of JSON lines, and what is wrong with the others."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            read = json.loads(line, parse_constant=_refused)
        except (ValueError, RecursionError):
            yield f"line {number}: not JSON; expected one object a line"
            continue
        if not isinstance(read, dict):
            yield f"line {number}: got {type(read).__name__}; expected one object a line"
        elif missing := [name for name in COLUMNS if name not in read]:
            yield f"line {number}: no {missing[0]}; expected {', '.join(COLUMNS)}"
        else:
            yield _row(number, {name: read.get(name) for name in (*COLUMNS, "answer")})


def _refused(constant: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError(constant)


def _csv_rows(text: str) -> Iterator[LabelRow | str]:
    """Rows of CSV, and what is wrong with the others."""
    header = text.partition("\n")[0]
    marks = [mark for mark in (",", ";", "\t") if mark in header]
    lines = StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=marks[0] if marks else ",", strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        if wrong := _wrong_header(names):
            yield f"line 1: {wrong}; expected {', '.join(COLUMNS)}[, answer]"
            return
        for cells in reader:
            if cells and len(cells) != len(names):
                yield f"line {reader.line_num}: {len(cells)} cells; the header has {len(names)}"
            elif cells:
                read = dict(zip(names, cells, strict=True))
                yield _row(reader.line_num, {n: read.get(n) for n in (*COLUMNS, "answer")})
    except csv.Error as error:
        yield f"line {reader.line_num}: not CSV ({error}); expected quotes around cells in pairs"


def _wrong_header(names: Sequence[str]) -> str | None:
    """What is wrong with the names of columns; None where nothing is."""
    for name in (*COLUMNS, "answer"):
        if names.count(name) > 1:
            return f"column {name} stands there {names.count(name)} times"
        if name in COLUMNS and name not in names:
            return f"no column {name}, got {_shown(', '.join(names)) or 'nothing'}"
    return None


def _row(line: int, read: Mapping[str, Any]) -> LabelRow | str:
    """One row, or what is wrong with it."""
    cells = {name: _cell(value) for name, value in read.items()}
    for name, cell in cells.items():
        if cell is None:
            return (
                f"line {line}: {name} is a {type(read[name]).__name__}; expected text or a number"
            )
    for name in ("subject", "annotator"):
        if not cells[name]:
            return f"line {line}: {name} is empty; expected a name"
    subject = str(cells["subject"])
    answer = cells["answer"] or f"subject {subject}"
    return LabelRow(line, subject, str(cells["annotator"]), cells["label"] or None, str(answer))


def _cell(value: Any) -> str | None:
    """Text of a cell, empty for none; None for what is no label and no name."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip() if isinstance(value, str | int | float) else None


def _contradictions(rows: Sequence[LabelRow]) -> list[str]:
    """Subjects labelled twice by one annotator, and subjects in two answers."""
    labelled: dict[tuple[str, str], LabelRow] = {}
    placed: dict[str, LabelRow] = {}
    problems = []
    for row in rows:
        first = labelled.setdefault((row.subject, row.annotator), row)
        if first is not row:
            problems.append(
                f"line {row.line}: {_shown(row.annotator)} labelled {_shown(row.subject)} already "
                f"on line {first.line}; expected one label"
            )
        home = placed.setdefault(row.subject, row)
        if home.answer != row.answer:
            problems.append(
                f"line {row.line}: {_shown(row.subject)} stands in answer {_shown(row.answer)}, "
                f"on line {home.line} in {_shown(home.answer)}; expected one answer"
            )
    return problems


def _values(
    rows: Sequence[LabelRow], level: Level, order: Sequence[str], problems: list[str]
) -> dict[str, float]:
    """Number of every label, in order; labels that have none are added to the problems."""
    first: dict[str, int] = {}
    for row in rows:
        if row.label is not None:
            first.setdefault(row.label, row.line)
    if level is Level.NOMINAL:
        return {label: float(place) for place, label in enumerate(sorted(first))}
    if order:
        problems += [
            f"line {line}: label {_shown(label)!r} is not in --order {_shown(','.join(order))}"
            for label, line in first.items()
            if label not in order
        ]
        return {label: float(place) for place, label in enumerate(order)}
    numbers = {label: _number(label) for label in first}
    hint = "; words need --order, least to most" if level is Level.ORDINAL else ""
    problems += [
        f"line {first[label]}: label {_shown(label)!r} is no number; expected numbers{hint}"
        for label, number in numbers.items()
        if number is None
    ]
    known = {label: number for label, number in numbers.items() if number is not None}
    return dict(sorted(known.items(), key=lambda pair: pair[1]))


def _number(label: str) -> float | None:
    """A finite number, or None."""
    try:
        number = float(label)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _table(rows: Sequence[LabelRow], values: Mapping[str, float]) -> Labels:
    """Annotators by name, subjects and answers as they first come."""
    annotators = tuple(sorted({row.annotator for row in rows}))
    answer_of = {row.subject: row.answer for row in rows}
    places = {answer: place for place, answer in enumerate(dict.fromkeys(answer_of.values()))}
    cells = {(r.annotator, r.subject): values[r.label] for r in rows if r.label is not None}
    return Labels(
        annotators,
        tuple(answer_of),
        tuple(values),
        tuple(values.values()),
        tuple(tuple(cells.get((a, subject)) for subject in answer_of) for a in annotators),
        tuple(places[answer] for answer in answer_of.values()),
        len(cells),
    )
