"""Cohen's kappa of two named annotators, for readers who ask: alpha and AC1 are the headline."""

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Interval
from monitor.statistics.distributions import normal_quantile

Floats = NDArray[np.float64]


class Weighting(StrEnum):
    """What a disagreement counts: all alike, by steps, or by steps squared."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two annotators beyond chance, or why nobody can say."""

    value: float | None
    standard_error: float | None
    interval: Interval | None
    reason: NoEstimate | None


def cohen_kappa(
    table: ArrayLike, weighting: Weighting = Weighting.NONE, level: float = 0.95
) -> Kappa:
    """(observed - chance) / (1 - chance) of a square table of counts (Cohen 1960, 1968).

    Rows are the first annotator's labels, columns the second's, in order. Standard error for large
    samples by Fleiss, Cohen and Everitt (1969): subjects count as independent, whatever answer
    they stand in.
    """
    counts = np.asarray(table, dtype=np.float64)
    total = float(counts.sum())
    if not total:
        return Kappa(None, None, None, NoEstimate.NO_PAIRS)
    p, w = counts / total, _agreement(len(counts), weighting)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, chance = float((p * w).sum()), float(rows @ w @ columns)
    if ((rows + columns) > 0).sum() < 2:
        return Kappa(None, None, None, NoEstimate.ONE_LABEL_ONLY)
    value = (observed - chance) / (1 - chance)
    means = (w @ columns)[:, None] + (rows @ w)[None, :]
    spread = float((p * (w * (1 - chance) - means * (1 - observed)) ** 2).sum())
    spread -= (observed * chance - 2 * chance + observed) ** 2
    error = sqrt(max(0.0, spread) / total) / (1 - chance) ** 2
    reach = normal_quantile((1 + level) / 2) * error
    interval = Interval(value - reach, min(1.0, value + reach), level, "large sample")
    return Kappa(value, error, interval, None)


def _agreement(labels: int, weighting: Weighting) -> Floats:
    """1 on the diagonal; off it what the steps between two labels leave."""
    if weighting is Weighting.NONE or labels < 2:
        return np.eye(labels)
    steps = np.abs(np.subtract.outer(np.arange(labels), np.arange(labels))) / (labels - 1)
    weights: Floats = 1 - (steps if weighting is Weighting.LINEAR else steps**2)
    return weights
