"""Fit monitor/judge/embedded/weights.json: word rarity and two logistic models, numpy only.

Usage: MONITOR_CORPORA=folder python benchmarks/train_judge.py [--write]
Trains only on rows whose licence allows it: factcheckgpt_open (Apache-2.0) and wice_dev (ODC-BY).
The other sets only evaluate: attributionbench_dev, fever_symmetric_dev, healthver_dev (no weight is
fitted on them, but the rules of the judge were chosen with their errors in view).
Rows are weighted so that both classes and both sets count alike: the score is the probability of
full support where half of the claims are supported.
"""

import argparse
import collections
import json
import math
import os
from pathlib import Path

import numpy as np

from monitor.judge.embedded.compare import compare
from monitor.judge.embedded.features import features
from monitor.judge.embedded.passages import read_page
from monitor.judge.embedded.words import is_number, read_words

ROOT = Path(__file__).resolve().parent.parent
CORPORA = Path(os.environ.get("MONITOR_CORPORA", ROOT.parent / "shared")) / "judge"
WEIGHTS = ROOT / "monitor" / "judge" / "embedded" / "weights.json"
TRAIN = ("factcheckgpt_open", "wice_dev")
EVALUATE_ONLY = ("attributionbench_dev", "fever_symmetric_dev", "healthver_dev")
NUMBER, STEMS, CHUNK, RIDGE = 5.0, 1600, 100, 10.0


def rows(name):
    with (CORPORA / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rarity(sets):
    """Inverse document frequency of common stems over passages of a hundred words."""
    counts, total = collections.Counter(), 0
    for text in dict.fromkeys(p for found in sets for row in found for p in row["passages"]):
        for line in text.split("\n"):
            stems = read_words(line[:4000]).stems
            for start in range(0, len(stems), CHUNK):
                total += 1
                counts.update(set(stems[start : start + CHUNK]))
    frequent = [(s, n) for s, n in counts.most_common(STEMS) if not is_number(s)]
    table = {s: round(math.log((total + 1) / (n + 0.5)), 2) for s, n in sorted(frequent)}
    return table, round(max(table.values()) + 0.7, 2)


def vectors(found, table, unseen):
    def weight(stem):
        return NUMBER if is_number(stem) else table.get(stem, unseen)

    made = []
    for row in found:
        pages = [read_page(text) for text in row["passages"]]
        made.append(features(compare(read_words(row["claim"]), pages, weight)))
    return list(made[0]), np.array([list(one.values()) for one in made])


def balanced(truth):
    share = truth.mean()
    return np.where(truth == 1, 0.5 / share, 0.5 / (1 - share)) * (1000 / len(truth))


def fit(x, y, w):
    """Ridge logistic regression by Newton steps; the constant is not shrunk."""
    x = np.c_[x, np.ones(len(x))]
    ridge = np.eye(x.shape[1]) * RIDGE
    ridge[-1, -1] = 1e-6
    b = np.zeros(x.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-x @ b))
        slope = x.T @ (w * (p - y)) + ridge @ b
        b -= np.linalg.solve((x * (w * p * (1 - p))[:, None]).T @ x + ridge, slope)
    return b


def auroc(high, low):
    return float((high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean())


def model(names, b):
    return {
        "constant": round(float(b[-1]), 4),
        "weights": {name: round(float(v), 4) for name, v in zip(names, b[:-1], strict=True)},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    loaded = {name: rows(name) for name in (*TRAIN, *EVALUATE_ONLY)}
    table, unseen = rarity([loaded[name] for name in TRAIN])
    seen = {name: vectors(found, table, unseen) for name, found in loaded.items()}
    names = seen[TRAIN[0]][0]
    label = {name: np.array([row["label"] for row in found]) for name, found in loaded.items()}
    x = np.vstack([seen[name][1] for name in TRAIN])
    fitted = {}
    for target, good in (("full", {"full"}), ("some", {"full", "partial"})):
        truth = [np.isin(label[name], list(good)).astype(float) for name in TRAIN]
        fitted[target] = fit(x, np.hstack(truth), np.hstack([balanced(one) for one in truth]))
    for name in loaded:
        score = np.c_[seen[name][1], np.ones(len(label[name]))] @ fitted["full"]
        full = score[label[name] == "full"]
        for other in sorted(set(label[name]) - {"full"}):
            kept = "fitted" if name in TRAIN else "not fitted"
            print(
                f"{name} ({kept}): full against {other}: AUROC {auroc(full, score[label[name] == other]):.3f}"
            )
    if write:
        told = {
            "about": "written by benchmarks/train_judge.py from factcheckgpt_open (Apache-2.0) and wice_dev (ODC-BY)",
            "number": NUMBER,
            "unseen": unseen,
            "full": model(names, fitted["full"]),
            "some": model(names, fitted["some"]),
            "rarity": table,
        }
        WEIGHTS.write_text(json.dumps(told, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
