"""Alerts that a report's run told, in words: what moved, against which runs, and the answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.alert import Alert, AnswerRef
from monitor.report.against import against_words
from monitor.report.digest import numbers_words, plain
from monitor.report.files import answer_anchor
from monitor.report.view import ReportView
from monitor.report.words import anchor, arrowed, plain_slot, whens

LONGEST = 320
"""Characters of a sentence: five families by name stand in it uncut."""


@dataclass(frozen=True, slots=True)
class Told:
    """One alert of the run."""

    says: str
    """The sentence of the message."""
    severity: str
    numbers: str
    """Before → after with counts, interval and adjusted p; empty where no test stands behind."""
    against: str
    """The earlier runs it was held against, as `against 2026-08 to 2026-10, pooled`; or empty."""
    answers: tuple[tuple[str, str | None], ...]
    """(answer, its place in this page); None where it is not among the answers shown."""
    more: int
    """Answers behind it that are not named."""
    anchor: str
    """Its own place in the page."""


def told_alerts(view: ReportView) -> tuple[Told, ...]:
    """Every alert that the run told, in the view's order: gravest first."""
    shown = {capture.id for capture in view.captures}
    return tuple(_told(view, one, number, shown) for number, one in enumerate(view.told, start=1))


def _told(view: ReportView, alert: Alert, number: int, shown: set[int]) -> Told:
    """One alert in words."""
    names = _names(view, alert.answers)
    return Told(
        says=plain(alert.says, LONGEST),
        severity=alert.severity.value,
        numbers=arrowed(plain(numbers_words(alert))),
        against=against_words(alert),
        answers=tuple(
            (name, f"#{answer_anchor(one.capture_id)}" if one.capture_id in shown else None)
            for name, one in zip(names, alert.answers, strict=True)
        ),
        more=max(0, alert.answers_in_all - len(alert.answers)),
        anchor=anchor("alert", str(number)),
    )


def _names(view: ReportView, answers: Sequence[AnswerRef]) -> tuple[str, ...]:
    """Answers by prompt and repeat; one of an earlier run names the run too."""
    slots = tuple(dict.fromkeys((view.slot, *(plain_slot(one.run) for one in answers))))
    called = dict(zip(slots, whens(slots), strict=True))
    return tuple(
        plain(f"{one.prompt_id}, answer {one.repeat}")
        + ("" if one.run == view.run else f" of {called[plain_slot(one.run)]}")
        for one in answers
    )
