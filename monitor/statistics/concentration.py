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
_LEAST_ERROR = 1e-9
"""Standard error of a logarithm below which nothing varied: what rounding leaves."""


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


@dataclass(frozen=True, slots=True, eq=False)
class PromptPairs:
    """Sums that the cross-prompt HHI is made of, one entry a prompt; families may come in parts."""

    totals: Floats
    """n_p: all citations of the prompt."""
    shared: Floats
    """sum_f x_pf X_f: with how many citations of any prompt it shares the family."""
    own: Floats
    """sum_f x_pf^2: with how many of its own."""

    def __add__(self, other: "PromptPairs") -> "PromptPairs":
        """The same prompts with more families."""
        return PromptPairs(
            self.totals + other.totals, self.shared + other.shared, self.own + other.own
        )

    def of(self, prompts: NDArray[np.bool_]) -> "PromptPairs":
        """Some prompts; those left out must not cite."""
        return PromptPairs(self.totals[prompts], self.shared[prompts], self.own[prompts])

    @property
    def hhi(self) -> float:
        """(sum X_f^2 - sum x_pf^2) / (N^2 - sum n_p^2); NaN where one prompt alone cites."""
        every = self.totals.sum() ** 2 - (self.totals**2).sum()
        return float((self.shared.sum() - self.own.sum()) / every) if every > 0 else float("nan")

    def logs_without_one(self) -> Floats | None:
        """Log HHI without each prompt in turn; None where one of them leaves nothing above zero."""
        total, least = self.totals.sum(), _TINY * self.totals.sum() ** 2
        pairs = self.shared.sum() - self.own.sum() - 2 * (self.shared - self.own)
        every = total**2 - (self.totals**2).sum() - 2 * self.totals * (total - self.totals)
        if (pairs <= least).any() or (every <= least).any():
            return None
        logs: Floats = np.log(pairs / every)
        return logs


def prompt_pairs(counts: ArrayLike) -> PromptPairs:
    """Pairs of prompts x families: counts, or means per answer."""
    x = np.asarray(counts, dtype=np.float64)
    return PromptPairs(x.sum(axis=1), x @ x.sum(axis=0), (x**2).sum(axis=1))


def _pairs_of(counts: ArrayLike | PromptPairs) -> PromptPairs:
    """Pairs as they are, or of a matrix."""
    return counts if isinstance(counts, PromptPairs) else prompt_pairs(counts)


def cross_prompt_hhi(counts: ArrayLike | PromptPairs, level: float = 0.95) -> CrossPromptHhi | None:
    """Unbiased HHI of the topic: (sum X_f^2 - sum x_pf^2) / (N^2 - sum n_p^2).

    `counts` is prompts x families. Pairs within a prompt are left out because citations of one
    prompt are alike (Simpson 1949, over clusters). Interval: delete-one-prompt jackknife of
    the logarithm with a t quantile (Tukey 1958). None with fewer than two citing prompts.
    """
    pairs = _pairs_of(counts)
    pairs = pairs.of(pairs.totals > 0)
    prompts = len(pairs.totals)
    if prompts < 2:
        return None
    return CrossPromptHhi(pairs.hhi, _jackknife(pairs, level) if prompts > 2 else None)


def _jackknife(pairs: PromptPairs, level: float) -> Interval | None:
    """Interval on the log scale from the estimates that each leave one prompt out."""
    logs = pairs.logs_without_one() if pairs.hhi > _TINY else None
    if logs is None:
        return None
    reach = exp(t_quantile((1 + level) / 2, len(logs) - 1) * _jackknife_error(logs))
    return Interval(pairs.hhi / reach, min(1.0, pairs.hhi * reach), level, METHOD)


def cross_prompt_change(
    before: ArrayLike | PromptPairs, after: ArrayLike | PromptPairs, level: float = 0.95
) -> HhiChange | NoEstimate:
    """Change of the cross-prompt HHI on the log scale, or why it has none.

    Both are prompts x families, row by row the same prompts, as counts or as means per answer.
    A prompt is left out of both samples at a time, so that what prompts have in common cancels:
    se^2 = (P-1)/P sum (d_p - mean)^2 with d_p = log H_B - log H_A without prompt p (Tukey 1958).
    """
    a, b = _pairs_of(before), _pairs_of(after)
    if not a.totals.sum() > 0 or not b.totals.sum() > 0:
        return NoEstimate.NO_CITATIONS
    citing = (a.totals > 0) | (b.totals > 0)
    a, b, prompts = a.of(citing), b.of(citing), int(citing.sum())
    if prompts < 3 or min((a.totals > 0).sum(), (b.totals > 0).sum()) < 2:
        return NoEstimate.FEW_PROMPTS
    if min(a.hhi, b.hhi) <= _TINY:
        return NoEstimate.NO_SHARED_FAMILY
    logs_a, logs_b = a.logs_without_one(), b.logs_without_one()
    if logs_a is None or logs_b is None:
        return NoEstimate.ONE_PROMPT_CARRIES
    ratio, error = b.hhi / a.hhi, _jackknife_error(logs_b - logs_a)
    if error <= _LEAST_ERROR < abs(log(ratio)):
        return NoEstimate.NO_VARIATION
    reach = exp(t_quantile((1 + level) / 2, prompts - 1) * error)
    still = error <= _LEAST_ERROR
    p_value = 1.0 if still else 2 * t_tail(abs(log(ratio)) / error, prompts - 1)
    interval = Interval(ratio / reach, ratio * reach, level, METHOD)
    return HhiChange(a.hhi, b.hhi, log(ratio), error, ratio, interval, p_value, prompts)


def _jackknife_error(estimates: Floats) -> float:
    """Standard error from the estimates that each leave one of P out (Quenouille, Tukey)."""
    count = len(estimates)
    return sqrt((count - 1) / count * float(((estimates - estimates.mean()) ** 2).sum()))
