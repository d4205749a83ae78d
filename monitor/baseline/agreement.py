"""How far annotators agree on their labels, with intervals over answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from monitor import statistics
from monitor.baseline.labels import Labels
from monitor.domain.score import interval_json
from monitor.statistics import Coefficient, LabelCounts, Level, ResampledInterval


@dataclass(frozen=True, slots=True)
class Agreement:
    """One coefficient with its interval; both may be missing, each with its own reason."""

    name: str
    coefficient: Coefficient
    resampled: ResampledInterval


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Everything that is said of how far annotators agree."""

    labels: Labels
    level: Level
    seed: int
    """Of the resampling; made from the content of the labels."""
    measures: tuple[Agreement, ...]
    kappa: statistics.Kappa | None
    """Cohen's kappa where there are just two annotators, for readers who ask."""


def agreement(
    labels: Labels, *, level: Level, seed: int, resamples: int = 2_000
) -> AgreementReport:
    """Raw agreement, Krippendorff's alpha, and Gwet's AC1, or AC2 where labels have an order."""
    given = statistics.label_counts(labels.ratings, labels.values)
    graded = level is not Level.NOMINAL
    coefficients: dict[str, Callable[[LabelCounts], Coefficient]] = {
        "raw_agreement": statistics.raw_agreement,
        "krippendorff_alpha": partial(statistics.krippendorff_alpha, level=level),
        "gwet_ac2" if graded else "gwet_ac1": partial(statistics.gwet, quadratic=graded),
    }
    measures = tuple(
        Agreement(
            name,
            coefficient(given),
            statistics.resampled_interval(
                given, coefficient, labels.answers, seed=seed, resamples=resamples
            ),
        )
        for name, coefficient in coefficients.items()
    )
    return AgreementReport(labels, level, seed, measures, _kappa(labels, graded=graded))


def _kappa(labels: Labels, *, graded: bool) -> statistics.Kappa | None:
    """Kappa of two annotators; by squared steps where labels have an order."""
    if len(labels.ratings) != 2:
        return None
    place = {value: index for index, value in enumerate(labels.values)}
    table = np.zeros((len(place), len(place)))
    for a, b in zip(*labels.ratings, strict=True):
        if a is not None and b is not None:
            table[place[a], place[b]] += 1
    weighting = statistics.Weighting.QUADRATIC if graded else statistics.Weighting.NONE
    return statistics.cohen_kappa(table, weighting)


def agreement_json(report: AgreementReport) -> dict[str, object]:
    """The report as JSON values; undefined is null with a reason beside it."""
    labels = report.labels
    return {
        "level": report.level.value,
        "labels": list(labels.scale),
        "subjects": len(labels.subjects),
        "answers": len(set(labels.answers)),
        "annotators": len(labels.annotators),
        "given": labels.given,
        "missing": labels.missing,
        "seed": report.seed,
        "measures": {one.name: _measure_json(one) for one in report.measures},
        "cohen_kappa": _kappa_json(report.kappa),
    }


def _measure_json(one: Agreement) -> Mapping[str, object]:
    """A coefficient, its interval, what it rests on, and why either is missing."""
    found, resampled = one.coefficient, one.resampled
    return {
        "value": found.value,
        "reason": found.reason.value if found.reason else None,
        "interval": interval_json(resampled.interval),
        "interval_reason": resampled.reason.value if resampled.reason else None,
        "undefined_resamples": resampled.undefined,
        "subjects": found.subjects,
        "pairs": found.pairs,
    }


def _kappa_json(kappa: statistics.Kappa | None) -> Mapping[str, object] | None:
    """Kappa with its interval for large samples; null unless there are two annotators."""
    if kappa is None:
        return None
    return {
        "value": kappa.value,
        "reason": kappa.reason.value if kappa.reason else None,
        "interval": interval_json(kappa.interval),
    }
