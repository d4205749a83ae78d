"""The number component: counts, value, interval, bounds and what could not be assessed."""

from dataclasses import dataclass

from monitor.domain.score import (
    Bounds,
    Interval,
    Measure,
    Measured,
    Rate,
    Undefined,
    UndefinedReason,
)
from monitor.report.numbers import NOT_MEASURED, between, counts, interval, percent
from monitor.report.words import reason_words, reasons_words

BOUNDED = frozenset(
    {
        "required_source_recall",
        "acceptable_set_recall",
        "retrieved_source_recall",
        "claim_evidence_recall",
        "source_necessity",
    }
)
"""Recalls of closed sets, and necessity: under 70 % assessed they have bounds and no point."""

_LEAST_ASSESSED = 0.7
_COUNTS_BELOW = 10
"""Prompts under which a slice shows counts only."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A dot with its whisker and bounds, in percent of the line's length; rounded for drawing."""

    at: float | None
    low: float | None
    high: float | None
    bound_low: float | None
    bound_high: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One number as it is shown: counts always travel with the value."""

    counts: str
    """`34 of 41`, or empty where nothing was measured."""
    value: str
    """`83 %, 69-91`, or empty where counts only are shown."""
    undefined: str
    """Why nothing was measured, or empty."""
    assessed: str
    """`85 % assessed, 71-85 at the bounds`, or empty where everything was assessed."""
    reasons: str
    """What was not assessable, in words with counts."""
    dot: Dot | None
    href: str | None

    @property
    def text(self) -> str:
        """The number in one line, as `34 of 41 (83 %, 69-91)`."""
        if not self.counts:
            return f"{NOT_MEASURED}: {self.undefined}"
        return f"{self.counts} ({self.value})" if self.value else self.counts


def is_unasked(measure: Measure | None) -> bool:
    """Whether nobody asked for the verdicts a measure rests on: it has no rows then."""
    return (
        measure is not None
        and isinstance(measure.rate, Undefined)
        and measure.rate.reason is UndefinedReason.NOT_JUDGED
    )


def figure_of(measure: Measure | None, href: str | None, *, slice_of: bool = False) -> Figure:
    """Figure of a scorecard's measure; in a slice under ten prompts counts only."""
    if measure is None:
        return _nothing("not counted in this slice", None)
    shown = figure(
        measure.rate,
        measure.interval,
        href=href,
        pointless=_is_pointless(measure.name, measure.rate),
    )
    if slice_of and measure.prompts < _COUNTS_BELOW and shown.counts:
        return Figure(shown.counts, "", "", "", shown.reasons, None, href)
    return shown


def figure(
    rate: Measured,
    sampling: Interval | None = None,
    *,
    href: str | None = None,
    pointless: bool = False,
    bounds: Bounds | None = None,
) -> Figure:
    """Figure of a rate or of what was not measured; `pointless` shows bounds and no point."""
    if isinstance(rate, Undefined):
        return _nothing(reason_words(rate.reason.value), href)
    if rate.value is None:
        return _unassessed(rate, href)
    edges = bounds or (rate.bounds if rate.unresolved else None)
    value = f"{percent(rate.value)}, {interval(sampling)}" if sampling else percent(rate.value)
    return Figure(
        counts=counts(rate),
        value=between(edges) if pointless and edges else value,
        undefined="",
        assessed=_assessed(rate, edges),
        reasons=reasons_words(rate.not_assessable),
        dot=_dot(None if pointless else rate.value, None if pointless else sampling, edges),
        href=href,
    )


def _is_pointless(name: str, rate: Measured) -> bool:
    """Whether too little of a bounded recall was assessed to name a point."""
    share = rate.assessed_share if isinstance(rate, Rate) else None
    return name in BOUNDED and share is not None and share < _LEAST_ASSESSED


def _nothing(why: str, href: str | None) -> Figure:
    """Figure of what was not measured."""
    return Figure("", "", why, "", "", None, href)


def _unassessed(rate: Rate, href: str | None) -> Figure:
    """Figure of a rate without anything assessed."""
    if not rate.unresolved:
        return _nothing("there was nothing to count", href)
    return _nothing(f"nothing could be assessed: {reasons_words(rate.not_assessable)}", href)


def _assessed(rate: Rate, edges: Bounds | None) -> str:
    """Assessed share and bounds in words; empty where everything was assessed."""
    if not rate.unresolved:
        return f"bounds {interval(edges)}" if edges and edges.low < edges.high else ""
    return f"{percent(rate.assessed_share)} assessed, bounds {interval(edges)}"


def _dot(value: float | None, sampling: Interval | None, edges: Bounds | None) -> Dot:
    """Places on the line from 0 to 100."""
    return Dot(
        _place(value),
        _place(sampling.low) if sampling else None,
        _place(sampling.high) if sampling else None,
        _place(edges.low) if edges else None,
        _place(edges.high) if edges else None,
    )


def _place(value: float | None) -> float | None:
    """Percent with one decimal, kept on the line."""
    return None if value is None else round(100 * min(1.0, max(0.0, value)), 1)
