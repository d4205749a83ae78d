"""How alike answers are, before against after and from before to after, prompt by prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from monitor import statistics
from monitor.changes.panel import Matched, RunKey, grouped, one_run
from monitor.changes.tested import Terms
from monitor.domain.change import OverlapLevel
from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Interval, Tally

Floats = NDArray[np.float64]
_Sets = tuple[tuple[frozenset[str], ...], ...]
_Answers = Sequence[Sequence[Tally]]


@dataclass(frozen=True, slots=True)
class OverlapDraft:
    """Overlap of repeats on both sides, before anything is said of its change."""

    before: OverlapLevel
    after: OverlapLevel
    difference: float | None
    interval: Interval | None
    reason: NoEstimate | None
    dropped: int
    cited: tuple[float, float]
    """Families an answer, before and after: more of them raise an overlap by themselves."""


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Both questions about overlap: how stable each side is, and how alike the sides are."""

    stability: OverlapDraft
    between: OverlapLevel


def overlaps(matched: Matched, terms: Terms, run: RunKey = one_run) -> Overlaps:
    """Mean Jaccard of cited families over prompts, with intervals from the same drawn prompts.

    Stability is the overlap of two repeats of a prompt in one run, which `run` names: answers of
    two pooled months are no repeats. It is compared on the prompts that have one on both sides.
    Unresolved citations belong to no family and are left out.
    """
    draws = statistics.ClusterDraws(len(matched.prompts), terms.seed, terms.rules.bootstraps)
    before, after = _sets(matched.before), _sets(matched.after)
    pairs = zip(before, after, strict=True)
    between = [statistics.pairs_overlap(product(a, b)) for a, b in pairs]
    stability = _stability((matched.before, matched.after), draws, terms, run)
    return Overlaps(stability, _level(_column(between), draws, terms))


def _stability(
    sides: tuple[_Answers, _Answers], draws: statistics.ClusterDraws, terms: Terms, run: RunKey
) -> OverlapDraft:
    """Overlap between repeats on the prompts that have one on both sides."""
    a, b = (_column([_repeats(answers, run) for answers in side]) for side in sides)
    known = ~np.isnan(a) & ~np.isnan(b)
    a, b, n = np.where(known, a, np.nan), np.where(known, b, np.nan), known.astype(np.float64)
    change = statistics.resampled_difference((a, n), (b, n), draws, level=terms.rules.level)
    few = change.prompts < terms.rules.counts_below
    return OverlapDraft(
        _level(a, draws, terms),
        _level(b, draws, terms),
        change.value,
        None if few else change.interval,
        NoEstimate.FEW_PROMPTS if few else change.reason,
        change.dropped,
        (_width(sides[0]), _width(sides[1])),
    )


def _level(values: Floats, draws: statistics.ClusterDraws, terms: Terms) -> OverlapLevel:
    """Mean over the prompts that have an overlap."""
    known = ~np.isnan(values)
    found = statistics.resampled_mean(values, known, draws, level=terms.rules.level)
    few = found.prompts < terms.rules.counts_below
    return OverlapLevel(
        found.value,
        None if few else found.interval,
        found.prompts,
        len(values) - found.prompts,
        NoEstimate.FEW_PROMPTS if few else found.reason,
    )


def _column(values: Sequence[float | None]) -> Floats:
    """One value a prompt, NaN where it has none."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _sets(side: _Answers) -> _Sets:
    """Families of every answer."""
    return tuple(tuple(tally.cited_families for tally in answers) for answers in side)


def _repeats(answers: Sequence[Tally], run: RunKey) -> float | None:
    """Overlap between repeats of one prompt within each run; a single answer has none."""
    runs = _sets(list(grouped(answers, run).values()))
    return statistics.pairs_overlap(chain.from_iterable(combinations(one, 2) for one in runs))


def _width(side: _Answers) -> float:
    """Mean number of families that an answer cites."""
    sizes = [len(tally.cited_families) for answers in side for tally in answers]
    return sum(sizes) / len(sizes)
