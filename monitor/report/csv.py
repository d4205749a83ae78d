"""Rows as comma-separated text that a spreadsheet shows and never runs.

RFC 4180 (Shafranovich, 2005) for the form; OWASP ASVS 1.2.10 for cells that look like formulas.
"""

import math
import re
from collections.abc import Iterable, Sequence

Cell = str | int | float | None

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""How a cell begins that a spreadsheet would run."""
_BLANK = " \n\v\f\x85\xa0\u200b\u2028\u2029\u202f\u3000\ufeff"
"""What some spreadsheets take away before they look how a cell begins."""
_NEEDS_QUOTES = re.compile(r'[",\r\n]')
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Header and rows as CSV text with CRLF line ends; None is an empty cell.

    Text that a spreadsheet would take for a formula gets a single quote before it; numbers stay
    numbers, negative ones too. A row of another width than the header is a ValueError.
    """
    lines = [",".join(_cell(name) for name in header)]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise ValueError(f"CSV row {number} has {len(row)} cells, the header {len(header)}")
        lines.append(",".join(_cell(value) for value in row))
    return "\r\n".join(lines) + "\r\n"


def _cell(value: Cell) -> str:
    """One cell as it stands between two commas."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"a CSV number must be finite, got {value!r}; pass None where undefined")
    return str(value)


def _text(value: str) -> str:
    """A text cell, guarded and quoted where needed."""
    written = _UNWRITABLE.sub("�", value)
    guarded = written.lstrip(_BLANK).startswith(FORMULA)
    if guarded:
        written = f"'{written}"
    if guarded or _NEEDS_QUOTES.search(written):
        escaped = written.replace('"', '""')
        return f'"{escaped}"'
    return written
