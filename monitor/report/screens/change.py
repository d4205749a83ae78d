"""A change as pages show it: how much, its interval, its probability and what is said of it."""

from dataclasses import dataclass

from monitor.domain.change import Change
from monitor.report.numbers import p_value, p_words, points, signed_interval, signed_points

NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True)
class ChangeView:
    """What moved between two samples, in words and unrounded."""

    verdict: str
    """One of the closed verdicts, or `not compared`."""
    because: str
    text: str
    """Difference in percentage points, with its sign."""
    interval_text: str
    """Empty where there is no interval."""
    adjusted_text: str
    """p after Benjamini and Hochberg in words; `not tested` where there was too little."""
    detectable_text: str
    """Change that would be found four times in five; empty where nobody can tell."""
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    smallest_detectable: float | None
    prompts: int
    """Prompts with something counted on either side."""
    counted: float


def change_view(change: Change) -> ChangeView:
    """A family's or a measure's change."""
    test = change.test
    least = test.smallest_detectable if test else None
    return ChangeView(
        verdict=change.verdict.value,
        because=p_words(change.because),
        text=signed_points(change.difference),
        interval_text=signed_interval(test.interval) if test else "",
        adjusted_text=p_value(test.adjusted if test else None),
        detectable_text="" if least is None else points(least),
        difference=change.difference,
        low=test.interval.low if test else None,
        high=test.interval.high if test else None,
        p=test.p_value if test else None,
        adjusted=test.adjusted if test else None,
        smallest_detectable=least,
        prompts=change.prompts,
        counted=change.counted,
    )


def not_compared(because: str) -> ChangeView:
    """In place of a change that nobody worked out."""
    return ChangeView(
        verdict=NOT_COMPARED,
        because=because,
        text="",
        interval_text="",
        adjusted_text="",
        detectable_text="",
        difference=None,
        low=None,
        high=None,
        p=None,
        adjusted=None,
        smallest_detectable=None,
        prompts=0,
        counted=0.0,
    )
