"""Measure the judge that ships, and write monitor/judge/measured.json.

Usage: MONITOR_CORPORA=folder python -m benchmarks.judge_figures [--write]
Sets are judged by the weights that ship, and those that the weights were fitted on are named as
such. The set of the headline is judged out of fold where the weights saw it: each row by weights
fitted without its question. The suite is our own and lies beside the judge. Without --write nothing
is changed, and the exit code is 1 where the file says something else than what was measured.
"""

import argparse
import datetime as dt
import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from monitor.judge import make_judge
from monitor.judge.embedded import EmbeddedJudge
from monitor.judge.embedded.weights import Model, load_weights
from monitor.judge.flagging import suite_figures
from monitor.judge.report import judge_report
from monitor.judge.report.as_json import flagged_json
from monitor.judge.report.rows import judged_now, read_labelled

ROOT = Path(__file__).resolve().parent.parent
CORPORA = Path(os.environ.get("MONITOR_CORPORA", ROOT.parent / "shared")) / "judge"
FIGURES = ROOT / "monitor" / "judge" / "measured.json"
WEIGHTS = ROOT / "monitor" / "judge" / "embedded" / "weights.json"
LICENCES = {
    "attributionbench_dev": "Apache-2.0 by its dataset card",
    "factcheckgpt_open": "Apache-2.0",
    "fever_symmetric_dev": "CC-BY-SA; measured on, not shipped",
    "healthver_dev": "none stated; measured on, not shipped",
    "wice_dev": "ODC-BY",
}
"""Labelled sets, and what may be done with them."""
HEADLINE = "attributionbench_dev"
SEED = 20_240_210
"""Of intervals, which are not written: the same whatever is measured."""


FOLD_SEED = 0
"""Of the five folds, grouped by question, in which the headline is judged out of fold."""


def fitted_on(corpus):
    """Whether the weights that ship saw this set: their file names what they were made from."""
    if corpus not in json.loads(WEIGHTS.read_text("utf-8"))["about"]:
        return "false"
    return "out_of_fold" if corpus == HEADLINE else "true"


def judged_out_of_fold(rows):
    """Each row of the headline by a judge whose weights were fitted without its question."""
    from benchmarks import judge_fit as fit  # only weights that saw the headline need it

    bench = fit.seen(HEADLINE)
    places = fit.folds(bench.groups, FOLD_SEED)
    others = [fit.part(fit.seen(name), ("full",)) for name in fit.OTHERS]
    made = [None] * len(rows)
    for fold in sorted(set(places.tolist())):
        told = fit.model(fit.fit([fit.part(bench, ("full",), places != fold), *others]))
        full = Model(told["weights"], told["constant"])
        judge = EmbeddedJudge(replace(load_weights(), full=full))
        inside = [place for place in range(len(rows)) if places[place] == fold]
        for place, one in zip(inside, judged_now((rows[p] for p in inside), judge), strict=True):
            made[place] = one
    return made


def people(corpus, judge, root=CORPORA):
    """One set: figures of the judge beside its labels."""
    path = root / f"{corpus}.jsonl"
    content = path.read_bytes()
    rows = list(read_labelled(content.decode("utf-8").splitlines(), corpus))
    fitted = fitted_on(corpus)
    judged = judged_out_of_fold(rows) if fitted == "out_of_fold" else judged_now(rows, judge)
    figures = judge_report(list(judged), judge.version, seed=SEED).overall
    return {
        "corpus": corpus,
        "sha256": hashlib.sha256(content).hexdigest(),
        "rows": figures.rows,
        "fitted_on": fitted,
        "licence": LICENCES[corpus],
        "macro_f1": rounded(figures.macro_f1.value),
        "decided": figures.decided,
        "right": figures.binary.right,
        "kappa": rounded(figures.binary.kappa.value),
        "alpha": rounded(figures.binary.alpha.value),
        "ranking": {one.other: rounded(one.probability.value) for one in figures.ranked},
        "coverage": [
            {"coverage": round(one.coverage, 1), "rows": one.rows,
             "right_share": rounded(one.right / one.rows)}
            for one in figures.coverage
        ],
    }  # fmt: skip


def suite(judge):
    """The suite by half and kind."""
    return [flagged_json(one) for one in suite_figures(judge)]


def rounded(value):
    return None if value is None else round(value, 4)


def measured(day, root=CORPORA):
    """Everything that the file says."""
    load_weights.cache_clear()
    judge = make_judge("embedded")
    return {
        "about": "written by python -m benchmarks.judge_figures --write",
        "judge": judge.version,
        "day": day,
        "headline": HEADLINE,
        "people": [people(corpus, judge, root) for corpus in LICENCES],
        "suite": suite(judge),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    made = measured(dt.datetime.now(dt.UTC).date().isoformat())
    if wanted.write:
        FIGURES.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return 0
    kept = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    print(json.dumps(made, indent=1))
    return int({**made, "day": ""} != {**kept, "day": ""})


if __name__ == "__main__":
    sys.exit(main())
