"""A digest of alerts in words: what happened around the answers first, then alerts, gravest first.

Names of families, models and prompts are outsiders' text. In every form they stand on one line,
are cut where they are long, and show their control characters as `[U+202E]`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from monitor.domain.alert import Alert, AlertKind, AnswerRef, Digest, Severity
from monitor.domain.change import Change, ChangeVerdict, ConcentrationChange, Event, EventKind
from monitor.domain.score import Concentration
from monitor.report.files import Links
from monitor.report.findings import concentration_text, side_text
from monitor.report.numbers import p_value, signed_interval, signed_points, times
from monitor.report.words import clipped, event_words, plural, short, visible

FICTIONAL = "Fictional: the engines, the pages and every figure here are a sandbox's."
TEST = "Test: this message tries a channel out; nothing in it happened."

ANSWERS_SHOWN = 5
"""Answers that a message names for an alert; how many there are in all stands beside them."""

_LONGEST = 700
"""Characters of one sentence; the rest says how much was cut."""

_SUBJECT = 160


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """One answer behind an alert, and where it is to be seen."""

    text: str
    capture_id: int
    link: str | None


@dataclass(frozen=True, slots=True)
class AlertWords:
    """One alert in words, every part on one line and safe to print, not to place as markup."""

    head: str
    """Severity, verdict and entity."""
    numbers: str
    """Before -> after with counts, interval and adjusted p; empty where no test stands behind."""
    says: str
    advice: str
    answers: tuple[AnswerWords, ...]
    more: int
    """Answers behind it that are not among those."""


@dataclass(frozen=True, slots=True)
class DigestWords:
    """A digest in words, every part on one line and safe to print, not to place as markup."""

    marks: tuple[str, ...]
    """What a reader must know before anything else: a test, a sandbox."""
    title: str
    events: tuple[str, ...]
    alerts: tuple[AlertWords, ...]
    open: str
    report: str
    """Where the report is: its address, or its path; empty for none."""
    report_link: str | None
    signature: str


def plain(text: str, longest: int = _LONGEST) -> str:
    """Outsiders' text on one line, its control characters visible; what is cut is counted."""
    return clipped(visible(" ".join(text.split())), longest)


def digest_words(digest: Digest, links: Links, *, test: bool = False) -> DigestWords:
    """Everything that a digest tells, in words; a changed model is the first of the events."""
    link = links.report(digest.run)
    return DigestWords(
        marks=tuple(_marks(digest, test=test)),
        title=plain(_title(digest)),
        events=tuple(plain(event_words(event)) for event in events_in_order(digest)),
        alerts=tuple(_alert_words(alert, links) for alert in digest.alerts),
        open=_open(digest),
        report=plain(link or links.file(digest.run) or ""),
        report_link=link,
        signature=plain(digest.signature, 2000),
    )


def _marks(digest: Digest, *, test: bool) -> Iterator[str]:
    if test:
        yield TEST
    if digest.fictional:
        yield FICTIONAL


def events_in_order(digest: Digest) -> tuple[Event, ...]:
    """Events, a changed model before all others."""
    return tuple(sorted(digest.events, key=lambda one: one.kind is not EventKind.SERVED_MODEL))


def _title(digest: Digest) -> str:
    """Panel, engine, slot, and what there is: a changed model first."""
    model = any(event.kind is EventKind.SERVED_MODEL for event in digest.events)
    graded = [f"{len(found)} {one.value}" for one in Severity if (found := _of(digest, one))]
    told = plural(len(digest.alerts), "new alert") + (f" ({', '.join(graded)})" if graded else "")
    parts = ["another model answers", told] if model else [told]
    return f"{digest.panel}, {digest.engine}, {digest.slot}: {'; '.join(parts)}"


def _of(digest: Digest, severity: Severity) -> list[Alert]:
    return [alert for alert in digest.alerts if alert.severity is severity]


def _open(digest: Digest) -> str:
    """How many alerts were told before and are open still."""
    if not digest.still_open:
        return "No earlier alert is open."
    many = digest.still_open != 1
    return (
        f"{plural(digest.still_open, 'earlier alert')} {'are' if many else 'is'} open still and "
        f"{'are' if many else 'is'} not told again; `monitor alerts list` has "
        f"{'them' if many else 'it'}."
    )


def _alert_words(alert: Alert, links: Links) -> AlertWords:
    shown = alert.answers[:ANSWERS_SHOWN]
    return AlertWords(
        head=plain(f"{alert.severity.value}, {alert_verdict(alert).value}: {alert.entity}"),
        numbers=plain(numbers_words(alert)),
        says=plain(alert.says),
        advice=plain(alert.advice),
        answers=tuple(
            AnswerWords(plain(_answer_name(one)), one.capture_id, links.answer(one))
            for one in shown
        ),
        more=max(alert.answers_in_all, len(alert.answers)) - len(shown),
    )


def _answer_name(one: AnswerRef) -> str:
    return f"{one.prompt_id}, answer {one.repeat} (capture {one.capture_id}, {one.run})"


def alert_verdict(alert: Alert) -> ChangeVerdict:
    """The verdict of the test behind an alert; without one, what its kind comes to."""
    tested = alert.change or alert.concentration
    if tested is not None:
        return tested.verdict
    doubt = alert.kind is AlertKind.RUN_QUALITY
    return ChangeVerdict.NOT_COMPARABLE if doubt else ChangeVerdict.CHANGED


