"""Counts of two samples as matrices: prompts x source families, or x one measure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from monitor.changes.panel import Matched
from monitor.domain.score import UNRESOLVED_FAMILY, Rate, Tally, Undefined, UndefinedReason

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NO_ANSWERED = Undefined(UndefinedReason.NO_ANSWERED)
BLOCK_CELLS = 4_000_000
"""Cells of one matrix: families beyond come in further blocks, so that memory stays bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Per-answer means and raw sums of one or more subjects, prompts x subjects."""

    x_before: Floats
    n_before: Floats
    x_after: Floats
    n_after: Floats
    raw_x_before: Floats
    raw_n_before: Floats
    raw_x_after: Floats
    raw_n_after: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Cited:
    """What one sample cites on the matched prompts: an entry for each answer and family."""

    answers: Floats
    """Answered captures of each prompt, one column."""
    totals: Floats
    """All citations of each prompt, unresolved ones included, one column."""
    unresolved: float
    rows: Ints
    """Prompt of each entry."""
    families: Ints
    """Family of each entry, ascending."""
    counts: Floats

    def block(self, start: int, stop: int) -> Floats:
        """Raw counts of some families, prompts x families."""
        prompts, width = len(self.answers), stop - start
        first, last = np.searchsorted(self.families, (start, stop))
        cells = self.rows[first:last] * width + self.families[first:last] - start
        return _summed(cells, self.counts[first:last], prompts * width).reshape(prompts, width)


@dataclass(frozen=True, slots=True, eq=False)
class CitedPair:
    """What both samples cite, and the families cited by either, sorted."""

    families: tuple[str, ...]
    before: Cited
    after: Cited

    def blocks(self) -> Iterator[tuple[tuple[str, ...], Columns]]:
        """Families and their columns, as many at a time as memory should hold."""
        width = max(1, BLOCK_CELLS // max(1, len(self.before.answers)))
        for start in range(0, len(self.families), width):
            names = self.families[start : start + width]
            yield names, self._columns(start, start + len(names))

    def _columns(self, start: int, stop: int) -> Columns:
        """Citations per family over all citations, unresolved ones in the total."""
        a, b = self.before, self.after
        xa, xb = a.block(start, stop), b.block(start, stop)
        return Columns(
            xa / a.answers, a.totals / a.answers, xb / b.answers, b.totals / b.answers,
            xa, a.totals, xb, b.totals,
        )  # fmt: skip


def cited_pair(matched: Matched) -> CitedPair:
    """What the answers to the matched prompts cite; unresolved citations are no family."""
    tallies = chain.from_iterable(chain(matched.before, matched.after))
    seen = {family for tally in tallies for family, count in tally.families.items() if count}
    families = tuple(sorted(seen - {UNRESOLVED_FAMILY}))
    place = {family: index for index, family in enumerate(families)}
    return CitedPair(families, _cited(matched.before, place), _cited(matched.after, place))


def _cited(side: Sequence[Sequence[Tally]], place: Mapping[str, int]) -> Cited:
    """One sample's entries, families by their place; unknown and uncited ones have none."""
    tallies = [tally for answers in side for tally in answers]
    answers = np.array([len(part) for part in side], dtype=np.int64)
    entries = np.array([len(tally.families) for tally in tallies], dtype=np.int64)
    rows = np.repeat(np.repeat(np.arange(len(side)), answers), entries)
    names = chain.from_iterable(tally.families for tally in tallies)
    families = np.fromiter(map(place.get, names, repeat(-1)), dtype=np.int64, count=len(rows))
    amounts = chain.from_iterable(tally.families.values() for tally in tallies)
    counts = np.fromiter(amounts, dtype=np.float64, count=len(rows))
    order = np.argsort(families, kind="stable")[int((families < 0).sum()) :]
    return Cited(
        answers.astype(np.float64)[:, None],
        _summed(rows, counts, len(side))[:, None],
        float(counts[families < 0].sum()),
        rows[order],
        families[order],
        counts[order],
    )


def _summed(places: Ints, counts: Floats, size: int) -> Floats:
    """Counts added up by place."""
    return np.asarray(np.bincount(places, counts, size), dtype=np.float64)


def measure_columns(
    before: Mapping[str, Sequence[Tally]], after: Mapping[str, Sequence[Tally]], name: str
) -> Columns | None:
    """Hits over total of one measure on the prompts where both samples can have it.

    Only prompts in which something was assessed on either side take part. None without any.
    """
    rows = [
        (a, b)
        for prompt in sorted(before.keys() & after.keys())
        if (a := _sums(before[prompt], name)) and (b := _sums(after[prompt], name))
        if a[1] + b[1] > 0
    ]
    if not rows:
        return None
    xa, na, ka = (_column([a[i] for a, _ in rows]) for i in range(3))
    xb, nb, kb = (_column([b[i] for _, b in rows]) for i in range(3))
    return Columns(xa / ka, na / ka, xb / kb, nb / kb, xa, na, xb, nb)


def beside(parts: Sequence[Columns]) -> Columns:
    """Columns of several measures as one, each with its own totals and its own prompts."""
    return Columns(
        *(np.hstack([getattr(part, name) for part in parts]) for name in Columns.__slots__)
    )


def _column(values: Sequence[float]) -> Floats:
    """One number per prompt as a matrix of one column."""
    return np.array(values, dtype=np.float64)[:, None]


def _sums(tallies: Sequence[Tally], name: str) -> tuple[float, float, float] | None:
    """Hits, total and captures that count for a measure; None where no capture does."""
    parts = [tally.measures.get(name, NO_ANSWERED) for tally in tallies]
    valid = [part for part in parts if part != NO_ANSWERED]
    if not valid:
        return None
    rates = [part for part in valid if isinstance(part, Rate)]
    return sum(r.hits for r in rates), sum(r.total for r in rates), float(len(valid))
