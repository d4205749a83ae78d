"""Bounds of a recall or precision while part of it is not assessable.

Precedents: unjudged documents count as non-relevant in TREC pooling (a lower bound); base plus
residual in rank-biased precision (Moffat and Zobel 2008).
"""

from collections.abc import Iterable, Sequence

from monitor.domain.score import Bounds


def closed_bounds(found: float, missing: float, unresolved: float) -> Bounds | None:
    """Recall of a known set, F / all to (F + U) / all; None without any."""
    everything = found + missing + unresolved
    if not everything:
        return None
    return Bounds(found / everything, (found + unresolved) / everything)


def pooled_bounds(
    relevant_cited: float,
    unresolved_cited: float,
    relevant_elsewhere: float,
    unresolved_elsewhere: float,
) -> Bounds | None:
    """Recall of a set that is itself the pool of what all engines cited.

    Lower Rc / (Rc + Re + Ue): own unresolved pages irrelevant, the others' relevant. Upper
    (Rc + Uc) / (Rc + Uc + Re): the reverse. None while no relevant page is known.
    """
    if relevant_cited + relevant_elsewhere <= 0:
        return None
    low = relevant_cited / (relevant_cited + relevant_elsewhere + unresolved_elsewhere)
    cited = relevant_cited + unresolved_cited
    return Bounds(low, cited / (cited + relevant_elsewhere))


def weighted_bounds(scores: Sequence[float | None]) -> Bounds | None:
    """Mean score with unresolved ones (None) counted 0 and counted 1."""
    if not scores:
        return None
    known = sum(score for score in scores if score is not None)
    unknown = sum(score is None for score in scores)
    return Bounds(known / len(scores), (known + unknown) / len(scores))


def mean_bounds(parts: Iterable[Bounds]) -> Bounds | None:
    """Macro average of bounds over prompts; None of nothing. Never drawn with a pooled one."""
    known = tuple(parts)
    if not known:
        return None
    return Bounds(
        sum(part.low for part in known) / len(known), sum(part.high for part in known) / len(known)
    )


def difference_bounds(a: Bounds, b: Bounds) -> Bounds:
    """What a minus b could be, from low_a - high_b to high_a - low_b."""
    return Bounds(a.low - b.high, a.high - b.low)


def is_separated(a: Bounds, b: Bounds) -> bool:
    """Whether two bounds leave no common value; else the two are `not separated`."""
    return a.low > b.high or b.low > a.high
