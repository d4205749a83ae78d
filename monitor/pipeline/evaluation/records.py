"""Answers with numbered sources, from outcome files of ALCE and from JSON lines of our own."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from monitor.errors import MonitorError
from monitor.pipeline.evaluation.cells import MOST_CHARACTERS, RowError

MOST_ALCE_BYTES = 256 * 1024 * 1024
"""Largest ALCE file: it is one JSON value and read as a whole."""
_MOST_LINE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A text that an answer may point at by its number, from 1."""

    text: str
    title: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One answer to evaluate."""

    number: int
    """Counted from 1 in the file."""
    name: str | int | None
    """Its id in the file."""
    question: str
    answer: str
    sources: tuple[Source, ...]
    shown: bool
    """Whether the answer shows its sources, marked or not; else they are what it could cite."""
    bare: bool = False
    """A claim with passages that all stand behind it, not an answer with markers."""
    short: tuple[tuple[str, ...], ...] | None = None
    """Spellings of each short answer; None where the file has none."""
    listed: tuple[tuple[str, ...], ...] | None = None
    """Spellings of each entry of a list answer."""
    claims: tuple[str, ...] | None = None
    """Claims that a good answer entails."""
    human: str | None = None
    """What a person answered, for fluency."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be read."""

    number: int
    fault: str


_Maker = Callable[[int, Mapping[str, Any]], Record]


def alce_records(
    path: Path, *, qampari: bool = False, cites: bool = True
) -> Iterator[Record | Broken]:
    """Records of an ALCE outcome file, an object with `data` or a bare list.

    Only where its answers are lists is `answers` read, which is theirs; only where citations are
    counted must a record have `docs`.
    """
    size = path.stat().st_size
    if size > MOST_ALCE_BYTES:
        raise MonitorError(
            f"{path}: {size} bytes; an ALCE file is read whole and may have {MOST_ALCE_BYTES}; "
            "split it, or write it as JSON lines (docs/evaluate.md)"
        )
    try:
        whole = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MonitorError(f"{path}: not JSON ({error}); expected an ALCE file") from error
    rows = whole.get("data") if isinstance(whole, dict) else whole
    if not isinstance(rows, list):
        raise MonitorError(
            f"{path}: no list of answers; expected "
            '{"data": [{"question", "output", "docs"}, ...], "args": {...}}'
        )
    make = partial(_alce_record, qampari=qampari, cites=cites)
    return (_one(number, row, make) for number, row in enumerate(rows, 1))


def line_records(path: Path) -> Iterator[Record | Broken]:
    """Records of JSON lines, read one by one; blank lines are passed over."""
    number = 0
    with path.open("rb") as file:
        while line := file.readline(_MOST_LINE_BYTES + 1):
            if not line.strip():
                continue
            number += 1
            if len(line) > _MOST_LINE_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(_MOST_LINE_BYTES)
                yield Broken(number, f"the line has more than {_MOST_LINE_BYTES} bytes")
                continue
            yield _line(number, line)


def _line(number: int, line: bytes) -> Record | Broken:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Broken(number, f"not JSON in UTF-8 ({error}); expected an object a line")
    return _one(number, row, _line_record)


def _one(number: int, row: Any, make: _Maker) -> Record | Broken:
    try:
        if not isinstance(row, dict):
            raise RowError(f"got {type(row).__name__}; expected an object")
        return make(number, row)
    except RowError as error:
        return Broken(number, str(error))


def _alce_record(number: int, row: Mapping[str, Any], *, qampari: bool, cites: bool) -> Record:
    if cites:
        _require(row, "docs", "objects with title and text")
    return Record(
        number=number,
        name=_name(row.get("sample_id", row.get("id"))),
        question=_text(row, "question", ""),
        answer=_text(row, "output"),
        sources=tuple(_document(one) for one in _list(row, "docs")),
        shown=False,
        short=_short(row),
        listed=_groups(row["answers"], "answers") if qampari and _has(row, "answers") else None,
        claims=tuple(_texts(row["claims"], "claims")) if _has(row, "claims") else None,
        human=row["answer"] if isinstance(row.get("answer"), str) else None,
    )


def _line_record(number: int, row: Mapping[str, Any]) -> Record:
    name, question = _name(row.get("id")), _text(row, "question", "")
    if "claim" in row:
        claim = _text(row, "claim")
        _require(row, "passages", "texts")
        passages = _texts(_list(row, "passages"), "passages")
        sources = tuple(Source(one) for one in passages)
        return Record(number, name, question, claim, sources, shown=True, bare=True)
    answer = _text(row, "answer")
    _require(row, "citations", "objects with text")
    sources = tuple(_cited(one) for one in _list(row, "citations"))
    return Record(number, name, question, answer, sources, shown=True)


def _document(one: Any) -> Source:
    """A document of ALCE: `sent` stands before `text` where a file has both."""
    if not isinstance(one, dict):
        raise RowError(f"docs holds a {type(one).__name__}; expected objects with title and text")
    field = "sent" if "sent" in one else "text"
    return Source(_text(one, field), _text(one, "title", ""))


def _cited(one: Any) -> Source:
    if not isinstance(one, dict):
        raise RowError(f"citations holds a {type(one).__name__}; expected objects with text")
    url, title = one.get("url"), one.get("title")
    return Source(
        _text(one, "text", ""),
        title if isinstance(title, str) else None,
        url if isinstance(url, str) else None,
    )


def _short(row: Mapping[str, Any]) -> tuple[tuple[str, ...], ...] | None:
    if not _has(row, "qa_pairs"):
        return None
    pairs = row["qa_pairs"]
    if not isinstance(pairs, list) or not all(isinstance(one, dict) for one in pairs):
        raise RowError("qa_pairs is no list of objects with short_answers")
    return _groups([one.get("short_answers") for one in pairs], "short_answers")


def _groups(read: Any, field: str) -> tuple[tuple[str, ...], ...]:
    """Spellings of each answer; a bare text is a group of one."""
    if not isinstance(read, list):
        raise RowError(f"{field} is {type(read).__name__}; expected a list of lists of texts")
    return tuple(tuple(_texts([one] if isinstance(one, str) else one, field)) for one in read)


def _has(row: Mapping[str, Any], field: str) -> bool:
    return row.get(field) is not None


def _require(row: Mapping[str, Any], field: str, of: str) -> None:
    """RowError where a list is missing: whoever has no source says so with an empty one."""
    if not _has(row, field):
        raise RowError(f"{field} missing; expected a list of {of}, [] where there is none")


def _list(row: Mapping[str, Any], field: str) -> list[Any]:
    found = row.get(field)
    if found is None:
        return []
    if not isinstance(found, list):
        raise RowError(f"{field} is {type(found).__name__}; expected a list")
    return found


def _texts(read: Any, field: str) -> list[str]:
    if not isinstance(read, list) or not all(isinstance(one, str) for one in read):
        raise RowError(f"{field} is no list of texts")
    return read


def _text(row: Mapping[str, Any], field: str, absent: str | None = None) -> str:
    found = row.get(field, absent)
    if not isinstance(found, str):
        raise RowError(f"{field} is {type(found).__name__}; expected text")
    if len(found) > MOST_CHARACTERS:
        raise RowError(
            f"{field} has {len(found)} characters; at most {MOST_CHARACTERS} can be read"
        )
    return found


def _name(found: Any) -> str | int | None:
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None
