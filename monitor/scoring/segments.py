"""Segments: the slices of a run in which a capture counts."""

from monitor.domain.assessment import AssessedCapture

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


def _format(capture: AssessedCapture) -> str | None:
    """Shape of the answer, or shopping where the payload carries product cards."""
    if capture.shopping:
        return SHOPPING
    return capture.answer_format.value if capture.answer_format else None


def category_segment(category: str) -> str:
    """Segment name of one claim category."""
    return f"claim_category={category}"
