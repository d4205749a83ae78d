"""Shares that moved no further than what could not be resolved did: no news about an engine.

Where redirects were not followed in one run, whole families seem to vanish, and to come back in
the next. Such a move is as large as that of the unresolved part, and goes the other way.
"""

from collections.abc import Iterable
from dataclasses import replace

from monitor.changes.columns import Cited, CitedPair
from monitor.domain.change import ROUNDING, Change, ChangeVerdict


def beyond_unresolved(changes: Iterable[Change], cited: CitedPair) -> tuple[Change, ...]:
    """The changes, of which those are only watched that unresolved citations could make alone."""
    more = _unresolved(cited.after) - _unresolved(cited.before)
    because = (
        f"{100 * more:+.1f} points of the citations that could not be resolved may be all of it"
    )
    return tuple(
        replace(one, verdict=ChangeVerdict.WATCH, because=f"{one.because}, but {because}")
        if one.verdict is ChangeVerdict.CHANGED and _is_explained(one.difference or 0.0, more)
        else one
        for one in changes
    )


def _unresolved(side: Cited) -> float:
    """Part of a sample's citations that could not be resolved to any family."""
    total = float(side.totals.sum())
    return side.unresolved / total if total else 0.0


def _is_explained(difference: float, more: float) -> bool:
    """Whether a share fell by no more than the unresolved part grew, or the other way round."""
    return difference * more < 0 and abs(difference) <= abs(more) + ROUNDING
