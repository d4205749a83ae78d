"""The embedded judge on AttributionBench rows it did not train on: five folds, five fold seeds."""

import numpy as np

from benchmarks.figures import Outcome, Ratio
from benchmarks.judge_fit import (
    BENCH,
    SEEDS,
    bootstrap,
    by_source,
    mean,
    mean_f1,
    out_of_fold,
    ranks,
    recall_out_of_fold,
    seen,
    sure_right,
)

DRAWS = 2000
BINS = 5
SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)


def run() -> Outcome:
    """Macro-F1 by source beside unigram recall, accuracy against coverage, and calibration."""
    found = seen(BENCH)
    ours = [out_of_fold(seed) for seed in SEEDS]
    plain = [recall_out_of_fold(seed) for seed in SEEDS]
    p = bootstrap(ours, plain, found, DRAWS)
    f1, other = (100 * mean(mean_f1(one, found) for one in each) for each in (ours, plain))
    sure = 100 * mean(sure_right(one, found, 0.4) for one in ours)
    table = (
        "| rows | judge | unigram recall |",
        "| --- | --- | --- |",
        *(f"| {name} | {a:.1f} | {b:.1f} |" for name, a, b in _sources(ours, plain, found)),
        f"| mean of sources | {f1:.1f} | {other:.1f} |",
        "",
        "| answered, surest first | right |",
        "| --- | --- |",
        *(
            f"| {share:.0%} | {mean(sure_right(one, found, share) for one in ours):.1%} |"
            for share in SHARES
        ),
        "",
        "| score | rows | supported |",
        "| --- | --- | --- |",
        *_calibration(ours, found.truth("full")),
    )
    return Outcome(
        (
            f"{len(found.labels)} rows, 5 folds by question, mean of {len(ours)} fold seeds",
            f"ranking (mean AUROC of sources): {mean(ranks(one, found) for one in ours):.3f}",
            *table,
        ),
        (
            Ratio("macro-F1 out of fold", f1, 70, at_least=True, unit=""),
            Ratio("p of being no better than unigram recall", p, 0.1, unit=""),
            Ratio("right among the surest 40 %", sure, 78, at_least=True, unit=" %"),
        ),
        table,
    )


def _sources(ours, plain, found):
    """Macro-F1 of each source, of the judge and of unigram recall."""
    told = [[by_source(one, found) for one in each] for each in (ours, plain)]
    for name in told[0][0]:
        yield name, *(100 * mean(one[name] for one in each) for each in told)


def _calibration(ours, truth):
    """Share of supported rows by score, over all fold seeds."""
    scores, labels = np.concatenate(ours), np.tile(truth, len(ours))
    for at in range(BINS):
        low, high = at / BINS, (at + 1) / BINS
        inside = (scores >= low) & ((scores < high) if at + 1 < BINS else (scores <= high))
        if inside.any():
            rows = inside.sum() / len(ours)
            yield f"| {low:.1f} to {high:.1f} | {rows:.0f} | {labels[inside].mean():.2f} |"
