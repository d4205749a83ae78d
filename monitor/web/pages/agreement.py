"""Agreement of annotators, counted in the background once for each state of the labels."""

from collections.abc import Callable, Hashable, Sequence

from monitor.baseline.agreement import Agreement
from monitor.report.screens.agreement import AgreementLine, AgreementView
from monitor.web.counting import StillCountingError
from monitor.web.desk import Desk

_SOON = 2.0
"""Seconds that a page waits for agreement."""
_LABELS = {
    "raw_agreement": "Raw agreement",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
}


def agreement_view(
    desk: Desk, key: Hashable, measure: Callable[[], Sequence[Agreement]]
) -> AgreementView:
    """Agreement under a key of all that it depends on; says so while it is being counted."""
    try:
        found = desk.counting.get(key, measure, patience=_SOON)
    except StillCountingError:
        return AgreementView((), counting=True)
    return AgreementView(tuple(map(_line, found)))


def _line(one: Agreement) -> AgreementLine:
    reason = one.coefficient.reason or one.resampled.reason
    interval = one.resampled.interval
    return AgreementLine(
        one.name,
        _LABELS.get(one.name, one.name),
        one.coefficient.value,
        interval.low if interval else None,
        interval.high if interval else None,
        one.coefficient.subjects,
        reason.value.replace("_", " ") if reason else "",
    )
