"""Agreement of a judge with people: its verdicts on labelled rows, as figures with their counts."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from monitor import statistics
from monitor.domain.claim import Support
from monitor.errors import JudgeError
from monitor.judge.report.resampled import resampled
from monitor.judge.report.rows import Judged
from monitor.judge.report.table import CUT, Floats, Table, table_of
from monitor.judge.report.values import (
    LABELS,
    NOT_FULL,
    Agreed,
    Estimate,
    Figures,
    JudgeReport,
    Ranked,
)
from monitor.statistics import ranking

MOST_SOURCES = 100


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


def _figures(judged: Sequence[Judged], seed: int) -> Figures:
    table = table_of(judged)
    four = _labelled_fourfold(table)
    others = [one for one in (*LABELS[1:], NOT_FULL) if (table.label == one).any()]
    calculated = resampled(table, others, seed)
    scored = table.score[table.scored]
    bins = ranking.calibration(scored, table.full[table.scored])
    right = table.full == (table.score >= CUT)
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
    return np.abs(scored - CUT).round(9)


def _labelled_fourfold(table: Table) -> NDArray[np.bool_]:
    """Rows of the sources whose labels tell partial, unsupported and contradicted apart."""
    binary = np.unique(table.source[table.label == NOT_FULL])
    fourfold: NDArray[np.bool_] = ~np.isin(table.source, binary)
    return fourfold


def _ranked(table: Table, other: str, probability: Estimate) -> Ranked:
    full, others = (int((table.scored & (table.label == one)).sum()) for one in ("full", other))
    return Ranked(other, probability, full, others)


def _confusion(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    counts = Counter((one.label, one.support.value) for one in judged)
    labels = [one for one in (*LABELS, NOT_FULL) if any(label == one for label, _ in counts)]
    return {label: {told.value: counts[label, told.value] for told in Support} for label in labels}


def _binary(table: Table, calculated: Mapping[str, Estimate]) -> Agreed:
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


def _four_way(table: Table, kept: NDArray[np.bool_]) -> Agreed:
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
