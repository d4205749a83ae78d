"""What the outputs of an inference model mean, as its config.json names them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.errors import JudgeError

_ENTAILMENT = frozenset(
    {"entailment", "entails", "entailed", "supported", "supports", "support", "consistent"}
)
_CONTRADICTION = frozenset({"contradiction", "contradicts", "contradictory", "refuted", "refutes"})
_NEITHER = frozenset(
    {
        "neutral", "nei", "none", "not_enough_info", "unrelated", "hallucinated", "inconsistent",
        "not_entailment", "non_entailment", "not_entailed", "not_supported", "unsupported",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """Places of the labels among a model's outputs."""

    size: int
    """Outputs of the model: two or three."""
    entailment: int
    contradiction: int | None
    """None for models that know only entailment and the rest."""


def label_order(config: Mapping[str, Any]) -> LabelOrder:
    """The order of labels by `id2label`; JudgeError where it does not say what they mean."""
    named = config.get("id2label")
    if not isinstance(named, dict) or not named:
        raise JudgeError(f"config.json: no id2label; {_WANTED}")
    labels = [_plain(named.get(str(place), "")) for place in range(len(named))]
    entailing = [place for place, label in enumerate(labels) if label in _ENTAILMENT]
    contradicting = [place for place, label in enumerate(labels) if label in _CONTRADICTION]
    rest = [place for place, label in enumerate(labels) if label in _NEITHER]
    known = len(entailing) == 1 and len(contradicting) <= 1 and len(rest) <= 1
    if not known or len(labels) not in {2, 3} or 1 + len(contradicting) + len(rest) < len(labels):
        raise JudgeError(f"config.json: id2label is {str(named)[:200]}; {_WANTED}")
    return LabelOrder(len(labels), entailing[0], contradicting[0] if contradicting else None)


_WANTED = (
    'expected two or three labels with their meaning, such as {"0": "entailment", "1": "neutral", '
    '"2": "contradiction"} or {"0": "not_entailment", "1": "entailment"}: look up the order that '
    "the model was trained with and write it there"
)


def _plain(label: Any) -> str:
    """A label's name in small letters, its words joined by underscores."""
    return re.sub(r"[\W_]+", "_", str(label).strip().casefold()).strip("_")
