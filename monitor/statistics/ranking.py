"""How well scores in [0, 1] tell two classes apart: F1, rank probability, calibration, coverage.

Rows may carry weights, many sets of them at once: `weights` is resamples x rows, and each figure
is one number for each resample, NaN where a resample leaves it without a value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows whose scores lie in one range, and how many of them are of the class."""

    low: float
    high: float
    rows: int
    mean_score: float | None
    """None where no row lies in the range."""
    hits: int


@dataclass(frozen=True, slots=True)
class Covered:
    """How often a judge is right on the rows it is surest of."""

    coverage: float
    """Share of the rows, in (0, 1]."""
    rows: int
    right: float
    """Rows it is right on; of rows it is equally sure of, the share that falls within."""


def rank_probabilities(scores: Floats, is_high: Flags, weights: Floats) -> Floats:
    """Probability that a high row scores above a low one, ties by half (AUROC; Hanley 1982).

    One for each set of weights; NaN where a side has no weight.
    """
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(scores[order]) > 0])
    ordered, flags = weights[:, order], is_high[order]
    above = np.add.reduceat(ordered * flags, starts, axis=1)
    below = np.add.reduceat(ordered * ~flags, starts, axis=1)
    beaten = np.cumsum(below, axis=1) - below / 2
    pairs = above.sum(axis=1) * below.sum(axis=1)
    return _divided((above * beaten).sum(axis=1), pairs)


def macro_f1(truth: Flags, told: Flags, weights: Floats) -> Floats:
    """Mean of the F1 of both classes under every set of weights.

    NaN where the truth holds one class only: F1 of a class that never occurs means nothing.
    """
    f1s = [_f1(truth == wanted, told == wanted, weights) for wanted in (True, False)]
    mean: Floats = (f1s[0] + f1s[1]) / 2
    return mean


def _f1(truth: Flags, told: Flags, weights: Floats) -> Floats:
    """2 hits / (truth + told); NaN where the truth has none of the class."""
    hits, real = weights @ (truth & told), weights @ truth
    return np.where(real > 0, _divided(2 * hits, real + weights @ told), np.nan)


def kappas(truth: Flags, told: Flags, weights: Floats) -> Floats:
    """Cohen's kappa of two classes under every set of weights (Cohen 1960)."""
    total = weights.sum(axis=1)
    observed = _divided(weights @ (truth == told), total)
    a, b = _divided(weights @ truth, total), _divided(weights @ told, total)
    chance = a * b + (1 - a) * (1 - b)
    return _divided(observed - chance, 1 - chance)


def shares(hits: Flags, weights: Floats) -> Floats:
    """Share of hits under every set of weights."""
    return _divided(weights @ hits, weights.sum(axis=1))


def _divided(above: Floats, below: Floats) -> Floats:
    quotient: Floats = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 1e-12)
    return quotient


def calibration(scores: Floats, truth: Flags, bins: int = 10) -> tuple[Bin, ...]:
    """Rows by score in ranges of equal width; a score of 1 lies in the last one."""
    places = np.minimum((scores * bins).astype(np.int64), bins - 1)
    made = []
    for place in range(bins):
        within = places == place
        rows = int(within.sum())
        mean = float(scores[within].mean()) if rows else None
        made.append(Bin(place / bins, (place + 1) / bins, rows, mean, int(truth[within].sum())))
    return tuple(made)


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Mean distance of score and share over rows, by bins (Naeini and others 2015)."""
    rows = sum(one.rows for one in bins)
    apart = (
        abs(one.mean_score * one.rows - one.hits) for one in bins if one.mean_score is not None
    )
    return sum(apart) / rows if rows else None


def by_coverage(sureness: Floats, right: Flags, steps: int = 10) -> tuple[Covered, ...]:
    """Rows right among the surest tenth, two tenths and so on up to all.

    Rows that are equally sure count by their mean, so that the order of rows decides nothing.
    """
    order = np.argsort(-sureness, kind="stable")
    ordered = sureness[order]
    starts = np.flatnonzero(np.r_[True, np.diff(ordered) < 0]) if len(order) else np.array([], int)
    sizes = np.diff(np.r_[starts, len(order)])
    hits = np.add.reduceat(right[order].astype(np.float64), starts) if len(order) else sizes
    made = []
    for step in range(1, steps + 1):
        rows = round(len(order) * step / steps)
        taken = np.clip(rows - starts, 0, sizes)
        if rows:
            made.append(Covered(step / steps, rows, float((hits * taken / sizes).sum())))
    return tuple(made)
