"""Agreement of a judge with people: its verdicts on labelled rows, as figures with their counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor import statistics
from monitor.domain.claim import Support
from monitor.domain.score import Interval
from monitor.errors import JudgeError
from monitor.judge.report_rows import Judged
from monitor.statistics import ranking
from monitor.statistics.ranking import Bin, Covered

Floats = NDArray[np.float64]

LABELS = ("full", "partial", "unsupported", "contradicted")
NOT_FULL = "not_full"
"""Label of sets that only say whether support is full."""
RESAMPLES = 1_000
"""Fewer where there are very many rows, whose intervals are narrow."""
_LEAST_RESAMPLES = 200
_ROWS_DRAWN = 10_000_000
"""Rows drawn over all resamples, about."""
METHOD = "percentile bootstrap over questions"
_CELLS = 2_000_000
"""Weights held at a time."""
MOST_SOURCES = 100
_CUT = 0.5
"""Score from which a row counts as full in the view of scores."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, how many rows it rests on, and its interval over questions."""

    value: float | None
    """None where it has none: no rows, or one class only."""
    rows: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far judge and people agree on rows that the judge decided."""

    right: int
    share: Estimate
    """Of decided rows, those with the same label."""
    kappa: Estimate
    alpha: Estimate
    ac1: Estimate
    """Gwet's AC1, which holds where one label is rare."""
    macro_f1: Estimate


