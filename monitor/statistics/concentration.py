"""Concentration of citations on few families: HHI, its bounds, and the cross-prompt estimate."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Bounds, Interval
from monitor.statistics.distributions import t_quantile, t_tail

Floats = NDArray[np.float64]
METHOD = "jackknife over prompts, log t"
_TINY = 1e-12
"""Part of all pairs below which there are none: what rounding leaves."""


@dataclass(frozen=True, slots=True)
class CrossPromptHhi:
    """HHI from pairs of citations of different prompts, with its jackknife interval."""

    value: float
    interval: Interval | None
    """None where a deleted prompt leaves no estimate above zero."""


@dataclass(frozen=True, slots=True)
class HhiChange:
    """Change of the cross-prompt HHI between two samples of the same prompts."""

    before: float
    after: float
    difference: float
    """log after - log before."""
    standard_error: float
    """Of the difference of logs, by the paired jackknife."""
    ratio: float
    """after / before."""
    interval: Interval
    """Of the ratio."""
    p_value: float
    """Two-sided, Student's t with prompts - 1 degrees of freedom."""
    prompts: int
    """Prompts that cite on either side."""


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


def cross_prompt_change(
    before: ArrayLike, after: ArrayLike, level: float = 0.95
) -> HhiChange | NoEstimate:
    """Change of the cross-prompt HHI on the log scale, or why it has none.

    Both are prompts x families, row by row the same prompts, as counts or as means per answer.
    A prompt is left out of both samples at a time, so that what prompts have in common cancels:
    se^2 = (P-1)/P sum (d_p - mean)^2 with d_p = log H_B - log H_A without prompt p (Tukey 1958).
    """
    xa, xb = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if not xa.sum() > 0 or not xb.sum() > 0:
        return NoEstimate.NO_CITATIONS
    citing = xa.sum(axis=1) + xb.sum(axis=1) > 0
    xa, xb = xa[citing], xb[citing]
    prompts = len(xa)
    if prompts < 3 or min(_citing(xa), _citing(xb)) < 2:
        return NoEstimate.FEW_PROMPTS
    ha, hb = (_pairs(x) / _all_pairs(x) for x in (xa, xb))
    if min(ha, hb) <= _TINY:
        return NoEstimate.NO_SHARED_FAMILY
    logs = _logs_without_one(xa), _logs_without_one(xb)
    if logs[0] is None or logs[1] is None:
        return NoEstimate.ONE_PROMPT_CARRIES
    difference, error = log(hb / ha), _jackknife_error(logs[1] - logs[0])
    if error <= _TINY < abs(difference):
        return NoEstimate.NO_VARIATION
    reach = exp(t_quantile((1 + level) / 2, prompts - 1) * error)
    p_value = 2 * t_tail(abs(difference) / error, prompts - 1) if error > _TINY else 1.0
    interval = Interval(hb / ha / reach, hb / ha * reach, level, METHOD)
    return HhiChange(ha, hb, difference, error, hb / ha, interval, p_value, prompts)


def _citing(x: Floats) -> int:
    """Prompts that cite anything."""
    return int((x.sum(axis=1) > 0).sum())


def _pairs(x: Floats) -> float:
    """Ordered pairs of citations from different prompts that share a family."""
    return float((x.sum(axis=0) ** 2).sum() - (x**2).sum())


def _all_pairs(x: Floats) -> float:
    """Ordered pairs of citations from different prompts."""
    return float(x.sum() ** 2 - (x.sum(axis=1) ** 2).sum())


def _jackknife(x: Floats, value: float, level: float) -> Interval | None:
    """Interval on the log scale from the estimates that each leave one prompt out."""
    logs = _logs_without_one(x) if value > 0 else None
    if logs is None:
        return None
    reach = exp(t_quantile((1 + level) / 2, len(logs) - 1) * _jackknife_error(logs))
    return Interval(value / reach, min(1.0, value * reach), level, METHOD)


def _logs_without_one(x: Floats) -> Floats | None:
    """Log HHI without each prompt in turn; None where one of them leaves nothing above zero."""
    totals, families = x.sum(axis=1), x.sum(axis=0)
    pairs = _pairs(x) - 2 * (x @ families) + 2 * (x**2).sum(axis=1)
    everything = _all_pairs(x) - 2 * totals * x.sum() + 2 * totals**2
    least = _TINY * x.sum() ** 2
    if (pairs <= least).any() or (everything <= least).any():
        return None
    logs: Floats = np.log(pairs / everything)
    return logs


def _jackknife_error(estimates: Floats) -> float:
    """Standard error from the estimates that each leave one of P out (Quenouille, Tukey)."""
    count = len(estimates)
    return sqrt((count - 1) / count * float(((estimates - estimates.mean()) ** 2).sum()))
