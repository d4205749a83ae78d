"""Order and annotators of pooled sources: drawn from a seed, so that nobody chose them."""

from collections.abc import Mapping, Sequence

from monitor.domain.keys import content_key

_DIGITS = 7
"""Hex digits of a position: fits every database's integer."""


def position_of(seed: int, prompt: str, page_key: str) -> int:
    """Place of a source in an order that tells nothing of where it comes from."""
    return int(content_key([seed, "order", prompt, page_key], _DIGITS), 16) + 1


def draw_annotators(
    keys: Sequence[tuple[str, str]],
    annotators: Sequence[str],
    *,
    double_share: float,
    seed: int,
    known: tuple[int, int] = (0, 0),
) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Who grades each (prompt, page key): one annotator in turn, and a share of them two.

    `known` says how many sources were drawn before, and how many of these for two, so that the
    share holds over all of them.
    """
    if not annotators:
        return dict.fromkeys(keys, ())
    drawn = sorted(set(keys), key=lambda key: content_key([seed, "who", *key]))
    before, doubled = known
    wanted = int(double_share * (before + len(drawn)) + 0.5) - doubled
    doubles = wanted if len(annotators) > 1 else 0
    return {
        key: tuple(
            annotators[(before + place + step) % len(annotators)]
            for step in range(2 if place < doubles else 1)
        )
        for place, key in enumerate(drawn)
    }
