"""What the logistic models read; nothing here grows with the length of a text.

Absent names are left to covers and rules: how strictly people take them differs most between sets.
Denials, opposites, lost qualifiers and the like are left to rules: too few labelled rows have them.
"""

from collections.abc import Mapping
from types import MappingProxyType

from monitor.judge.embedded.compare import Comparison

SIGNS: Mapping[str, int] = MappingProxyType(
    {
        "passage_cover": 1,
        "worst_third": 1,
        "longest_gap": -1,
        "together": 1,
        "closeness": 1,
        "order": 1,
        "content_order": 1,
        "triples": 1,
        "rare_found": 1,
        "number_absent": -1,
        "number_far": -1,
    }
)
"""Name of each feature -> 1 where more of it speaks for support, -1 where it speaks against.

A weight of the other sign would only correct for another feature (or for the length of a text), so
training leaves such features out.
"""


def features(found: Comparison) -> dict[str, float]:
    """Features by name, each in [0,1]."""
    near = found.near
    return {
        "passage_cover": found.best.passage_cover,
        "worst_third": near.third,
        "longest_gap": near.gap,
        "together": near.together,
        "closeness": near.closeness,
        "order": found.order,
        "content_order": near.order,
        "triples": near.triples,
        "rare_found": near.rare,
        "number_absent": float(found.numbers.has("absent")),
        "number_far": float(found.numbers.has("far")),
    }
