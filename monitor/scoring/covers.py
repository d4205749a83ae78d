"""The smallest set of columns that meets every row: exact for a few columns, bounded for many.

A row is a whole number whose bits are the columns that meet it; a row without a bit asks for
nothing.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

EXACT_COLUMNS = 20
"""Columns, after those that another one makes needless are left out, up to which it is exact."""


class Cover(NamedTuple):
    """Columns in the smallest set: at least `low`, at most `high`; alike where it is exact."""

    low: int
    high: int


def smallest_cover(rows: Iterable[int]) -> Cover:
    """Size of the smallest set of columns that meets every row.

    Exact by branch and bound for up to EXACT_COLUMNS columns that matter. Beyond, `high` is the
    greedy set and `low` the larger of the rows that share no column and greedy / H(d), with d
    the rows of the largest column and H the harmonic sum (Chvatal, 1979).
    """
    kept = _reduced(rows)
    if not kept:
        return Cover(0, 0)
    columns = _columns(kept)
    greedy, harmonic = _greedy(columns, len(kept))
    if len(columns) > EXACT_COLUMNS:
        low = max(_apart(kept), ceil(greedy / harmonic - 1e-9))
        return Cover(min(low, greedy), greedy)
    exact = _search(kept, 0, greedy)
    return Cover(exact, exact)


def _reduced(rows: Iterable[int]) -> tuple[int, ...]:
    """Rows that decide, over columns that matter, in ascending order.

    A row that has all columns of another is met with it; a column whose rows another column has
    too is needless. One makes room for the other until nothing goes any more.
    """
    kept = _least({row for row in rows if row})
    while True:
        needless = _needless(_columns(kept))
        if not needless:
            return kept
        kept = _least({row & ~needless for row in kept})


def _least(rows: set[int]) -> tuple[int, ...]:
    """Rows that hold no other row as a part."""
    kept: list[int] = []
    for row in sorted(rows, key=lambda one: (one.bit_count(), one)):
        if not any(row & other == other for other in kept):
            kept.append(row)
    return tuple(sorted(kept))


def _columns(rows: Sequence[int]) -> dict[int, int]:
    """Column bit -> its rows as bits, for the columns that meet any row."""
    found: dict[int, int] = {}
    for place, row in enumerate(rows):
        left = row
        while left:
            bit = left & -left
            found[bit] = found.get(bit, 0) | 1 << place
            left ^= bit
    return found


def _needless(columns: dict[int, int]) -> int:
    """Bits of columns whose rows are all those of another column that stays."""
    gone = 0
    ordered = sorted(columns, key=lambda bit: (columns[bit].bit_count(), bit))
    for place, bit in enumerate(ordered):
        if any(columns[bit] & ~columns[other] == 0 for other in ordered[place + 1 :]):
            gone |= bit
    return gone


def _greedy(columns: dict[int, int], rows: int) -> tuple[int, float]:
    """Columns taken when each meets most of what is left, and H of the largest one's rows."""
    largest = max(meets.bit_count() for meets in columns.values())
    left, taken = (1 << rows) - 1, 0
    while left:
        best = min(columns, key=lambda bit: (-(columns[bit] & left).bit_count(), bit))
        left &= ~columns[best]
        taken += 1
    return taken, sum(1 / n for n in range(1, largest + 1))


def _apart(rows: Sequence[int]) -> int:
    """Rows that share no column with one another, shortest first: each needs its own column."""
    seen = count = 0
    for row in sorted(rows, key=lambda one: (one.bit_count(), one)):
        if not row & seen:
            seen |= row
            count += 1
    return count


def _search(rows: Sequence[int], taken: int, best: int) -> int:
    """The least of `best` and of `taken` with what these rows need beside it."""
    if not rows:
        return min(taken, best)
    if taken + _apart(rows) >= best:
        return best
    left, passed = min(rows, key=lambda row: (row.bit_count(), row)), 0
    while left:
        bit = left & -left
        left ^= bit
        rest = [row & ~passed for row in rows if not row & bit]
        # Sets that hold a column passed over before were searched with it.
        if all(rest):
            best = _search(rest, taken + 1, best)
        passed |= bit
    return best
