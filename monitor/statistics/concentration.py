"""Concentration of citations on few families: HHI, its bounds, and the cross-prompt estimate."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monitor.domain.score import Bounds, Interval
from monitor.statistics.distributions import t_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CrossPromptHhi:
    """HHI from pairs of citations of different prompts, with its jackknife interval."""

    value: float
    interval: Interval | None
    """None where a deleted prompt leaves no estimate above zero."""


def hhi(counts: Iterable[float]) -> float | None:
    """Sum of squared shares in [1/n, 1]; None with no citations (Herfindahl 1950).

    Six and two citations give 0.75^2 + 0.25^2 = 0.625.
    """
    numbers = [count for count in counts if count > 0]
    total = sum(numbers)
    return sum((count / total) ** 2 for count in numbers) if total else None


def effective(concentration: float | None) -> float | None:
    """Effective sources, 1 / HHI: how many equal families would be as concentrated."""
    return 1 / concentration if concentration else None


def hhi_bounds(counts: Iterable[float], unresolved: float = 0) -> Bounds | None:
    """HHI if every unresolved citation were a new family, and if all were the largest one."""
    numbers = [count for count in counts if count > 0]
    total = sum(numbers) + unresolved
    if not total:
        return None
    squares = sum(count**2 for count in numbers)
    largest = max(numbers, default=0)
    low = (squares + unresolved) / total**2
    high = (squares - largest**2 + (largest + unresolved) ** 2) / total**2
    return Bounds(low, high)


def cross_prompt_hhi(counts: ArrayLike, level: float = 0.95) -> CrossPromptHhi | None:
    """Unbiased HHI of the topic: (sum X_f^2 - sum x_pf^2) / (N^2 - sum n_p^2).

    `counts` is prompts x families. Pairs within a prompt are left out because citations of one
    prompt are alike (Simpson 1949, over clusters). Interval: delete-one-prompt jackknife of
    the logarithm with a t quantile (Tukey 1958). None with fewer than two citing prompts.
    """
    x = np.asarray(counts, dtype=np.float64)
    x = x[x.sum(axis=1) > 0]
    prompts = x.shape[0]
    if prompts < 2:
        return None
    value = float(_pairs(x) / _all_pairs(x))
    return CrossPromptHhi(value, _jackknife(x, value, level) if prompts > 2 else None)


def _pairs(x: Floats) -> float:
    """Ordered pairs of citations from different prompts that share a family."""
    return float((x.sum(axis=0) ** 2).sum() - (x**2).sum())


def _all_pairs(x: Floats) -> float:
    """Ordered pairs of citations from different prompts."""
    return float(x.sum() ** 2 - (x.sum(axis=1) ** 2).sum())


def _jackknife(x: Floats, value: float, level: float) -> Interval | None:
    """Interval on the log scale from the estimates that each leave one prompt out."""
    prompts, totals, families = x.shape[0], x.sum(axis=1), x.sum(axis=0)
    pairs = _pairs(x) - 2 * (x @ families) + 2 * (x**2).sum(axis=1)
    everything = _all_pairs(x) - 2 * totals * x.sum() + 2 * totals**2
    if value <= 0 or (pairs <= 1e-9).any() or (everything <= 1e-9).any():
        return None
    logs = np.log(pairs / everything)
    error = sqrt((prompts - 1) / prompts * float(((logs - logs.mean()) ** 2).sum()))
    reach = exp(t_quantile((1 + level) / 2, prompts - 1) * error)
    return Interval(value / reach, min(1.0, value * reach), level, "jackknife over prompts, log t")
