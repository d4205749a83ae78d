"""Fitting and testing the embedded judge's weights: rows, features, models and folds, numpy only."""

import collections
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monitor.judge.embedded.case import Read, read_case
from monitor.judge.embedded.features import SIGNS, features
from monitor.judge.embedded.meaning import MEANING_SIGNS, load_reader
from monitor.judge.embedded.meaning_judge import meaning_features
from monitor.judge.embedded.weights import Model, Weights
from monitor.judge.embedded.words import is_number, read_words

Floats = NDArray[np.float64]
ROOT = Path(__file__).resolve().parent.parent
BENCH = "attributionbench_dev"
OTHERS = ("factcheckgpt_open", "wice_dev")
NUMBER, STEMS, CHUNK, RIDGE = 5.0, 1600, 100, 100.0
"""Weight of a number; stems kept; words of a passage for rarity; ridge on standardised features."""
_NO_MODEL = Model({}, 0.0)


def corpora() -> Path:
    """Folder of the labelled rows."""
    return Path(os.environ.get("MONITOR_CORPORA", ROOT.parent / "shared")) / "judge"


@cache
def rows(name: str) -> tuple[dict[str, Any], ...]:
    """Labelled rows of one set."""
    with (corpora() / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def rarity() -> tuple[dict[str, float], float]:
    """Inverse document frequency of common stems over passages of a hundred words.

    Counted on the passages of the other sets only, so that no fold sees its own passages.
    """
    counts: collections.Counter[str] = collections.Counter()
    total = 0
    for text in dict.fromkeys(p for name in OTHERS for row in rows(name) for p in row["passages"]):
        for line in text.split("\n"):
            stems = read_words(line[:4000]).stems
            for start in range(0, len(stems), CHUNK):
                total += 1
                counts.update(set(stems[start : start + CHUNK]))
    frequent = [(s, n) for s, n in counts.most_common(STEMS) if not is_number(s)]
    table = {s: round(math.log((total + 1) / (n + 0.5)), 2) for s, n in sorted(frequent)}
    return table, round(max(table.values()) + 0.7, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Features of each row of a set, the highest score its faults allow, and what people said."""

    x: Floats
    lowest: Floats
    """Score of a copied claim, else 0."""
    highest: Floats
    labels: tuple[str, ...]
    sources: tuple[str, ...]
    groups: tuple[str, ...]
    """What must stay in one fold: the question, or the claim where there is none."""

    def truth(self, *good: str) -> Floats:
        """1 where people gave one of the labels."""
        return np.array([float(label in good) for label in self.labels])

    def scored(self, probability: Floats) -> Floats:
        """Scores after the rules."""
        scores: Floats = np.clip(probability, self.lowest, np.maximum(self.lowest, self.highest))
        return scores


ALL_SIGNS = {**SIGNS, **MEANING_SIGNS}


@cache
def seen(name: str) -> Seen:
    """Features of one set by the code as it is now; read once in a process."""
    reads = _reads(name)
    return _seen(name, reads, [features(one.found) for one in reads])


@cache
def seen_meaning(name: str) -> Seen:
    """The same with features of meaning: minutes, for a model reads every passage."""
    reads, reader = _reads(name), load_reader()
    told = zip(reads, rows(name), strict=True)
    return _seen(name, reads, [meaning_features(one, row["passages"], reader) for one, row in told])


@cache
def _reads(name: str) -> tuple[Read, ...]:
    table, unseen = rarity()
    weights = Weights(table, unseen, NUMBER, _NO_MODEL, _NO_MODEL)
    found = [read_case(row["claim"], row["passages"], weights) for row in rows(name)]
    reads = [one for one in found if isinstance(one, Read)]
    if len(reads) < len(found):
        raise ValueError(f"{name}: a row has no words")
    return tuple(reads)


def _seen(name: str, reads: Sequence[Read], told: Sequence[Mapping[str, float]]) -> Seen:
    return Seen(
        np.array([list(one.values()) for one in told]),
        np.array([one.scored(0.0) for one in reads]),
        np.array([one.scored(1.0) for one in reads]),
        tuple(row["label"] for row in rows(name)),
        tuple(row["source"] for row in rows(name)),
        tuple(row.get("question") or row["claim"] for row in rows(name)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Rows that train together: features, truth, and a weight for each row."""

    x: Floats
    y: Floats
    w: Floats


def even(sources: Sequence[str], y: Floats) -> Floats:
    """Weights by which every source counts alike, and both classes within it: a thousand each."""
    keys = list(zip(sources, y.tolist(), strict=True))
    counts = collections.Counter(keys)
    return np.array([500 / counts[key] for key in keys])


def part(found: Seen, good: Sequence[str], kept: NDArray[np.bool_] | None = None) -> Part:
    """Rows of one set as training material."""
    every = np.ones(len(found.labels), bool) if kept is None else kept
    y = found.truth(*good)[every]
    sources = [source for source, one in zip(found.sources, every, strict=True) if one]
    return Part(found.x[every], y, even(sources, y))


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One logistic model over raw features; weights in the order of signs, 0 for those left out."""

    weights: Floats
    constant: float

    def probability(self, x: Floats) -> Floats:
        """Probability of the good label."""
        p: Floats = 1 / (1 + np.exp(-(x @ self.weights + self.constant)))
        return p


def fit(parts: Sequence[Part], signs_of: Mapping[str, int] = SIGNS) -> Fitted:
    """Ridge logistic regression in which no weight has the wrong sign.

    Every part has a constant of its own, since sets differ in how strict their people were; the
    first part's is kept. Features whose weight comes out against its sign are left out one by one.
    """
    kept = list(range(len(signs_of)))
    signs = np.array(list(signs_of.values()), float)
    x = np.vstack([one.x for one in parts])
    w = np.hstack([one.w for one in parts])
    spread = np.sqrt(np.average((x - np.average(x, 0, w)) ** 2, 0, w)) + 1e-9
    while True:
        b = _newton(parts, kept, spread)
        slopes = b[: len(kept)] * signs[kept]
        if (slopes >= 0).all():
            weights = np.zeros(len(signs_of))
            weights[kept] = b[: len(kept)] / spread[kept]
            return Fitted(weights, float(b[len(kept)]))
        kept.pop(int(slopes.argmin()))


def _newton(parts: Sequence[Part], kept: Sequence[int], spread: Floats) -> Floats:
    """Weights of standardised features, then one constant a part; constants are not shrunk."""
    z = np.vstack([one.x[:, kept] / spread[kept] for one in parts])
    own = np.vstack([np.tile(np.eye(len(parts))[at], (len(p.y), 1)) for at, p in enumerate(parts)])
    z = np.hstack([z, own])
    y, w = np.hstack([one.y for one in parts]), np.hstack([one.w for one in parts])
    ridge = np.diag([RIDGE] * len(kept) + [1e-6] * len(parts))
    b = np.zeros(z.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-z @ b))
        slope = z.T @ (w * (p - y)) + ridge @ b
        b -= np.linalg.solve((z * (w * p * (1 - p))[:, None]).T @ z + ridge, slope)
    return b


def folds(groups: Sequence[str], seed: int, count: int = 5) -> NDArray[np.int_]:
    """Fold of each row; rows of one group stay together."""
    names = sorted(set(groups))
    order = np.random.default_rng(seed).permutation(len(names))
    of = {names[at]: place % count for place, at in enumerate(order)}
    return np.array([of[group] for group in groups])


@cache
def out_of_fold(seed: int) -> Floats:
    """Score of each AttributionBench row by a judge that trained without its question."""
    return _out_of_fold([seen(name) for name in (BENCH, *OTHERS)], SIGNS, seed)


@cache
def meaning_out_of_fold(seed: int) -> Floats:
    """The same of the judge that also compares meanings."""
    return _out_of_fold([seen_meaning(name) for name in (BENCH, *OTHERS)], ALL_SIGNS, seed)


def _out_of_fold(sets: Sequence[Seen], signs: Mapping[str, int], seed: int) -> Floats:
    """Scores of the first set's rows, each by weights of the other folds and of the other sets."""
    bench = sets[0]
    others = [part(one, ("full",)) for one in sets[1:]]
    at = folds(bench.groups, seed)
    scores = np.zeros(len(bench.labels))
    for one in range(5):
        inside = at == one
        fitted = fit([part(bench, ("full",), ~inside), *others], signs)
        scores[inside] = fitted.probability(bench.x[inside])
    return bench.scored(scores)


def shipped(*, meaning: bool = False) -> dict[str, Fitted]:
    """The two models of a weights file, fitted on all rows that may train."""
    read, signs = (seen_meaning, ALL_SIGNS) if meaning else (seen, SIGNS)
    full = [part(read(name), ("full",)) for name in (BENCH, *OTHERS)]
    some = [part(read(name), ("full", "partial")) for name in OTHERS]
    return {"full": fit(full, signs), "some": fit(some, signs)}


def model(fitted: Fitted) -> dict[str, Any]:
    """A model as the weights file has it."""
    signs = ALL_SIGNS if len(fitted.weights) > len(SIGNS) else SIGNS
    named = zip(signs, fitted.weights.tolist(), strict=True)
    return {
        "constant": round(fitted.constant, 4),
        "weights": {name: round(weight, 4) for name, weight in named if weight},
    }


def class_f1(truth: Floats, told: NDArray[np.bool_]) -> float:
    """Mean of the F1 of both classes."""
    both = []
    for wanted in (True, False):
        hit = float(((truth == wanted) & (told == wanted)).sum())
        wrong = float(((truth == 1) != told).sum())
        both.append(2 * hit / (2 * hit + wrong) if hit or wrong else 0.0)
    return sum(both) / 2


def by_source(scores: Floats, found: Seen, threshold: float = 0.5) -> Mapping[str, float]:
    """Macro-F1 of each source at a threshold."""
    truth, sources = found.truth("full"), np.array(found.sources)
    return {
        str(name): class_f1(truth[sources == name], scores[sources == name] >= threshold)
        for name in sorted(set(found.sources))
    }


def mean(values: Iterable[float]) -> float:
    """Unweighted mean."""
    listed = list(values)
    return sum(listed) / len(listed)


SEEDS = range(5)
"""Ways of dealing questions into folds; every figure is a mean over them."""


def mean_f1(scores: Floats, found: Seen) -> float:
    """Unweighted mean over sources of macro-F1 at score 0.5."""
    return mean(by_source(scores, found).values())


def sure_right(scores: Floats, found: Seen, share: float) -> float:
    """Share of right answers among the given share of rows that lie farthest from 0.5."""
    kept = np.argsort(-np.abs(scores - 0.5), kind="stable")[: round(share * len(scores))]
    return float(((scores >= 0.5) == (found.truth("full") == 1))[kept].mean())


def ranks(scores: Floats, found: Seen) -> float:
    """Mean over sources of the probability that a supported row scores above another (AUROC)."""
    truth, sources = found.truth("full"), np.array(found.sources)
    told = []
    for name in sorted(set(found.sources)):
        high, low = (scores[(sources == name) & (truth == one)] for one in (1, 0))
        told.append((high[:, None] > low[None]).mean() + 0.5 * (high[:, None] == low[None]).mean())
    return mean(map(float, told))


@cache
def recalls() -> Floats:
    """Plain unigram recall of each AttributionBench row: share of the claim's words in its texts."""
    shares = []
    for row in rows(BENCH):
        there = set(_plain("\n".join(row["passages"])))
        words = _plain(row["claim"])
        shares.append(sum(word in there for word in words) / max(1, len(words)))
    return np.array(shares)


def _plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@cache
def recall_out_of_fold(seed: int) -> Floats:
    """Unigram recall moved so that 0.5 is the best threshold of the other folds."""
    bench, values = seen(BENCH), recalls()
    at = folds(bench.groups, seed)
    scores = np.zeros(len(values))
    for one in range(5):
        inside = at == one
        scores[inside] = values[inside] - _best_threshold(values, bench, ~inside) + 0.5
    return scores


def _best_threshold(values: Floats, found: Seen, kept: NDArray[np.bool_]) -> float:
    """Threshold with the best mean macro-F1 over sources on some rows."""
    truth, sources = found.truth("full"), np.array(found.sources)
    names = sorted(set(found.sources))

    def worth(threshold: float) -> float:
        told = values >= threshold
        return mean(
            class_f1(truth[own], told[own]) for own in (kept & (sources == n) for n in names)
        )

    return float(max(np.unique(values[kept].round(3)), key=worth))


def bootstrap(one: Sequence[Floats], other: Sequence[Floats], found: Seen, times: int) -> float:
    """One-sided p of the first being no better: questions drawn anew within sources, paired.

    Efron and Tibshirani 1993; the statistic is the difference of mean macro-F1, over fold seeds.
    """
    rng = np.random.default_rng(20_240_226)
    truth = found.truth("full")
    groups: dict[str, dict[str, list[int]]] = {}
    for at, (source, group) in enumerate(zip(found.sources, found.groups, strict=True)):
        groups.setdefault(source, {}).setdefault(group, []).append(at)
    worse = 0
    for _ in range(times):
        drawn = []
        for listed in groups.values():
            every = list(listed.values())
            picked = rng.integers(0, len(every), len(every))
            drawn.append(np.concatenate([every[at] for at in picked]))
        gap = mean(
            class_f1(truth[d], a[d] >= 0.5) - class_f1(truth[d], b[d] >= 0.5)
            for a, b in zip(one, other, strict=True)
            for d in drawn
        )
        worse += gap <= 0
    return (1 + worse) / (1 + times)
