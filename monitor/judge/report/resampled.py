"""Figures over labelled rows with their intervals: rows of one question are drawn together."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from monitor import statistics
from monitor.domain.score import Interval
from monitor.judge.report.table import CUT, Floats, Table
from monitor.judge.report.values import Estimate
from monitor.statistics import ranking

RESAMPLES = 1_000
"""Fewer where there are very many rows, whose intervals are narrow."""

_LEAST_RESAMPLES = 200

_ROWS_DRAWN = 10_000_000
"""Rows drawn over all resamples, about."""

METHOD = "percentile bootstrap over questions"

_CELLS = 2_000_000
"""Weights held at a time."""


def _statistics(table: Table, others: Sequence[str]) -> dict[str, Callable[[Floats], Floats]]:
    """Every figure with an interval, as a function of the rows' weights."""
    decided, scored = table.decided, table.scored
    told = table.score >= CUT
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


def resampled(table: Table, others: Sequence[str], seed: int) -> dict[str, Estimate]:
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
