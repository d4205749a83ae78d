"""Fit monitor/judge/embedded/weights.json: word rarity and two logistic models, numpy only.

Usage: MONITOR_CORPORA=folder python -m benchmarks.train_judge [--meaning] [--write]

With --meaning it fits weights_meaning.json, the models of the judge that also compares meanings, on
the same rows (extra `embed`; minutes).

Rows that train, each with the licence that allows it:
- attributionbench_dev: Apache-2.0. The dataset card of osunlp/AttributionBench says so
  (huggingface.co/datasets/osunlp/AttributionBench, revision 62569e6 of 2024-02-26, looked up as a
  stored copy); the code repository OSU-NLP-Group/AttributionBench states no licence of its own. Only
  weights are derived from its rows; none of its text is in this repository.
- factcheckgpt_open: Apache-2.0.
- wice_dev: ODC-BY.
Never: healthver_dev (no licence), fever_symmetric_dev (CC-BY-SA): they only evaluate.

The four sources of AttributionBench and the two other sets weigh alike, as do both classes in each:
the score is the probability of full support where half of the claims are supported, as strict as
the people of AttributionBench are. Word rarity is counted on the passages of the two other sets.
Figures on rows that train are in-sample; `python -m benchmarks judge_folds` has those that count.
"""

import argparse
import json

import numpy as np

from benchmarks.judge_fit import (
    BENCH,
    NUMBER,
    OTHERS,
    ROOT,
    Floats,
    model,
    rarity,
    seen,
    seen_meaning,
    shipped,
)

WEIGHTS = ROOT / "monitor" / "judge" / "embedded" / "weights.json"
MEANING = WEIGHTS.with_name("weights_meaning.json")
EVALUATE_ONLY = ("fever_symmetric_dev", "healthver_dev")
ABOUT = (
    "written by benchmarks/train_judge.py from attributionbench_dev (Apache-2.0 by its dataset"
    " card), factcheckgpt_open (Apache-2.0) and wice_dev (ODC-BY)"
)


def auroc(high: Floats, low: Floats) -> float:
    """Probability that one of the first ranks above one of the second."""
    return float((high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean())


def weights_text() -> str:
    """The weights file, to the byte: one line a stem, so that a change is a readable difference."""
    table, unseen = rarity()
    told = {
        "about": ABOUT,
        "number": NUMBER,
        "unseen": unseen,
        **{name: model(fitted) for name, fitted in shipped().items()},
        "rarity": table,
    }
    return json.dumps(told, indent=1, ensure_ascii=True) + "\n"


def meaning_text() -> str:
    """The file of the models that read meanings too, to the byte."""
    told = {
        "about": ABOUT.replace("train_judge.py", "train_judge.py --meaning"),
        **{name: model(fitted) for name, fitted in shipped(meaning=True).items()},
    }
    return json.dumps(told, indent=1, ensure_ascii=True) + "\n"


def main() -> None:
    """Print how the fitted model ranks every set, and write the weights where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--meaning", action="store_true")
    asked = parser.parse_args()
    full = shipped(meaning=asked.meaning)["full"]
    for name in (BENCH, *OTHERS, *EVALUATE_ONLY):
        found = seen_meaning(name) if asked.meaning else seen(name)
        score = found.scored(full.probability(found.x))
        label = np.array(found.labels)
        for other in sorted(set(found.labels) - {"full"}):
            told = auroc(score[label == "full"], score[label == other])
            how = "not fitted" if name in EVALUATE_ONLY else "in-sample"
            print(f"{name} ({how}): full against {other}: AUROC {told:.3f}")
    if asked.write and asked.meaning:
        MEANING.write_text(meaning_text(), encoding="utf-8")
    elif asked.write:
        WEIGHTS.write_text(weights_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
