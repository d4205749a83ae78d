"""Cells of tables that hold lists: JSON, or Python literals as data frames write them."""

import ast
import json
import warnings
from typing import Any

from monitor.errors import MonitorError

MOST_CHARACTERS = 4_000_000
"""Longest cell that is read."""
_MOST_TEXTS = 1_000
_MOST_LITERAL = 1_000_000
"""Longest Python literal: Python's own reader takes some hundred bytes for each character."""
_TEXT_KEYS = ("text", "snippet", "content")
_DEEPEST = 3
_SHOWN = 60
_EXPECTED = 'expected texts in a list, as in ["a text", "another"] or [{"text": "..."}], else []'
_NOTHING = frozenset({"", "null", "none", "nan"})
"""How programs write that a cell has no list."""


class RowError(MonitorError):
    """A row cannot be evaluated; the text says what is wrong with it."""


def texts_of(cell: str, column: str) -> tuple[str, ...]:
    """Texts of a list cell; an empty cell and `[]` hold none. RowError where it is no list.

    Lists in lists are one list; an object counts by its field text, snippet or content.
    """
    if len(cell) > MOST_CHARACTERS:
        raise RowError(
            f"{column} has {len(cell)} characters; at most {MOST_CHARACTERS} can be read"
        )
    if cell.strip().lower() in _NOTHING:
        return ()
    found = _flat(_read(cell.strip(), column), column, 0)
    if len(found) > _MOST_TEXTS:
        raise RowError(f"{column} holds {len(found)} texts; at most {_MOST_TEXTS} can be judged")
    return tuple(found)


def _read(cell: str, column: str) -> list[Any]:
    try:
        read = json.loads(cell)
    except (ValueError, RecursionError):
        read = _literal(cell, column)
    if not isinstance(read, list | tuple):
        raise RowError(f"{column} is no list: {_cut(cell)}; {_EXPECTED}")
    return list(read)


def _literal(cell: str, column: str) -> Any:
    """A Python literal; nothing in it is run."""
    if len(cell) > _MOST_LITERAL:
        raise RowError(
            f"{column} is no JSON and has {len(cell)} characters; a Python list may have "
            f"{_MOST_LITERAL}"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise RowError(
            f"{column} is neither a JSON nor a Python list of texts: {_cut(cell)}; {_EXPECTED}"
        ) from error


def _flat(read: list[Any], column: str, depth: int) -> list[str]:
    found: list[str] = []
    for one in read:
        if isinstance(one, list | tuple) and depth < _DEEPEST:
            found.extend(_flat(list(one), column, depth + 1))
        else:
            found.append(_text(one, column))
    return found


def _text(one: Any, column: str) -> str:
    if isinstance(one, dict):
        one = next((one[key] for key in _TEXT_KEYS if key in one), None)
    if not isinstance(one, str):
        raise RowError(f"{column} holds a {type(one).__name__}; {_EXPECTED}")
    return one


def _cut(cell: str) -> str:
    """A cell as a message repeats it."""
    return repr(cell if len(cell) <= _SHOWN else f"{cell[:_SHOWN]}...")
