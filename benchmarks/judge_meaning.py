"""What closeness of meaning adds to the embedded judge, on rows that neither trained on."""

import time

from benchmarks.figures import Outcome, Ratio, alternating
from benchmarks.judge_fit import (
    BENCH,
    SEEDS,
    bootstrap,
    by_source,
    mean,
    mean_f1,
    meaning_out_of_fold,
    out_of_fold,
    ranks,
    rows,
    seen,
)
from monitor.judge import make_judge
from monitor.judge.embedded.meaning import load_reader
from monitor.judge.embedded.passages import read_page

DRAWS = 2000
TIMED, ROUNDS = 100, 3
"""Rows that are timed, and how often."""


def run() -> Outcome:
    """Macro-F1 by source of both judges, and their speed."""
    found = seen(BENCH)
    began = time.perf_counter()
    ours = [meaning_out_of_fold(seed) for seed in SEEDS]
    seconds = time.perf_counter() - began
    plain = [out_of_fold(seed) for seed in SEEDS]
    told = [[by_source(one, found) for one in each] for each in (ours, plain)]
    f1, other = (100 * mean(mean_f1(one, found) for one in each) for each in (ours, plain))
    order, words = (mean(ranks(one, found) for one in each) for each in (ours, plain))
    table = (
        "| rows | words and meanings | words |",
        "| --- | --- | --- |",
        *(
            f"| {name} | "
            + " | ".join(f"{100 * mean(one[name] for one in each):.1f}" for each in told)
            + " |"
            for name in told[0][0]
        ),
        f"| mean of sources | {f1:.1f} | {other:.1f} |",
        f"| ranking (mean AUROC of sources) | {order:.3f} | {words:.3f} |",
    )
    return Outcome(
        (f"features of all rows that train: {seconds:.0f} s", *table),
        (
            Ratio("points of macro-F1 out of fold over words alone", f1 - other, 1.5,
                  at_least=True, unit=""),
            Ratio("p of being no better than words alone",
                  bootstrap(ours, plain, found, DRAWS), 0.05, unit=""),
            Ratio("time a row, over words alone", _slower(), 120),
        ),
        table,
    )  # fmt: skip


def _slower() -> float:
    """Time of the judge over that of the lexical one, nothing being kept from before."""
    asked = [
        (row["claim"], tuple(row["passages"])) for row in rows(BENCH)[:: len(rows(BENCH)) // TIMED]
    ]
    judges = [make_judge(name) for name in ("embedded_embed", "embedded")]

    def timed(judge):
        read_page.cache_clear()
        load_reader().cache_clear()
        for claim, evidence in asked:
            judge.verdict(claim, evidence)

    ours, plain = alternating(tuple(lambda one=one: timed(one) for one in judges), ROUNDS)
    return ours / plain