def numbers_words(alert: Alert) -> str:
    """Before -> after with counts, difference, interval and adjusted p; empty without a test."""
    if alert.change is not None:
        return _change_words(alert.change)
    return "" if alert.concentration is None else _concentration_words(alert.concentration)


def _change_words(change: Change) -> str:
    sides = f"{side_text(change.before)} -> {side_text(change.after)}"
    moved = f"{sides}: {signed_points(change.difference)}"
    if change.test is None:
        return f"{moved}; not tested"
    level = f"{100 * change.test.interval.level:.0f} % interval"
    return (
        f"{moved}, {level} {signed_interval(change.test.interval)}; "
        f"adjusted p {p_value(change.test.adjusted)}; {plural(change.prompts, 'prompt')}"
    )


def _concentration_words(change: ConcentrationChange) -> str:
    sides = f"{_level(change.before)} -> {_level(change.after)}"
    if change.test is None:
        return f"{sides}; not tested"
    level = f"{100 * change.test.interval.level:.0f} % interval"
    return (
        f"{sides}: {times(change.test.ratio, change.test.interval)}, {level}; "
        f"adjusted p {p_value(change.test.adjusted)}; {plural(change.prompts, 'prompt')}"
    )


def _level(one: Concentration) -> str:
    return f"{concentration_text(one)} of {plural(one.citations, 'citation')}"


def digest_subject(digest: Digest, *, test: bool = False) -> str:
    """Subject of a mail: one line, at most 160 characters, marked where it is no real news."""
    marks = "".join(
        f"[{mark}] " for mark, on in (("test", test), ("fictional", digest.fictional)) if on
    )
    return short(f"{marks}{plain(_title(digest), _SUBJECT)}", _SUBJECT)


def digest_text(digest: Digest, links: Links, *, test: bool = False) -> str:
    """A digest as plain text, for mails and terminals."""
    told = digest_words(digest, links, test=test)
    lines = [*told.marks, told.title, ""]
    if told.events:
        lines += ["What changed around the answers:", *(f"- {one}" for one in told.events), ""]
    for alert in told.alerts:
        lines += [*_alert_lines(alert), ""]
    lines += [told.open]
    lines += [f"Report: {told.report} (`monitor report` writes it)"] if told.report else []
    return "\n".join([*lines, f"Signature: {told.signature}", ""])


def alert_text(alert: Alert, links: Links) -> str:
    """One alert as plain text, as it stands in a digest."""
    return "\n".join(_alert_lines(_alert_words(alert, links)))


def _alert_lines(alert: AlertWords) -> Iterator[str]:
    """One alert as lines of plain text."""
    yield f"* {alert.head}"
    for line in (alert.numbers, alert.says, alert.advice and f"Next: {alert.advice}"):
        if line:
            yield f"  {line}"
    for one in alert.answers:
        yield f"  - {one.text}{f' {one.link}' if one.link else ''}"
    if alert.more > 0:
        yield f"  - {more_words(alert)}"


def more_words(alert: AlertWords) -> str:
    """How many answers behind an alert are not named."""
    return f"and {plural(alert.more, 'more answer')}"


def digest_html(digest: Digest, links: Links, *, test: bool = False) -> str:
    """A digest as the HTML of a mail: everything escaped, nothing loaded from anywhere."""
    told = digest_words(digest, links, test=test)
    parts = [Markup("<p><strong>{}</strong></p>").format(mark) for mark in told.marks]
    parts += [Markup("<h1>{}</h1>").format(told.title)]
    if told.events:
        parts += [Markup("<h2>What changed around the answers</h2>"), _list(told.events)]
    for alert in told.alerts:
        parts += _alert_html(alert)
    parts += [Markup("<p>{}</p>").format(told.open)]
    if told.report:
        parts += [Markup("<p>Report: {}</p>").format(_linked(told.report, told.report_link))]
    parts += [Markup("<p><small>Signature: {}</small></p>").format(told.signature)]
    body = Markup("\n").join(parts)
    return str(
        Markup('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{}</title>'
               "</head>\n<body>\n{}\n</body></html>\n").format(told.title, body)
    )  # fmt: skip


def _alert_html(alert: AlertWords) -> Iterator[Markup]:
    """One alert as HTML."""
    yield Markup("<h2>{}</h2>").format(alert.head)
    if alert.numbers:
        yield Markup("<p><strong>{}</strong></p>").format(alert.numbers)
    yield Markup("<p>{}</p>").format(alert.says)
    if alert.advice:
        yield Markup("<p>Next: {}</p>").format(alert.advice)
    named = [_linked(one.text, one.link) for one in alert.answers]
    if alert.more > 0:
        named.append(escape(more_words(alert)))
    if named:
        yield _list(named)


def _list(lines: Sequence[str]) -> Markup:
    """Lines as a list; what is no markup yet is escaped."""
    return Markup("<ul>{}</ul>").format(
        Markup("").join(Markup("<li>{}</li>").format(line) for line in lines)
    )


def _linked(text: str, link: str | None) -> Markup:
    """Text as a link where it leads somewhere."""
    if link is None:
        return escape(text)
    return Markup('<a href="{}">{}</a>').format(link, text)
