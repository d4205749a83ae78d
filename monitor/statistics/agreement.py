"""Agreement between annotators: Krippendorff's alpha, Gwet's AC1 and AC2, raw agreement.

Ratings are annotators x subjects, None where an annotator gave no label. A coefficient that has no
value (no subject with two labels, or one label only ever used) says why, and is never 0 or 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Interval
from monitor.statistics.resampling import ClusterDraws

Floats = NDArray[np.float64]
Ratings = Sequence[Sequence[float | None]]
RESAMPLES = 2_000
_LEAST_SPREAD = 1e-12


class Level(StrEnum):
    """How far apart two labels are: other or not, by rank, or by value."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True, slots=True, eq=False)
class LabelCounts:
    """How often each subject got each label: what all coefficients are made of."""

    labels: Floats
    """The labels there are, ascending."""
    counts: Floats
    """Subjects x labels."""
    times: Floats
    """How often each subject stands for itself: 1, or what a resample drew."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How far annotators agree, or why nobody can say, and how much it rests on."""

    value: float | None
    """1 is full agreement, 0 what chance would give, below 0 less; raw agreement is in [0, 1]."""
    reason: NoEstimate | None
    """Why there is no value; None where there is one."""
    subjects: int
    """Subjects with two labels or more."""
    pairs: int
    """Pairs of labels within them."""


@dataclass(frozen=True, slots=True)
class ResampledInterval:
    """Percentile interval over resampled answers, and how many resamples had no value."""

    interval: Interval | None
    undefined: int
    reason: NoEstimate | None = None
    """Why there is no interval; None where there is one."""


def label_counts(ratings: Ratings, labels: Sequence[float] | None = None) -> LabelCounts:
    """Ratings as counts of labels per subject; `labels` names a scale some of which is unused."""
    rows = [[np.nan if label is None else float(label) for label in row] for row in ratings]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 0)
    used = np.unique(table[~np.isnan(table)])
    known = used if labels is None else np.union1d(used, np.asarray(labels, dtype=np.float64))
    columns = [(table == label).sum(axis=0) for label in known]
    counts = np.array(columns, dtype=np.float64).reshape(len(known), table.shape[1]).T
    return LabelCounts(known, counts, np.ones(len(counts)))


def _paired(given: LabelCounts) -> tuple[Floats, Floats]:
    """Counts of the subjects with two labels or more, and how often each stands."""
    kept = (given.counts.sum(axis=1) >= 2) & (given.times > 0)
    return given.counts[kept], given.times[kept]


def _coefficient(value: float | None, reason: NoEstimate | None, given: LabelCounts) -> Coefficient:
    """A value, or the reason against it, with what it rests on."""
    counts, times = _paired(given)
    sizes = counts.sum(axis=1)
    pairs = float((times * sizes * (sizes - 1) / 2).sum())
    return Coefficient(value, reason, int(times.sum()), round(pairs))


def _missing(given: LabelCounts, labelled: Floats) -> NoEstimate | None:
    """What a coefficient corrected for chance cannot do without: pairs, and two labels."""
    if not _paired(given)[0].size:
        return NoEstimate.NO_PAIRS
    return NoEstimate.ONE_LABEL_ONLY if (labelled.sum(axis=0) > 0).sum() < 2 else None


def krippendorff_alpha(given: LabelCounts, level: Level = Level.NOMINAL) -> Coefficient:
    """1 - observed / expected disagreement of label pairs within subjects (Krippendorff 2011).

    Subjects with fewer than two labels are left out.
    """
    counts, times = _paired(given)
    if reason := _missing(given, counts):
        return _coefficient(None, reason, given)
    scaled = counts * (times / (counts.sum(axis=1) - 1))[:, None]
    coincidences = scaled.T @ counts - np.diag(scaled.sum(axis=0))
    totals = coincidences.sum(axis=1)
    distance = _distance(given.labels, totals, level)
    expected = float(((np.outer(totals, totals) - np.diag(totals)) * distance).sum())
    if not expected > 0:  # Numbers so close beside the others that they are one label.
        return _coefficient(None, NoEstimate.ONE_LABEL_ONLY, given)
    observed = float((coincidences * distance).sum())
    value = 1 - observed * (float(totals.sum()) - 1) / expected
    return _coefficient(value, None, given)


