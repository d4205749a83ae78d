"""The number component of a page: counts first, then value, interval and what is behind it."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.score import Interval, Measure, Measured, Rate, Scorecard
from monitor.report.families import share_figure
from monitor.report.figures import Dot, Figure, figure, figure_of
from monitor.report.tables import Cell, unassessed_cells


@dataclass(frozen=True, slots=True)
class NumberView:
    """One number as a page shows it and as JSON tells it: unrounded, with its counts."""

    text: str
    """In one line: `34 of 41 (83 %, 69-91)`, or `not measured: ...`."""
    counts: str
    value_text: str
    assessed_text: str
    undefined: str | None
    """Why nothing was measured; None where something was."""
    hits: float | None
    total: float | None
    value: float | None
    low: float | None
    high: float | None
    assessed_share: float | None
    not_assessable: Mapping[str, float]
    """Reason -> how many could not be assessed."""
    reasons_text: str
    dot: Dot | None
    href: str | None
    """Page of the rows behind it."""


def number_of(measure: Measure | None, href: str | None, *, slice_of: bool = False) -> NumberView:
    """A scorecard's measure; in a slice under ten prompts counts only."""
    shown = figure_of(measure, href, slice_of=slice_of)
    if measure is None:
        return number_view(shown, None, None)
    return number_view(shown, measure.rate, measure.interval)


def number_of_share(card: Scorecard, family: str, href: str | None) -> NumberView:
    """A family's share of the citations of a scorecard; `0 of N` where others alone are cited."""
    share = next((one for one in card.families if one.family == family), None)
    shown = share_figure(card, family, href)
    if share is None:
        return number_view(shown, Rate(0, card.concentration.citations), card.uncited)
    return number_view(shown, share.rate, share.interval)


def number_of_rate(rate: Measured, interval: Interval | None, href: str | None) -> NumberView:
    """A rate with its interval, where there is one."""
    return number_view(figure(rate, interval, href=href), rate, interval)


def not_measured(why: str) -> NumberView:
    """A number that there is none of, and why."""
    return number_view(Figure("", "", why, "", "", None, None), None, None)


def unassessed_of(number: NumberView) -> tuple[Cell, Cell]:
    """Cells of a CSV: how many could not be assessed, and why."""
    return unassessed_cells(number.not_assessable, number.total)


def number_view(shown: Figure, counted: Measured | None, interval: Interval | None) -> NumberView:
    """A figure as the component, with the counts that it was made of."""
    rate = counted if isinstance(counted, Rate) else None
    return NumberView(
        text=shown.text,
        counts=shown.counts,
        value_text=shown.value,
        assessed_text=shown.assessed,
        undefined=shown.undefined or None,
        hits=rate.hits if rate else None,
        total=rate.total if rate else None,
        value=rate.value if rate else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        assessed_share=rate.assessed_share if rate else None,
        not_assessable=dict(rate.not_assessable) if rate else {},
        reasons_text=shown.reasons,
        dot=shown.dot,
        href=shown.href,
    )
