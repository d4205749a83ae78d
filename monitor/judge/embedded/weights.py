"""Fitted numbers of the embedded judge: word rarity and logistic weights, read once from JSON.

`weights.json` is written by `python benchmarks/train_judge.py`; it holds counts of common stems and
weights by feature name, so that a change of one is a readable difference. `weights_meaning.json`
(`--meaning`) holds the models of the judge that also compares meanings.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """One logistic model: weights by feature name, and the constant."""

    weights: Mapping[str, float]
    constant: float


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything fitted: rarity of common stems, and the two models."""

    rarity: Mapping[str, float]
    unseen: float
    """Rarity of a stem that the table does not hold."""
    number: float
    """Weight of a number."""
    full: Model
    some: Model
    """Probability of at least partial support."""

    def rarity_of(self, stem: str) -> float:
        """Inverse document frequency of a stem, natural logarithm."""
        return self.rarity.get(stem, self.unseen)


def _read(name: str) -> Any:
    return json.loads(files("monitor.judge.embedded").joinpath(name).read_text(encoding="utf-8"))


def _models(read: Any) -> tuple[Model, Model]:
    full, some = (Model(read[name]["weights"], read[name]["constant"]) for name in ("full", "some"))
    return full, some


@cache
def load_weights() -> Weights:
    """The weights that ship with this version."""
    read = _read("weights.json")
    full, some = _models(read)
    return Weights(read["rarity"], read["unseen"], read["number"], full, some)


@cache
def load_meaning_weights() -> Weights:
    """Rarity as ever, and the two models that read features of meaning besides those of words."""
    full, some = _models(_read("weights_meaning.json"))
    return replace(load_weights(), full=full, some=some)
