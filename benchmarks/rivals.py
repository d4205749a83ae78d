"""The rules that others use, or that one would try first: what the shipped rule is held against."""

from dataclasses import dataclass
from math import erfc

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated import Pair
from monitor.statistics import t_quantile

Floats = NDArray[np.float64]
Called = NDArray[np.bool_]
_erfc = np.vectorize(erfc, otypes=[np.float64])


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Raw citations of a family and of all, in both months; one entry a family or a copy."""

    x: tuple[Floats, Floats]
    n: tuple[Floats, Floats]

    @property
    def shares(self) -> tuple[Floats, Floats]:
        """Share before and after."""
        return self.x[0] / self.n[0], self.x[1] / self.n[1]


def pooled(given: Pair) -> Pooled:
    """Sums over all prompts, as if every citation were independent."""
    x, n = given.raw_x, given.raw_n
    return Pooled((x[0].sum(axis=0), x[1].sum(axis=0)), (n[0].sum(axis=0), n[1].sum(axis=0)))


def z_values(given: Pooled) -> Floats:
    """|z| of two proportions with the pooled variance; 0 where nothing was cited."""
    both = (given.x[0] + given.x[1]) / (given.n[0] + given.n[1])
    variance = both * (1 - both) * (1 / given.n[0] + 1 / given.n[1])
    before, after = given.shares
    z: Floats = np.abs(after - before) / np.sqrt(np.maximum(variance, 1e-300))
    return z


def z_test(given: Pooled) -> Floats:
    """p values of the two-proportion z test on citations."""
    p: Floats = _erfc(z_values(given) / 2**0.5)
    return p


def yates(given: Pooled) -> Floats:
    """p values of the chi-square test of the two-by-two table with Yates' correction (1934)."""
    (a, c), (left, right) = given.x, given.n
    b, d = left - a, right - c
    every = left + right
    gap = np.maximum(np.abs(a * d - b * c) - every / 2, 0)
    margins = (a + c) * (b + d) * left * right
    p: Floats = _erfc(np.sqrt(every * gap**2 / np.maximum(margins, 1e-300) / 2))
    return p


def over_threshold(given: Pooled, points: float, relative: float = 0.0) -> Called:
    """Share moved by so many points, and by such a part of the larger share: no test at all."""
    before, after = given.shares
    size, larger = np.abs(after - before), np.maximum(before, after)
    called: Called = (size >= points / 100) & (size >= relative * larger)
    return called


def unpaired(given: Pair, level: float = 0.95) -> Called:
    """Difference over its error with prompts as clusters, the pairing thrown away; t test."""
    error = np.zeros(given.x[0].shape[1])
    shares = []
    for x, n in zip(given.x, given.n, strict=True):
        prompts, total = len(x), n.sum(axis=0)
        share = x.sum(axis=0) / total
        error += prompts / (prompts - 1) * (((x - share * n) / total) ** 2).sum(axis=0)
        shares.append(share)
    least = t_quantile((1 + level) / 2, 2 * (len(given.x[0]) - 1))
    called: Called = np.abs(shares[1] - shares[0]) > least * np.sqrt(error)
    return called & (error > 0)


def holm(p: Floats) -> Floats:
    """Adjusted p values of Holm (1979): any false alarm at all is the error."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, steps)
    return adjusted


def by(adjusted: Floats) -> Floats:
    """Benjamini-Hochberg's values made to hold under any dependence (Benjamini, Yekutieli 2001)."""
    harmonic = (1 / np.arange(1, len(adjusted) + 1)).sum()
    found: Floats = np.minimum(1.0, adjusted * harmonic)
    return found


def plain_swaps(given: Pair, seed: int, swaps: int) -> Floats:
    """p values of swaps that do not divide each month by its own total: fooled by volume."""
    prompts = len(given.x[0])
    signs = 2.0 * np.random.default_rng(seed).integers(0, 2, (swaps, prompts)) - 1
    middle = [(one[0] + one[1]) / 2 for one in (given.x, given.n)]
    half = [(one[1] - one[0]) / 2 for one in (given.x, given.n)]
    x, n = middle[0].sum(axis=0), middle[1].sum(axis=0)
    moved_x, moved_n = signs @ half[0], signs @ half[1]
    swapped = (x + moved_x) / (n + moved_n) - (x - moved_x) / (n - moved_n)
    before, after = (
        one.sum(axis=0) / n_.sum(axis=0) for one, n_ in zip(given.x, given.n, strict=True)
    )
    least = np.abs(after - before) - 1e-12
    p: Floats = (1 + (np.abs(swapped) >= least).sum(axis=0)) / (swaps + 1)
    return p
