"""Fitted numbers of the embedded judge: word rarity and logistic weights, read once from JSON.

`weights.json` is written by `python benchmarks/train_judge.py`; it holds counts of common stems and
weights by feature name, so that a change of one is a readable difference.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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


@cache
def load_weights() -> Weights:
    """The weights that ship with this version."""
    read = json.loads(
        files("monitor.judge.embedded").joinpath("weights.json").read_text(encoding="utf-8")
    )
    full, some = (Model(read[name]["weights"], read[name]["constant"]) for name in ("full", "some"))
    return Weights(read["rarity"], read["unseen"], read["number"], full, some)
