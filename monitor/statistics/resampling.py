"""Paired bootstrap over prompts for means over prompts, such as an overlap.

One set of drawn prompts serves both samples and every statistic of a comparison, which keeps
the pairing: a prompt drawn twice counts twice before and after.
"""

from collections.abc import Iterator, Sequence
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
_BLOCK_CELLS = 2_000_000
"""Weights drawn at a time; part of what a seed means."""
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


@dataclass(frozen=True, slots=True)
class ClusterDraws:
    """Samples of clusters with replacement, the same whatever is computed on them (Efron 1979).

    A cluster is a prompt, or an answer where annotators label what stands in answers.
    """

    clusters: int
    seed: int
    resamples: int = RESAMPLES

    def weights(self) -> Iterator[Floats]:
        """How often each cluster is drawn, multinomial(P, 1/P), resamples x clusters, in blocks."""
        rng = np.random.default_rng(self.seed)
        most = max(1, _BLOCK_CELLS // max(1, self.clusters))
        for start in range(0, self.resamples if self.clusters else 0, most):
            rows = min(most, self.resamples - start)
            cells = rng.integers(0, self.clusters, (rows, self.clusters), dtype=np.int32)
            cells += np.arange(rows, dtype=np.int32)[:, None] * np.int32(self.clusters)
            counts = np.bincount(cells.ravel(), minlength=rows * self.clusters)
            yield counts.reshape(rows, self.clusters).astype(np.float64)

    def sums(self, columns: Sequence[Floats]) -> Floats:
        """Sum over clusters of each column in each resample: columns x resamples."""
        stacked = np.stack(columns, axis=1)
        blocks = [weights @ stacked for weights in self.weights()]
        return np.concatenate(blocks).T if blocks else np.zeros((len(columns), 0))


def resampled_mean(
    x: ArrayLike, n: ArrayLike, draws: ClusterDraws, *, level: float = 0.95, expanded: bool = True
) -> Resampled:
    """sum(x) / sum(n) over prompts with its interval; a prompt with n = 0 has no value.

    For a plain mean over prompts n is 1 where the prompt has a value. No interval with fewer than
    two prompts, or where all resamples agree: that would promise certainty. `expanded` widens the
    percentiles for few prompts (Hesterberg 2015); plain ones are for readers who ask.
    """
    side = _side(x, n)
    if side.value is None or side.prompts < 2:
        return Resampled(side.value, None, side.prompts, 0, NoEstimate.FEW_PROMPTS)
    defined = _defined(_ratio(*draws.sums((side.x, side.n))))
    dropped = draws.resamples - len(defined)
    if not len(defined) or np.ptp(defined) <= _LEAST_SPREAD:
        return Resampled(side.value, None, side.prompts, dropped, NoEstimate.NO_VARIATION)
    interval = _percentiles(defined, side.prompts, level, expanded=expanded)
    return Resampled(side.value, interval, side.prompts, dropped, None)


def resampled_difference(
    before: tuple[ArrayLike, ArrayLike],
    after: tuple[ArrayLike, ArrayLike],
    draws: ClusterDraws,
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
    xa, na, xb, nb = draws.sums((a.x, a.n, b.x, b.n))
    defined = _defined(_ratio(xb, nb) - _ratio(xa, na))
    dropped = draws.resamples - len(defined)
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


def _side(x: ArrayLike, n: ArrayLike) -> _Side:
    """One sample; what stands where n is 0 does not count."""
    totals = np.asarray(n, dtype=np.float64)
    return _Side(np.where(totals > 0, np.asarray(x, dtype=np.float64), 0.0), totals)


def _ratio(x: Floats, n: Floats) -> Floats:
    """Value of every resample, NaN where it has none."""
    values: Floats = np.divide(x, n, out=np.full_like(n, np.nan), where=n > 0)
    return values


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
