"""Change of a ratio between two samples of the same prompts: interval and permutation test.

Everything is a matrix of prompts x subjects (source families, or one measure), so that one sign
matrix serves all families and keeps their dependence.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monitor.statistics.distributions import t_quantile

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

EXACT_LIMIT = 10_000
"""Enumerate all sign vectors while there are at most this many of them."""
RESAMPLES = 9_999
_BLOCK_CELLS = 2_000_000
"""Signs drawn at a time; part of what a seed means."""
_PART_CELLS = 250_000
"""Cells of one matrix product, small enough for the cache."""
_MOST_ROWS = 60_000
"""Rows of one product that a count of 16 bits can hold."""
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class PairedChange:
    """Change of every subject between two months of the same prompts, one entry a subject."""

    before: Floats
    after: Floats
    difference: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    p_value: Floats
    prompts: int
    permutations: int
    """Sign vectors tried: 2^prompts when exact."""
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Swaps:
    """What a swap of months costs: both months divided by their own totals.

    With half sums m, half differences d of x and e of n, a sign vector s moves a subject by
    (m + s d) / (1 + s e) - (m - s d) / (1 - s e) = 2 s (d - m e) / (1 - (s e)^2): one product
    serves all subjects, and the rest is a threshold.
    """

    steps: Floats
    """2 (d - m e) / least extreme change, prompts x subjects."""
    n: Floats
    """(n'_B - n'_A) / 2, prompts x subjects, or x 1 where all subjects share one total."""
    unmoved: Bools
    """Subjects that did not change at all: every swap is as extreme."""


def change_seed(engine: str, panel_version: str, before: str, after: str) -> int:
    """Seed of a comparison: first 8 bytes of sha256("engine|panel version|A|B"), big-endian."""
    name = f"{engine}|{panel_version}|{before}|{after}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def paired_change(
    x_before: ArrayLike,
    n_before: ArrayLike,
    x_after: ArrayLike,
    n_after: ArrayLike,
    *,
    seed: int,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> PairedChange:
    """Change of sum(x) / sum(n) with a sandwich-t interval and a swap-permutation p value.

    `x` is prompts x subjects, `n` the same or one total per prompt; both are means per answer,
    so that lost answers do not shift weight between prompts. Interval: r_pt = (x_pt - S_t n_pt)
    / sum n_pt, u_p = r_pB - r_pA, se = sqrt(P/(P-1) sum u_p^2), t with P-1 degrees of freedom
    (linearised ratio, Taylor series; Liang and Zeger 1986). Test: the two months of a prompt
    are swapped at random after each month was divided by its own total, so that a change of
    volume is no change of share (Pitman 1937; Phipson and Smyth 2010 for the +1). Refuses
    fewer than two prompts and a month without any n.
    """
    xa, xb = _matrix(x_before), _matrix(x_after)
    na, nb = _matrix(n_before), _matrix(n_after)
    prompts = xa.shape[0]
    if prompts < 2 or not (na.sum(axis=0) > 0).all() or not (nb.sum(axis=0) > 0).all():
        raise ValueError("a paired change needs two prompts and a positive total in both months")
    before, after = xa.sum(axis=0) / na.sum(axis=0), xb.sum(axis=0) / nb.sum(axis=0)
    difference = after - before
    error = _standard_error(_residuals(xb, nb) - _residuals(xa, na))
    reach = t_quantile((1 + level) / 2, prompts - 1) * error
    swaps = _swaps(xa / na.sum(axis=0), na / na.sum(axis=0),
                   xb / nb.sum(axis=0), nb / nb.sum(axis=0), np.abs(difference))  # fmt: skip
    exact = 2**prompts <= EXACT_LIMIT
    extreme = _count_extreme(swaps, _signs(prompts, seed, resamples))
    tried = 2**prompts if exact else resamples
    p_value = extreme / tried if exact else (1 + extreme) / (tried + 1)
    return PairedChange(
        before, after, difference, error, difference - reach, difference + reach,
        p_value, prompts, tried, exact,
    )  # fmt: skip


def _matrix(values: ArrayLike) -> Floats:
    """Prompts x subjects as floats; a plain sequence is one column."""
    array = np.asarray(values, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def _residuals(x: Floats, n: Floats) -> Floats:
    """Each prompt's contribution to the linearised error of sum(x) / sum(n)."""
    total = n.sum(axis=0)
    residuals: Floats = (x - x.sum(axis=0) / total * n) / total
    return residuals


def _standard_error(contributions: Floats) -> Floats:
    """sqrt(P/(P-1) sum u_p^2) per subject."""
    prompts = contributions.shape[0]
    error: Floats = np.sqrt(prompts / (prompts - 1) * (contributions**2).sum(axis=0))
    return error


def _swaps(xa: Floats, na: Floats, xb: Floats, nb: Floats, observed: Floats) -> _Swaps:
    """Steps of the normalised months, in units of the least change that counts as extreme."""
    least = observed - _TOLERANCE
    n = (nb - na) / 2
    steps = (xb - xa) - ((xa + xb).sum(axis=0)) * n
    unmoved = least <= 0
    return _Swaps(steps / np.where(unmoved, 1.0, least), n, unmoved)


def _signs(prompts: int, seed: int, resamples: int) -> Iterator[NDArray[np.int8]]:
    """Blocks of sign vectors: every one where few enough exist, else seeded random ones."""
    rows = max(1, _BLOCK_CELLS // max(1, prompts))
    if 2**prompts <= EXACT_LIMIT:
        numbers = np.arange(2**prompts, dtype=np.int64)
        bits = (numbers[:, None] >> np.arange(prompts)) & 1
        yield (2 * bits - 1).astype(np.int8)
        return
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        size = (min(rows, resamples - start), prompts)
        yield 2 * rng.integers(0, 2, size=size, dtype=np.int8) - 1


def _count_extreme(swaps: _Swaps, blocks: Iterator[NDArray[np.int8]]) -> Floats:
    """How many swaps move each subject at least as far as observed.

    A swap that leaves one month without any citation has no share there; it counts as extreme,
    which can only make the test more careful. Products are made in parts that stay in the
    processor's cache.
    """
    prompts, subjects = swaps.steps.shape
    rows = min(_MOST_ROWS, max(1, _PART_CELLS // max(prompts, subjects)))
    count = np.zeros(subjects, dtype=np.float64)
    for block in blocks:
        for start in range(0, len(block), rows):
            signs = block[start : start + rows].astype(np.float64)
            moved, n = np.abs(signs @ swaps.steps), np.abs(signs @ swaps.n)
            least = np.where(1 - n < _TOLERANCE, -1.0, 1 - n * n)
            extreme = (moved >= least) | swaps.unmoved
            count += extreme.view(np.uint8).sum(axis=0, dtype=np.uint16)
    return count
