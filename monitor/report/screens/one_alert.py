"""One alert with its evidence: numbers, what happened around them, answers, what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.alert import Alert, StoredAlert
from monitor.domain.change import Event, EventKind
from monitor.report.digest import plain
from monitor.report.numbers import p_value, p_words
from monitor.report.screens.alerts import AlertLine, ToldLine
from monitor.report.screens.links import capture_address, prompt_address
from monitor.report.tables import Table
from monitor.report.words import event_words, plural


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answer behind an alert."""

    capture_id: int
    href: str
    prompt: str
    prompt_href: str
    repeat: int
    run: str


@dataclass(frozen=True, slots=True)
class AlertScreen:
    """An alert and everything that stands behind it."""

    alert: AlertLine
    key: str
    """What makes it the same alert in a later run."""
    advice: str
    because: str
    """By which rule the change is one; empty where no test stands behind it."""
    test_text: str
    events: tuple[str, ...]
    """What changed around the answers between the runs, a changed model first."""
    events_text: str
    """Between which runs that was."""
    answers: tuple[AnswerLine, ...]
    more_text: str
    """How many more answers are behind it; empty for none."""
    told: tuple[ToldLine, ...]
    digest: str
    """What is told of it, as the plain text of a mail."""
    seen_text: str
    """Against which run it was held last."""


def alert_screen(
    one: StoredAlert,
    line: AlertLine,
    *,
    events: Sequence[Event],
    told: Sequence[ToldLine],
    digest: str,
) -> AlertScreen:
    """An alert's page, from its line and what was looked up for it."""
    alert = one.alert
    shown = tuple(
        AnswerLine(
            ref.capture_id,
            capture_address(ref.capture_id),
            ref.prompt_id,
            prompt_address(ref.prompt_id, run=ref.run),
            ref.repeat,
            ref.run,
        )
        for ref in alert.answers
    )
    more = max(alert.answers_in_all, len(shown)) - len(shown)
    return AlertScreen(
        alert=line,
        key=one.key,
        advice=plain(alert.advice),
        because=plain(p_words(_because(alert))),
        test_text=_test(alert),
        events=tuple(plain(event_words(event)) for event in _ordered(events)),
        events_text=f"{alert.before[-1]} to {alert.after}" if alert.before else "",
        answers=shown,
        more_text=f"and {plural(more, 'more answer')}, not named here" if more else "",
        told=tuple(told),
        digest=digest,
        seen_text=one.seen_run,
    )


def _because(alert: Alert) -> str:
    tested = alert.change or alert.concentration
    return tested.because if tested else ""


def _test(alert: Alert) -> str:
    """Raw and adjusted p, prompts, and the least change that would be found."""
    tested = alert.change or alert.concentration
    if tested is None or tested.test is None:
        return ""
    test = tested.test
    parts = [f"p {p_value(test.p_value)}, adjusted for the many tests {p_value(test.adjusted)}"]
    parts.append(plural(tested.prompts, "prompt"))
    least = alert.change.test.smallest_detectable if alert.change and alert.change.test else None
    if least is not None:
        parts.append(f"a change of {100 * least:.1f} points would be found four times in five")
    return "; ".join(parts)


def _ordered(events: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=lambda one: one.kind is not EventKind.SERVED_MODEL))


ANSWERS_HEADER = ("alert", "capture", "prompt", "repeat", "run")


def answers_table(screen: AlertScreen) -> Table:
    """The answers behind an alert as rows."""
    return ANSWERS_HEADER, [
        (screen.alert.id, one.capture_id, one.prompt, one.repeat, one.run) for one in screen.answers
    ]
