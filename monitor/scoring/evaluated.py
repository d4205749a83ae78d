"""Measures of one row of `monitor evaluate`: how well snippets stand behind a statement."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Rate
from monitor.scoring.credit import not_assessable
from monitor.scoring.short_answers import harmonic

_WORTH: Mapping[Support, float] = {Support.FULL: 1.0, Support.PARTIAL: 0.5}
_ABOUT = frozenset({Support.FULL, Support.PARTIAL, Support.CONTRADICTED})


def snippet_recall(joint: Verdict | None) -> Rate:
    """How far all snippets together support the statement: full 1, partial 0.5, else 0.

    None is a statement without snippets: not_assessable(no_citations).
    """
    if joint is None:
        return not_assessable(NotAssessable.NO_CITATIONS.value)
    if joint.reason is not None:
        return not_assessable(joint.reason)
    return Rate(_WORTH.get(joint.support, 0.0), 1)


def snippets_about(alone: Sequence[Verdict]) -> Rate:
    """Snippets whose own verdict is full, partial or contradicted / snippets judged."""
    rate = Rate(0, 0)
    for one in alone:
        about = Rate(int(one.support in _ABOUT), 1)
        rate += about if one.reason is None else not_assessable(one.reason)
    return rate


def snippet_precision(about: Rate) -> Rate:
    """The share of snippets about the statement as the value of one row.

    Not assessable where no snippet could be judged, with the commonest reason.
    """
    if about.value is not None:
        return Rate(about.value, 1)
    reasons = about.not_assessable
    if not reasons:
        return not_assessable(NotAssessable.NO_CITATIONS.value)
    return not_assessable(max(reasons, key=lambda one: (reasons[one], one)))


def snippet_f1(recall: Rate, precision: Rate) -> Rate:
    """Harmonic mean of both, 0 where either is 0; not assessable where either is."""
    if recall.value is None:
        return recall
    if precision.value is None:
        return precision
    return Rate(harmonic(precision.value, recall.value), 1)


def percent_mean(values: Iterable[float]) -> float | None:
    """Mean times 100, to the bit as numpy gives it to ALCE; None for no values (ALCE: NaN)."""
    known = list(values)
    return 100 * float(np.mean(known)) if known else None