@dataclass(frozen=True, slots=True)
class Ranked:
    """How often a fully supported row scores above a row of another label."""

    other: str
    probability: Estimate
    full: int
    others: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What is measured on one source, or on all rows."""

    rows: int
    questions: int
    scored: int
    """Rows with a score."""
    decided: int
    """Rows with a verdict that is not `not_assessable`."""
    macro_f1: Estimate
    """Full or not by the score at a half, mean F1 of both; over sources, their mean."""
    binary: Agreed
    """Full or not, by labels."""
    four_way: Agreed | None
    """All four labels, on the sources that tell them apart; None where there are none."""
    ranked: tuple[Ranked, ...]
    confusion: Mapping[str, Mapping[str, int]]
    """Rows by people's label, then by the judge's."""
    coverage: tuple[Covered, ...]
    bins: tuple[Bin, ...]
    calibration_error: float | None


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """A judge beside people, on all rows and by source."""

    judge: str
    seed: int
    """Of the resampling; made from the labelled rows."""
    overall: Figures
    sources: Mapping[str, Figures]


def judge_report(judged: Sequence[Judged], judge: str, *, seed: int) -> JudgeReport:
    """Every figure of a judge's verdicts on labelled rows; JudgeError where sources are none."""
    by_source: dict[str, list[Judged]] = {}
    for one in judged:
        by_source.setdefault(one.source, []).append(one)
    if len(by_source) > MOST_SOURCES:
        raise JudgeError(
            f"{len(by_source)} different sources; expected at most {MOST_SOURCES}: does `source` "
            "name the set that a row comes from?"
        )
    return JudgeReport(
        judge,
        seed,
        _figures(judged, seed),
        {name: _figures(rows, seed) for name, rows in sorted(by_source.items())},
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Rows as columns; what the figures are computed from."""

    full: NDArray[np.bool_]
    told_full: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    scored: NDArray[np.bool_]
    score: Floats
    """0 where there is none."""
    label: NDArray[np.str_]
    told: NDArray[np.str_]
    source: NDArray[np.int64]
    question: NDArray[np.int64]


def _table(judged: Sequence[Judged]) -> _Table:
    label = np.array([one.label for one in judged], dtype=np.str_)
    told = np.array([one.support.value for one in judged], dtype=np.str_)
    return _Table(
        label == "full",
        told == "full",
        told != Support.NOT_ASSESSABLE.value,
        np.array([one.score is not None for one in judged], dtype=np.bool_),
        np.array([one.score or 0.0 for one in judged], dtype=np.float64),
        label,
        told,
        _numbers(one.source for one in judged),
        _numbers(one.question for one in judged),
    )


def _numbers(names: Iterable[str]) -> NDArray[np.int64]:
    """Each name as a number, in the order they first come."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _figures(judged: Sequence[Judged], seed: int) -> Figures:
    table = _table(judged)
    four = _labelled_fourfold(table)
    others = [one for one in (*LABELS[1:], NOT_FULL) if (table.label == one).any()]
    calculated = _resampled(table, others, seed)
    scored = table.score[table.scored]
    bins = ranking.calibration(scored, table.full[table.scored])
    right = table.full == (table.score >= _CUT)
    return Figures(
        rows=len(judged),
        questions=len(set(table.question.tolist())),
        scored=int(table.scored.sum()),
        decided=int(table.decided.sum()),
        macro_f1=calculated["macro_f1"],
        binary=_binary(table, calculated),
        four_way=_four_way(table, table.decided & four)
        if len(set(table.label[four])) > 1
        else None,
        ranked=tuple(_ranked(table, one, calculated[one]) for one in others),
        confusion=_confusion(judged),
        coverage=ranking.by_coverage(_sureness(scored), right[table.scored]),
        bins=bins,
        calibration_error=ranking.calibration_error(bins),
    )


def _sureness(scored: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each score lies from the cut, without the noise of the last digits."""
    return np.abs(scored - _CUT).round(9)


def _labelled_fourfold(table: _Table) -> NDArray[np.bool_]:
    """Rows of the sources whose labels tell partial, unsupported and contradicted apart."""
    binary = np.unique(table.source[table.label == NOT_FULL])
    fourfold: NDArray[np.bool_] = ~np.isin(table.source, binary)
    return fourfold


def _ranked(table: _Table, other: str, probability: Estimate) -> Ranked:
    full, others = (int((table.scored & (table.label == one)).sum()) for one in ("full", other))
    return Ranked(other, probability, full, others)


def _confusion(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    counts = Counter((one.label, one.support.value) for one in judged)
    labels = [one for one in (*LABELS, NOT_FULL) if any(label == one for label, _ in counts)]
    return {label: {told.value: counts[label, told.value] for told in Support} for label in labels}


def _statistics(table: _Table, others: Sequence[str]) -> dict[str, Callable[[Floats], Floats]]:
    """Every figure with an interval, as a function of the rows' weights."""
    decided, scored = table.decided, table.scored
    told = table.score >= _CUT
    sources = [scored & (table.source == n) for n in np.unique(table.source)]

    def mean_f1(weights: Floats) -> Floats:
        kept = [ranking.macro_f1(table.full[s], told[s], weights[:, s]) for s in sources]
        return _mean_known(np.stack(kept))

    def ranks(other: str) -> Callable[[Floats], Floats]:
        kept = scored & (table.full | (table.label == other))
        return lambda weights: ranking.rank_probabilities(
            table.score[kept], table.full[kept], weights[:, kept]
        )

    full, told_full = table.full[decided], table.told_full[decided]
    return {
        "macro_f1": mean_f1,
        "share": lambda weights: ranking.shares(full == told_full, weights[:, decided]),
        "kappa": lambda weights: ranking.kappas(full, told_full, weights[:, decided]),
        "binary_f1": lambda weights: ranking.macro_f1(full, told_full, weights[:, decided]),
        **{other: ranks(other) for other in others if table.full[scored].any()},
    }


def _mean_known(values: Floats) -> Floats:
    """Mean over sources that have a value; NaN where none has."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    mean: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def _resampled(table: _Table, others: Sequence[str], seed: int) -> dict[str, Estimate]:
    """Figures with their intervals; rows of one question are drawn together (Efron 1979)."""
    wanted = _statistics(table, others)
    ones = np.ones((1, len(table.full)))
    scored, decided = int(table.scored.sum()), int(table.decided.sum())
    rows = dict.fromkeys(wanted, scored) | dict.fromkeys(("share", "kappa", "binary_f1"), decided)
    values = {name: float(of(ones)[0]) for name, of in wanted.items()}
    drawn: dict[str, list[Floats]] = {name: [] for name in wanted}
    questions = int(table.question.max(initial=-1)) + 1
    for weights in _drawn_weights(table.question, questions, seed):
        for name, of in wanted.items():
            drawn[name].append(of(weights))
    made = {
        name: Estimate(_known(values[name]), rows[name], _interval(drawn[name])) for name in wanted
    }
    return {other: Estimate(None, 0) for other in others} | made


def _drawn_weights(question: NDArray[np.int64], questions: int, seed: int) -> Iterator[Floats]:
    """How often each row is drawn, some resamples at a time; none of a single question."""
    if questions < 2:
        return
    at_once = max(1, _CELLS // len(question))
    resamples = max(_LEAST_RESAMPLES, min(RESAMPLES, _ROWS_DRAWN // len(question)))
    for block in statistics.ClusterDraws(questions, seed, resamples).weights():
        for start in range(0, len(block), at_once):
            yield block[start : start + at_once, question]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _interval(drawn: Sequence[Floats], level: float = 0.95) -> Interval | None:
    """Percentiles of the resamples; None where they all agree, or none has a value."""
    values = np.concatenate(drawn) if drawn else np.array([])
    values = values[~np.isnan(values)]
    if not len(values) or np.ptp(values) < 1e-12:
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, METHOD)


def _binary(table: _Table, calculated: Mapping[str, Estimate]) -> Agreed:
    kept = table.decided
    right = int((table.full == table.told_full)[kept].sum())
    truth, told = table.full[kept].astype(float), table.told_full[kept].astype(float)
    return Agreed(
        right,
        calculated["share"],
        calculated["kappa"],
        *_beyond_chance(truth, told),
        calculated["binary_f1"],
    )


def _beyond_chance(truth: Floats, told: Floats) -> tuple[Estimate, Estimate]:
    """Krippendorff's alpha and Gwet's AC1 of judge and people as two annotators."""
    given = statistics.label_counts([truth.tolist(), told.tolist()])
    found = statistics.krippendorff_alpha(given), statistics.gwet(given)
    return Estimate(found[0].value, len(truth)), Estimate(found[1].value, len(truth))


def _four_way(table: _Table, kept: NDArray[np.bool_]) -> Agreed:
    """Agreement on all four labels, of rows that people and judge gave one of them."""
    rows = int(kept.sum())
    truth, told = (
        np.array([LABELS.index(one) for one in side[kept]], dtype=np.int64)
        for side in (table.label, table.told)
    )
    right = int((truth == told).sum())
    counts = np.zeros((len(LABELS), len(LABELS)))
    np.add.at(counts, (truth, told), 1)
    present = [place for place in range(len(LABELS)) if counts[place].sum()]
    f1s = [2 * counts[n, n] / (counts[n].sum() + counts[:, n].sum()) for n in present]
    return Agreed(
        right,
        Estimate(right / rows if rows else None, rows),
        Estimate(statistics.cohen_kappa(counts).value, rows),
        *_beyond_chance(truth.astype(float), told.astype(float)),
        Estimate(float(np.mean(f1s)) if f1s else None, rows),
    )
