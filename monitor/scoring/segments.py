"""Segments: the slices of a run in which a capture counts."""

from collections import Counter
from collections.abc import Sequence

from monitor.domain.assessment import AssessedCapture
from monitor.domain.engine import HEARD, Outcome
from monitor.domain.score import Coverage

EVERYTHING = "all"
SHOPPING = "shopping"
FIELDS = ("intent", "topic", "risk", "locale", "answer_format")
"""Fields of the segments made from captures; claim categories are made from tallies."""


def segment_keys(capture: AssessedCapture) -> tuple[str, ...]:
    """`all` and `field=value` for every field that has a value.

    Product cards in the payload make the answer format `shopping`. A capture without an answer
    has no format. Engine, access and month are scorecards of their own.
    """
    fields = {
        "intent": capture.prompt.intent,
        "topic": capture.prompt.topic,
        "risk": capture.prompt.risk.value,
        "locale": capture.prompt.locale,
        "answer_format": _format(capture),
    }
    return (EVERYTHING, *(f"{name}={fields[name]}" for name in FIELDS if fields[name]))


def slice_coverage(captures: Sequence[AssessedCapture]) -> Coverage:
    """Coverage of the captures that fell into one segment; each of them was attempted.

    What was planned but never asked belongs to no answer format, so it counts in `all` only.
    """
    outcomes = Counter(
        f"{one.outcome.value}/{one.reason}" if one.reason else one.outcome.value for one in captures
    )
    return Coverage(
        planned=len(captures),
        attempted=len(captures),
        heard=sum(one.outcome in HEARD for one in captures),
        answered=sum(one.outcome is Outcome.ANSWERED for one in captures),
        outcomes=dict(sorted(outcomes.items())),
    )


def _format(capture: AssessedCapture) -> str | None:
    """Shape of the answer, or shopping where the payload carries product cards."""
    if capture.shopping:
        return SHOPPING
    return capture.answer_format.value if capture.answer_format else None


def category_segment(category: str) -> str:
    """Segment name of one claim category."""
    return f"claim_category={category}"
