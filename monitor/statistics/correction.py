"""A judged rate corrected by labels of people: prediction-powered inference for a ratio.

One headline: prediction-powered inference. Rogan and Gladen's estimator (1978) needs two classes,
has no value where a judge does no better than chance, divides by a small number where it does
little better, and can use neither partial support nor the pairs that a judge left open; so it is
no second line in any report.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monitor.domain.score import Interval
from monitor.statistics.distributions import t_quantile
from monitor.statistics.intervals import wilson

Floats = NDArray[np.float64]

METHOD = "prediction-powered, prompt clusters, t, wilson"
_LEAST_VARIANCE = 1e-30


@dataclass(frozen=True, slots=True, eq=False)
class LabelledCounts:
    """What judge and people counted, one entry for each pair and prompt.

    Pairs stand for as many claims as rest on them: hits and totals are sums over those claims.
    """

    prompt: ArrayLike
    """Number of the prompt, from 0."""
    claims: ArrayLike
    """Claims that rest on the pair there, above 0."""
    judge_hits: ArrayLike
    judge_total: ArrayLike
    """What the judge's verdict counts for: any guess is allowed where it gave none."""
    human_hits: ArrayLike
    human_total: ArrayLike
    """What the label of people counts for; NaN where the pair has none."""
    misses: ArrayLike = ()
    """Claims per prompt that are misses whatever anyone reads; empty where there are none."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rate as people would have counted it, estimated from their sample and all verdicts."""

    value: float
    """In [0, 1]; what the estimator gives beyond is cut."""
    interval: Interval
    standard_error: float
    weight: float
    """Share of the judge's counts that is used: 0 is labels alone, 1 takes them as they are."""
    labelled: int
    """Entries with a label."""
    prompts: int
    """Prompts with a label: the clusters that decide the degrees of freedom."""


def corrected_rate(counts: LabelledCounts, level: float = 0.95) -> Corrected | None:
    """Hits / total as people count it: the judge's sums plus what the labels correct in them.

    With f the judge's counts and h those of people, the ratio R solves
    `w mean(f_hits - R f_total) + labelled mean((h_hits - R h_total) - w (f_hits - R f_total)) = 0`
    (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, for an estimating equation), means
    being per claim. The weight w in [0, 1] is the one of least variance (Angelopoulos, Duchi and
    Zrnic 2024), so that a useless judge leaves labels alone. Labelled pairs must be a random
    sample; they are a part of all pairs, so that both means share their prompts' clusters.

    Variance: P/(P-1) sum u_p^2 over prompts, linearised (Liang and Zeger 1986), and w^2/n^2 for
    one more disagreement: thirty pairs without one do not prove that there is none.
    Interval: Wilson on R(1-R)/variance trials with Student's t of the labelled prompts - 1.
    None with fewer than two labelled prompts, and where nothing is to be assessed.
    """
    sums = _sums(counts)
    prompts = int((sums.labelled > 0).sum())
    if prompts < 2:
        return None
    weight, ratio = 0.0, _ratio(sums, 0.0)
    for _ in range(2):
        if ratio is None:
            return None
        weight = _best_weight(sums, ratio)
        ratio = _ratio(sums, weight)
    if ratio is None:
        return None
    return _corrected(sums, weight, ratio, prompts=prompts, level=level)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums per prompt, in claims; labelled ones are scaled up to all claims."""

    judge_hits: Floats
    judge_total: Floats
    gain_hits: Floats
    """Judge's counts of labelled pairs, scaled up: what the weight takes away again."""
    gain_total: Floats
    human_hits: Floats
    human_total: Floats
    misses: Floats
    labelled: Floats
    """Labelled entries per prompt."""
    once: float
    """What one labelled pair stands for, in claims."""


def _sums(counts: LabelledCounts) -> _Sums:
    """All columns summed by prompt."""
    prompt = np.asarray(counts.prompt, dtype=np.int64)
    claims = np.asarray(counts.claims, dtype=np.float64)
    human = np.asarray(counts.human_total, dtype=np.float64)
    known = ~np.isnan(human)
    misses = np.asarray(counts.misses, dtype=np.float64)
    size = max(int(prompt.max(initial=-1)) + 1, misses.size)
    scale = float(claims.sum()) / float(claims[known].sum()) if known.any() else 0.0

    def whole(column: ArrayLike) -> Floats:
        values = np.asarray(column, dtype=np.float64)
        return np.bincount(prompt, values, size).astype(np.float64)

    def scaled(column: ArrayLike) -> Floats:
        return scale * whole(np.where(known, np.asarray(column, dtype=np.float64), 0.0))

    return _Sums(
        whole(counts.judge_hits), whole(counts.judge_total),
        scaled(counts.judge_hits), scaled(counts.judge_total),
        scaled(counts.human_hits), scaled(counts.human_total),
        np.pad(misses, (0, size - misses.size)),
        whole(known),
        float(claims.sum()) / int(known.sum()) if known.any() else 0.0,
    )  # fmt: skip


def _total(sums: _Sums, weight: float) -> float:
    """Claims that are assessed, as the labels correct the judge's number of them."""
    moved = weight * (sums.judge_total - sums.gain_total)
    return float((sums.human_total + moved + sums.misses).sum())


def _ratio(sums: _Sums, weight: float) -> float | None:
    """The rate at a weight; None where no claim is assessed."""
    total = _total(sums, weight)
    hits = float((sums.human_hits + weight * (sums.judge_hits - sums.gain_hits)).sum())
    return hits / total if total > 0 else None


def _terms(sums: _Sums, ratio: float) -> tuple[Floats, Floats]:
    """Contributions of each prompt: of the labels, and of the judge per unit of weight."""
    people = sums.human_hits - ratio * (sums.human_total + sums.misses)
    everything = sums.judge_hits - ratio * sums.judge_total
    judged: Floats = everything - (sums.gain_hits - ratio * sums.gain_total)
    return people, judged


def _best_weight(sums: _Sums, ratio: float) -> float:
    """The weight in [0, 1] at which contributions vary least."""
    people, judged = _terms(sums, ratio)
    spread = float((judged**2).sum())
    if spread <= _LEAST_VARIANCE:
        return 0.0
    return min(1.0, max(0.0, -float((people * judged).sum()) / spread))


def _corrected(
    sums: _Sums, weight: float, ratio: float, *, prompts: int, level: float
) -> Corrected:
    """The corrected rate with its interval."""
    people, judged = _terms(sums, ratio)
    total = _total(sums, weight)
    clusters = prompts / (prompts - 1)
    variance = clusters * float(((people + weight * judged) ** 2).sum()) / total**2
    variance += (weight * sums.once / total) ** 2
    value = min(1.0, max(0.0, ratio))
    quantile = t_quantile((1 + level) / 2, prompts - 1)
    labelled = float(sums.labelled.sum())
    most = labelled * sums.once if weight else labelled
    spread = value * (1 - value)
    trials = float(prompts)
    if spread > 0 and variance > _LEAST_VARIANCE:
        trials = min(most, spread / variance)
    low, high = wilson(value * trials, trials, quantile) or (0.0, 1.0)
    interval = Interval(low, high, level, METHOD)
    return Corrected(value, interval, sqrt(variance), weight, int(labelled), prompts)
