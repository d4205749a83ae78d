"""Intervals for one level: Wilson on independent trials and on prompt clusters.

Citations of one prompt resemble each other, and so do repeats: the prompt is the cluster.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from monitor.domain.score import Interval
from monitor.statistics.distributions import beta_quantile, normal_quantile, t_quantile


@dataclass(frozen=True, slots=True)
class ClusteredShare:
    """A pooled share with what its prompt clusters say of its precision."""

    share: float
    standard_error: float
    clusters: int
    n_eff: float
    """How many independent trials would give this standard error; at most the trials counted."""
    design_effect: float
    """Trials counted / n_eff."""
    quantile: float
    """Student t quantile with clusters - 1 degrees of freedom."""
    interval: Interval


def wilson(hits: float, n: float, z: float) -> tuple[float, float] | None:
    """Score interval of hits / n at the quantile `z`; None without trials (Wilson 1927)."""
    if n <= 0:
        return None
    share = hits / n
    scale = 1 + z * z / n
    centre = share + z * z / (2 * n)
    half = z * sqrt(max(0.0, share * (1 - share) / n + z * z / (4 * n * n)))
    low = (centre - half) / scale if hits > 0 else 0.0
    high = (centre + half) / scale if hits < n else 1.0
    return max(0.0, low), min(1.0, high)


def wilson_interval(hits: float, n: float, level: float = 0.95) -> Interval | None:
    """Wilson interval for independent trials, for example repeats of one prompt."""
    ends = wilson(hits, n, normal_quantile((1 + level) / 2))
    return Interval(*ends, level, "wilson") if ends else None


def clustered_interval(x: ArrayLike, n: ArrayLike, level: float = 0.95) -> ClusteredShare | None:
    """Pooled share sum(x) / sum(n) with a Wilson interval on the effective sample size.

    `x` and `n` hold raw counts per prompt. v = P/(P-1) sum((x_p - S n_p)^2) / N^2 is the
    cluster-robust variance; n_eff = min(N, S(1-S)/v), or P where S is 0 or 1 or v is 0; z is
    the t quantile with P-1 degrees of freedom (Korn and Graubard 1998 for n_eff; Dean and
    Pagano 2015 for Wilson on it). Prompts without trials are not clusters. None with fewer
    than two clusters.
    """
    hits, trials = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    hits, trials = hits[trials > 0], trials[trials > 0]
    clusters = int(trials.size)
    if clusters < 2:
        return None
    total = float(trials.sum())
    share = float(hits.sum()) / total
    variance = clusters / (clusters - 1) * float(((hits - share * trials) ** 2).sum()) / total**2
    n_eff = _effective_n(share, variance, clusters, total)
    quantile = t_quantile((1 + level) / 2, clusters - 1)
    low, high = wilson(share * n_eff, n_eff, quantile) or (0.0, 1.0)
    return ClusteredShare(
        share, sqrt(variance), clusters, n_eff, total / n_eff, quantile,
        Interval(low, high, level, "wilson, prompt clusters, t"),
    )  # fmt: skip


def _effective_n(share: float, variance: float, clusters: int, total: float) -> float:
    """S(1-S)/v, at most all trials; the number of clusters where that is undefined."""
    spread = share * (1 - share)
    if spread <= 1e-15 or variance <= 1e-30:
        return float(clusters)
    return min(total, spread / variance)


def korn_graubard(clustered: ClusteredShare) -> Interval:
    """Clopper-Pearson interval on n_eff shrunk by (z/t)^2 (Korn and Graubard 1998).

    A little wider than Wilson and better covered for shares under two percent.
    """
    level = clustered.interval.level
    z = normal_quantile((1 + level) / 2)
    n = clustered.n_eff * (z / clustered.quantile) ** 2
    hits, tail = clustered.share * n, (1 - level) / 2
    low = beta_quantile(tail, hits, n - hits + 1) if hits > 1e-12 else 0.0
    high = beta_quantile(1 - tail, hits + 1, n - hits) if n - hits > 1e-12 else 1.0
    return Interval(low, high, level, "korn-graubard")
