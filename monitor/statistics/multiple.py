"""Many tests at once: the false discovery rate."""

from collections.abc import Sequence

import numpy as np


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p values in the given order; reject at q those <= q (Benjamini, Hochberg 1995)."""
    p = np.asarray(p_values, dtype=np.float64)
    if not p.size:
        return ()
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    adjusted = np.empty_like(scaled)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return tuple(float(value) for value in adjusted)
