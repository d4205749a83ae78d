"""What the logistic models read; nothing here grows with the length of a text.

Lost qualifiers, opposites and sweeping words are left to rules: too few labelled rows have them.
"""

from monitor.judge.embedded.compare import Comparison

_STRONG = 0.7
"""Cover of the best sentence above which a turned word is about the same matter."""


def features(found: Comparison) -> dict[str, float]:
    """Features by name, each in [0,1]."""
    best, numbers = found.best, found.numbers
    names = len(found.missing_names) + len(found.far_names)
    close = best.sentence_cover >= _STRONG
    return {
        "sentence_cover": best.sentence_cover,
        "passage_cover": best.passage_cover,
        "passage_cover_squared": best.passage_cover**2,
        "whole_cover": found.whole_cover,
        "titled_cover": found.titled_cover,
        "titled_cover_squared": found.titled_cover**2,
        "plain_cover": found.plain_cover,
        "pairs": found.pairs,
        "order": found.order,
        "order_squared": found.order**2,
        "rarest_missing": found.rarest_missing,
        "number_absent": float(bool(numbers.absent)),
        "number_far": float(bool(numbers.far)),
        "number_displaced": float(bool(numbers.displaced)),
        "number_borne_out": float(numbers.count > 0 and not numbers.wrong),
        "name_absent": float(bool(found.missing_names)),
        "name_far": float(names > 0),
        "negation": float(found.negation and close),
    }
