"""How many prompts and repeats a change needs: variance components of an answer's share."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

DETECTABLE = 2.8
"""Standard errors that a change must measure to be found with 80 % power at 5 % (1.96 + 0.84)."""


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variance of an answer's share by where it arises; estimates may fall below zero."""

    prompt: float
    prompt_month: float
    answer: float


def variance_components(x: ArrayLike, n: ArrayLike) -> VarianceComponents:
    """Variance components of x / n over two months x prompts x repeats, n > 0.

    Answer: mean sample variance over repeats. Prompt-month: var_p(change)/2 - answer/R.
    Prompt: covariance of the two months' prompt means (Searle, Casella, McCulloch 1992).
    """
    shares = np.asarray(x, dtype=np.float64) / np.asarray(n, dtype=np.float64)
    answer = float(shares.var(axis=2, ddof=1).mean())
    months = shares.mean(axis=2)
    change = float((months[1] - months[0]).var(ddof=1)) / 2
    prompt = float(np.cov(months[0], months[1])[0, 1])
    return VarianceComponents(prompt, change - answer / shares.shape[2], answer)


def change_error(components: VarianceComponents, prompts: int, repeats: int) -> float:
    """Standard error of a change; negative component estimates count as zero."""
    variance = max(0.0, components.prompt_month) + max(0.0, components.answer) / repeats
    return sqrt(2 * variance / prompts)


def smallest_detectable(standard_error: float) -> float | None:
    """Smallest change found with 80 % power; None where nothing varied at all."""
    return DETECTABLE * standard_error if standard_error > 0 else None
