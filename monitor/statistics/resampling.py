"""Paired bootstrap over prompts for means over prompts, such as an overlap.

One matrix of prompt weights serves both samples and every statistic of a comparison, which keeps
the pairing: a prompt drawn twice counts twice before and after.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Interval
from monitor.statistics.distributions import t_quantile

Floats = NDArray[np.float64]

RESAMPLES = 2_000
METHOD = "bootstrap over prompts, expanded percentile"
_LEAST_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class Resampled:
    """A mean over prompts, or a difference of two, with its bootstrap interval."""

    value: float | None
    """None where no prompt has a value on one side."""
    interval: Interval | None
    prompts: int
    """Prompts with a value; of a difference, on either side."""
    dropped: int
    """Resamples without a value: they drew no prompt that has one."""
    reason: NoEstimate | None
    """Why there is no interval; None where there is one."""


def prompt_weights(prompts: int, seed: int, resamples: int = RESAMPLES) -> Floats:
    """How often each prompt is drawn, resamples x prompts: multinomial(P, 1/P) (Efron 1979)."""
    if not prompts:
        return np.zeros((resamples, 0))
    rng = np.random.default_rng(seed)
    return rng.multinomial(prompts, np.full(prompts, 1 / prompts), resamples).astype(np.float64)


def resampled_mean(
    x: ArrayLike, n: ArrayLike, weights: Floats, *, level: float = 0.95, expanded: bool = True
) -> Resampled:
    """sum(x) / sum(n) over prompts with its interval; a prompt with n = 0 has no value.

    For a plain mean over prompts n is 1 where the prompt has a value. `weights` come from
    `prompt_weights`, one column a prompt. No interval with fewer than two prompts, or where all
    resamples agree: that would promise certainty. `expanded` widens the percentiles for few
    prompts (Hesterberg 2015); plain ones are for readers who ask.
    """
    side = _side(x, n)
    if side.value is None or side.prompts < 2:
        return Resampled(side.value, None, side.prompts, 0, NoEstimate.FEW_PROMPTS)
    defined = _defined(side.drawn(weights))
    dropped = len(weights) - len(defined)
    if not len(defined) or np.ptp(defined) <= _LEAST_SPREAD:
        return Resampled(side.value, None, side.prompts, dropped, NoEstimate.NO_VARIATION)
    interval = _percentiles(defined, side.prompts, level, expanded=expanded)
    return Resampled(side.value, interval, side.prompts, dropped, None)


def resampled_difference(
    before: tuple[ArrayLike, ArrayLike],
    after: tuple[ArrayLike, ArrayLike],
    weights: Floats,
    *,
    level: float = 0.95,
    expanded: bool = True,
) -> Resampled:
    """Mean after minus mean before, each (x, n) as of `resampled_mean`, drawn together.

    No interval where either side has a value in fewer than two prompts. Where all resamples agree
    the interval has no width: no prompt moved, or all moved alike.
    """
    a, b = _side(*before), _side(*after)
    prompts = int(((a.n > 0) | (b.n > 0)).sum())
    if a.value is None or b.value is None:
        return Resampled(None, None, prompts, 0, NoEstimate.FEW_PROMPTS)
    value, least = b.value - a.value, min(a.prompts, b.prompts)
    defined = _defined(b.drawn(weights) - a.drawn(weights))
    dropped = len(weights) - len(defined)
    if least < 2 or not len(defined):
        return Resampled(value, None, prompts, dropped, NoEstimate.FEW_PROMPTS)
    interval = _percentiles(defined, least, level, expanded=expanded)
    return Resampled(value, interval, prompts, dropped, None)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Numerators and denominators of one sample, per prompt."""

    x: Floats
    n: Floats

    @property
    def prompts(self) -> int:
        return int((self.n > 0).sum())

    @property
    def value(self) -> float | None:
        return float(self.x.sum() / self.n.sum()) if self.prompts else None

    def drawn(self, weights: Floats) -> Floats:
        """Value of every resample, NaN where it has none."""
        x, n = weights @ self.x, weights @ self.n
        values: Floats = np.divide(x, n, out=np.full_like(n, np.nan), where=n > 0)
        return values


def _side(x: ArrayLike, n: ArrayLike) -> _Side:
    """One sample; what stands where n is 0 does not count."""
    totals = np.asarray(n, dtype=np.float64)
    return _Side(np.where(totals > 0, np.asarray(x, dtype=np.float64), 0.0), totals)


def _defined(values: Floats) -> Floats:
    """Resamples that have a value."""
    known: Floats = values[~np.isnan(values)]
    return known


def _percentiles(values: Floats, prompts: int, level: float, *, expanded: bool) -> Interval:
    """Ends between which the resamples lie, a little wider with few prompts when `expanded`."""
    tail = (1 - level) / 2
    if expanded:
        reach = sqrt(prompts / (prompts - 1)) * t_quantile(1 - tail, prompts - 1)
        tail = NormalDist().cdf(-reach)
    low, high = np.quantile(values, [tail, 1 - tail])
    method = METHOD if expanded else "bootstrap over prompts, percentile"
    return Interval(float(low), float(high), level, method)
