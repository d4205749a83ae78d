"""A digest for chats: Block Kit of Slack, and an Adaptive Card for the Workflows of Teams.

Both read markup in what they are sent. Outsiders' text therefore stands in elements that know no
markup (`plain_text`, `TextRun`), so that it mentions nobody, links nowhere and imitates nothing.
Both refuse what is too long: what does not fit is left out, and how much that was is said.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from monitor.domain.alert import Digest
from monitor.report.digest import AlertWords, DigestWords, digest_words, more_words, plain
from monitor.report.files import Links
from monitor.report.words import plural, short

_HEADER = 150
_SECTION = 3000
_BLOCKS = 50
"""What Slack takes of one header, one section and one message."""

_SLACK_JSON = 12_000
"""Characters of all blocks as JSON: Slack refuses messages of about 17,000, and tells no limit."""

_CARD_BYTES = 24_000
"""Bytes of a card: Teams refuses messages of more than 28 kB."""

_EVENTS_SHOWN = 10
_EVENT, _SIGNATURE = 200, 800
"""Characters of an event, and of the signature, that a chat shows."""

Json = dict[str, Any]


def digest_blocks(digest: Digest, links: Links, *, test: bool = False) -> Json:
    """A message for an incoming webhook of Slack, within its limits."""
    told = digest_words(digest, links, test=test)
    return _fitting(told, _slack, lambda made: _fits_slack(made["blocks"]))


def _fits_slack(blocks: Sequence[Json]) -> bool:
    """Whether Slack takes so many blocks and characters."""
    return len(blocks) <= _BLOCKS and len(json.dumps(blocks, ensure_ascii=False)) <= _SLACK_JSON


def _fitting(told: DigestWords, make: Callable[[DigestWords, int], Json],
             fits: Callable[[Json], bool]) -> Json:  # fmt: skip
    """The message with as many of the alerts, gravest first, as fit."""
    made = make(told, 0)
    for shown in range(1, len(told.alerts) + 1):
        longer = make(told, shown)
        if not fits(longer):
            break
        made = longer
    return made


def _slack(told: DigestWords, shown: int) -> Json:
    """The message with its first alerts only."""
    blocks = [_words(mark) for mark in told.marks]
    blocks.append({"type": "header", "text": _plain(told.title, _HEADER)})
    blocks += [_words(f"Event: {plain(one, _EVENT)}") for one in told.events[:_EVENTS_SHOWN]]
    if len(told.events) > _EVENTS_SHOWN:
        blocks.append(_words(_left_out(len(told.events) - _EVENTS_SHOWN, "event")))
    for alert in told.alerts[:shown]:
        blocks += _alert_blocks(alert)
    if shown < len(told.alerts):
        blocks.append(_words(_left_out(len(told.alerts) - shown, "alert")))
    blocks.append(_words(told.open))
    if told.report:
        blocks.append(_linked("Report", [("open", told.report_link)])
                      if told.report_link else _words(f"Report: {told.report}"))  # fmt: skip
    signature = f"Signature: {plain(told.signature, _SIGNATURE)}"
    blocks.append({"type": "context", "elements": [_plain(signature, _SECTION)]})
    fallback = " ".join((*told.marks, told.title))
    return {
        "text": _escaped(fallback),
        "mrkdwn": False,
        "parse": "none",
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": blocks,
    }


def _alert_blocks(alert: AlertWords) -> list[Json]:
    """One alert: its words without markup, then links that hold no word of outsiders."""
    lines = [alert.head, alert.numbers, alert.says, alert.advice and f"Next: {alert.advice}"]
    lines += [f"- {one.text}" for one in alert.answers]
    lines += [more_words(alert)] if alert.more > 0 else []
    blocks: list[Json] = [{"type": "divider"}, _words("\n".join(line for line in lines if line))]
    places = [(str(one.capture_id), one.link) for one in alert.answers if one.link]
    return [*blocks, _linked("Answers", places)] if places else blocks


def _left_out(number: int, what: str) -> str:
    """That something does not fit, and where it is."""
    verb = "is" if number == 1 else "are"
    return f"{plural(number, f'more {what}')} {verb} left out here; `monitor alerts list` has all."


def _words(text: str) -> Json:
    return {"type": "section", "text": _plain(text, _SECTION)}


def _plain(text: str, most: int) -> Json:
    """Text that Slack shows as it is: no markup, no mention, no emoji."""
    return {"type": "plain_text", "text": short(text, most), "emoji": False}


def _linked(title: str, places: Sequence[tuple[str, str | None]]) -> Json:
    """Links under names of our own."""
    told = " ".join(f"<{_escaped(link)}|{name}>" for name, link in places if link)
    text = {"type": "mrkdwn", "text": f"{title}: {told}", "verbatim": True}
    return {"type": "section", "text": text}


def _escaped(text: str) -> str:
    """Text in which Slack sees neither a link nor a mention."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def digest_card(digest: Digest, links: Links, *, test: bool = False) -> Json:
    """A message with one Adaptive Card for a Workflows webhook of Teams, within its limit."""
    told = digest_words(digest, links, test=test)
    return _fitting(told, _teams, lambda made: _bytes(made) <= _CARD_BYTES)


def _bytes(made: Json) -> int:
    """Length of a message as it is sent."""
    return len(json.dumps(made, ensure_ascii=False).encode("utf-8", "replace"))


def _teams(told: DigestWords, shown: int) -> Json:
    """The message with its first alerts only."""
    body = [_runs(_run(mark, bold=True)) for mark in told.marks]
    body.append(_runs(_run(told.title, bold=True, size="large")))
    body += [_runs(_run(f"Event: {plain(one, _EVENT)}")) for one in told.events[:_EVENTS_SHOWN]]
    if len(told.events) > _EVENTS_SHOWN:
        body.append(_runs(_run(_left_out(len(told.events) - _EVENTS_SHOWN, "event"))))
    for alert in told.alerts[:shown]:
        body += _alert_card(alert)
    if shown < len(told.alerts):
        body.append(_runs(_run(_left_out(len(told.alerts) - shown, "alert"))))
    body.append(_runs(_run(told.open)))
    if told.report:
        body.append(_runs(_run("Report: "), _run(told.report, link=told.report_link)))
    body.append(_runs(_run(f"Signature: {plain(told.signature, _SIGNATURE)}", size="small")))
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": {"width": "Full"},
        "body": body,
    }
    kind = "application/vnd.microsoft.card.adaptive"
    attached = {"contentType": kind, "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attached]}


def _alert_card(alert: AlertWords) -> list[Json]:
    """One alert as rows of text without markup."""
    rows = [_runs(_run(alert.head, bold=True), separator=True)]
    rows += [_runs(_run(line)) for line in (alert.numbers, alert.says) if line]
    rows += [_runs(_run(f"Next: {alert.advice}"))] if alert.advice else []
    rows += [_runs(_run(f"- {one.text}", link=one.link)) for one in alert.answers]
    return [*rows, _runs(_run(more_words(alert)))] if alert.more > 0 else rows


def _runs(*runs: Json, separator: bool = False) -> Json:
    """A row of text that Teams shows as it is: unlike a TextBlock, it knows no Markdown."""
    return {"type": "RichTextBlock", "inlines": list(runs), "separator": separator}


def _run(text: str, *, bold: bool = False, size: str = "default", link: str | None = None) -> Json:
    """A piece of such a row; as a link where it leads somewhere."""
    run: Json = {"type": "TextRun", "text": text, "size": size}
    if bold:
        run["weight"] = "bolder"
    if link is not None:
        run["selectAction"] = {"type": "Action.OpenUrl", "url": link}
    return run
