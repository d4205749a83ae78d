"""Agreement between annotators: Krippendorff's alpha, Gwet's AC1 and AC2, raw agreement.

Ratings are annotators x subjects, None where an annotator gave no label. A coefficient that has no
value (no subject with two labels, or one label only ever used) is None, never 0 or 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from monitor.domain.score import Interval

Floats = NDArray[np.float64]
Ratings = Sequence[Sequence[float | None]]
RESAMPLES = 2_000


class Level(StrEnum):
    """How far apart two labels are: other or not, by rank, or by value."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """How often each subject got each label: what all coefficients are made of."""

    labels: Floats
    """The labels ever used, ascending."""
    counts: Floats
    """Subjects x labels."""


@dataclass(frozen=True, slots=True)
class ResampledInterval:
    """Percentile interval over resampled answers, and how many resamples had no value."""

    interval: Interval | None
    undefined: int


def label_counts(ratings: Ratings) -> LabelCounts:
    """Ratings as counts of labels per subject."""
    rows = [[np.nan if label is None else float(label) for label in row] for row in ratings]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 0)
    labels = np.unique(table[~np.isnan(table)])
    counts = (table[:, :, None] == labels).sum(axis=0).astype(np.float64)
    return LabelCounts(labels, counts)


def krippendorff_alpha(given: LabelCounts, level: Level = Level.NOMINAL) -> float | None:
    """1 - observed / expected disagreement of label pairs within subjects (Krippendorff 2011).

    Subjects with fewer than two labels are left out.
    """
    counts = given.counts[given.counts.sum(axis=1) >= 2]
    if not counts.size:
        return None
    sizes = counts.sum(axis=1)
    scaled = counts / (sizes - 1)[:, None]
    coincidences = scaled.T @ counts - np.diag(scaled.sum(axis=0))
    totals = coincidences.sum(axis=1)
    distance = _distance(given.labels, totals, level)
    expected = (np.outer(totals, totals) - np.diag(totals)) * distance
    if expected.sum() <= 0:
        return None
    observed = float((coincidences * distance).sum())
    return 1 - observed * (float(totals.sum()) - 1) / float(expected.sum())


def _distance(labels: Floats, totals: Floats, level: Level) -> Floats:
    """Squared distance between every two labels."""
    if level is Level.NOMINAL:
        return 1.0 - np.eye(len(labels))
    if level is Level.INTERVAL:
        spread: Floats = (labels[:, None] - labels[None, :]) ** 2
        return spread
    ranks = np.cumsum(totals) - totals / 2
    by_rank: Floats = (ranks[:, None] - ranks[None, :]) ** 2
    return by_rank


def gwet(given: LabelCounts, *, quadratic: bool = False) -> float | None:
    """AC1, or AC2 with quadratic weights on the labels' values (Gwet 2008, 2014).

    Holds where one label is rare, which makes alpha and kappa collapse at high agreement.
    """
    counts, q = given.counts[given.counts.sum(axis=1) >= 1], len(given.labels)
    observed = _pair_agreement(counts, _weights(given.labels, quadratic=quadratic))
    if observed is None or q < 2:
        return None
    weights = _weights(given.labels, quadratic=quadratic)
    prevalence = (counts / counts.sum(axis=1)[:, None]).mean(axis=0)
    chance = float(weights.sum() / (q * (q - 1)) * (prevalence * (1 - prevalence)).sum())
    return (observed - chance) / (1 - chance) if chance < 1 else None


def _weights(labels: Floats, *, quadratic: bool) -> Floats:
    """1 on the diagonal; off it 0, or what the squared distance leaves of the widest one."""
    if not quadratic or len(labels) < 2:
        return np.eye(len(labels))
    spread = (labels[:, None] - labels[None, :]) ** 2
    weights: Floats = 1 - spread / spread.max()
    return weights


def raw_agreement(given: LabelCounts) -> float | None:
    """Share of label pairs within a subject that agree, averaged over subjects."""
    return _pair_agreement(given.counts, np.eye(len(given.labels)))


def _pair_agreement(counts: Floats, weights: Floats) -> float | None:
    """Mean weighted agreement of pairs, over subjects with at least two labels."""
    pairs = counts[counts.sum(axis=1) >= 2]
    if not pairs.size:
        return None
    sizes = pairs.sum(axis=1)
    agreeing = (pairs * (pairs @ weights - 1)).sum(axis=1)
    return float((agreeing / (sizes * (sizes - 1))).mean())


def resampled_interval(
    given: LabelCounts,
    coefficient: Callable[[LabelCounts], float | None],
    answers: Sequence[int],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> ResampledInterval:
    """Percentile bootstrap of a coefficient over answers (Efron 1979).

    `answers` names each subject's answer: subjects of one answer are drawn together. Resamples
    without a value are dropped and counted.
    """
    rng = np.random.default_rng(seed)
    names = np.unique(np.asarray(answers))
    members = [np.flatnonzero(np.asarray(answers) == name) for name in names]
    values: list[float] = []
    for _ in range(resamples if members else 0):
        drawn = np.concatenate([members[i] for i in rng.integers(0, len(names), len(names))])
        value = coefficient(LabelCounts(given.labels, given.counts[drawn]))
        if value is not None:
            values.append(value)
    if not values:
        return ResampledInterval(None, resamples)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(float(low), float(high), level, "percentile bootstrap over answers")
    return ResampledInterval(interval, resamples - len(values))