def _distance(labels: Floats, totals: Floats, level: Level) -> Floats:
    """Squared distance between every two labels."""
    if level is Level.NOMINAL:
        return 1.0 - np.eye(len(labels))
    if level is Level.INTERVAL:
        return _squared_distance(labels)
    ranks = np.cumsum(totals) - totals / 2
    by_rank: Floats = (ranks[:, None] - ranks[None, :]) ** 2
    return by_rank


def gwet(given: LabelCounts, *, quadratic: bool = False) -> Coefficient:
    """AC1, or AC2 with quadratic weights on the labels' values (Gwet 2008, 2014).

    Holds where one label is rare, which makes alpha and kappa collapse at high agreement. Chance
    is taken from all labels, those of subjects with a single one included.
    """
    kept = (given.counts.sum(axis=1) >= 1) & (given.times > 0)
    counts, times = given.counts[kept], given.times[kept]
    if reason := _missing(given, counts):
        return _coefficient(None, reason, given)
    weights, q = _weights(given.labels, quadratic=quadratic), len(given.labels)
    observed = _pair_agreement(given, weights)
    prevalence = times @ (counts / counts.sum(axis=1)[:, None]) / times.sum()
    chance = float(weights.sum() / (q * (q - 1)) * (prevalence * (1 - prevalence)).sum())
    return _coefficient((observed - chance) / (1 - chance), None, given)


def _weights(labels: Floats, *, quadratic: bool) -> Floats:
    """1 on the diagonal; off it 0, or what the squared distance leaves of the widest one."""
    if not quadratic or len(labels) < 2:
        return np.eye(len(labels))
    weights: Floats = 1 - _squared_distance(labels)
    return weights


def _squared_distance(labels: Floats) -> Floats:
    """Squared differences of numbers, of which the widest is 1, however large or small they are."""
    scaled = labels / np.abs(labels).max()
    spread: Floats = ((scaled[:, None] - scaled[None, :]) / (scaled.max() - scaled.min())) ** 2
    return spread


def raw_agreement(given: LabelCounts) -> Coefficient:
    """Share of label pairs within a subject that agree, averaged over subjects."""
    if not _paired(given)[0].size:
        return _coefficient(None, NoEstimate.NO_PAIRS, given)
    return _coefficient(_pair_agreement(given, np.eye(len(given.labels))), None, given)


def _pair_agreement(given: LabelCounts, weights: Floats) -> float:
    """Mean weighted agreement of pairs, over subjects with at least two labels."""
    counts, times = _paired(given)
    sizes = counts.sum(axis=1)
    agreeing = (counts * (counts @ weights - 1)).sum(axis=1)
    return float((times * agreeing / (sizes * (sizes - 1))).sum() / times.sum())


def resampled_interval(
    given: LabelCounts,
    coefficient: Callable[[LabelCounts], Coefficient],
    answers: Sequence[int],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> ResampledInterval:
    """Percentile bootstrap of a coefficient over answers (Efron 1979).

    `answers` names each subject's answer: subjects of one answer are drawn together. Resamples
    without a value are dropped and counted. No interval with fewer than two answers, or where all
    resamples agree: that would promise certainty.
    """
    names, place = np.unique(np.asarray(answers), return_inverse=True)
    if len(names) < 2:
        return ResampledInterval(None, 0, NoEstimate.FEW_ANSWERS)
    # Subjects that were labelled alike are one subject that stands several times.
    kinds, kind = np.unique(given.counts, axis=0, return_inverse=True)
    drawn = (
        np.bincount(kind, row[place] * given.times, minlength=len(kinds)).astype(np.float64)
        for weights in ClusterDraws(len(names), seed, resamples).weights()
        for row in weights
    )
    found = (coefficient(LabelCounts(given.labels, kinds, times)) for times in drawn)
    values = [one.value for one in found if one.value is not None]
    undefined = resamples - len(values)
    if not values:
        return ResampledInterval(None, undefined, coefficient(given).reason)
    low, high = (float(end) for end in np.quantile(values, [(1 - level) / 2, (1 + level) / 2]))
    if max(values) - min(values) <= _LEAST_SPREAD:
        return ResampledInterval(None, undefined, NoEstimate.NO_VARIATION)
    interval = Interval(low, high, level, "percentile bootstrap over answers")
    return ResampledInterval(interval, undefined)
