"""Plain words for closed words of ours, and the neutral form of words that are not ours."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import urlsplit

from monitor.domain.change import (
    ChangeVerdict,
    Event,
    EventKind,
    LeftOut,
    LeftOutReason,
    OverlapChange,
)
from monitor.domain.keys import content_key, slot_of
from monitor.report.numbers import count

_HOSTILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e"
    "\u2066-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SPACED = re.compile(r"[\s\\]|[^\x21-\x7e]")
_DATED = re.compile(r"(\d{4}-\d{2})(?:-(\d{2}))?(?:T(\d{2}:\d{2})(:\d{2})?)?")
_NUMBER_SPACE = re.compile(r"(?<=\d) (?=of \d|%|points|to [-+\d])|(?<=\b(?:of|to)) (?=[-+\d])")
_LONGEST = 300
"""Characters of a title or a name that are shown; the rest says how much was cut."""

_SHORT = 80

_NAMES = 12
"""Names that a line lists."""

REASONS: Mapping[str, str] = MappingProxyType(
    {
        "no_baseline": "no baseline for it",
        "baseline_stale": "the prompt was edited after its baseline",
        "no_required": "the baseline requires nothing of this kind",
        "no_answered": "no answer came back",
        "no_visible": "no visible citation",
        "not_exposed": "the engine does not tell",
        "not_judged": "the support matrix was not asked for",
        "no_crawler": "no crawler is known that decides for it",
        "not_checked": "not checked yet",
        "family_item": "a publisher, no page of it is named",
        "robots_unreachable": "robots.txt unreachable for us",
        "robots_rate_limited": "robots.txt refused for now (429)",
        "ok": "read",
        "not_found": "page not found",
        "blocked_by_site": "the site refused us",
        "paywalled": "behind a paywall",
        "robots": "robots.txt forbids it",
        "unreachable": "site unreachable",
        "timeout_total": "page took too long",
        "incomplete": "page came incomplete",
        "too_large": "page too large",
        "unsupported_type": "not a text page",
        "unsupported_encoding": "unknown encoding",
        "unsupported_scheme": "not a web address",
        "invalid_url": "invalid address",
        "blocked_address": "private address, not fetched",
        "blocked_port": "unusual port, not fetched",
        "no_text": "no text of the page or answer",
        "unreadable": "page cannot be read",
        "unmapped": "citations are tied to no sentence",
        "no_citations": "no citations where none are due",
        "judge_unclear": "the judge is not sure",
        "judge_error": "the judge failed",
        "pending": "page not fetched yet",
        "disputed": "partial verdict, disputed",
        "ungraded": "source not graded in the baseline",
        "unresolved": "address could not be resolved",
        "not_exact": "too many sources for an exact search",
    }
)
"""Closed reasons in a reader's words."""

SUPPORT: Mapping[str, str] = MappingProxyType(
    {
        "full": "supported",
        "partial": "partly supported",
        "unsupported": "not supported",
        "contradicted": "contradicted",
        "not_assessable": "not assessable",
    }
)
"""Support classes in a reader's words; each also has a shape."""

_OUTCOMES: Mapping[str, str] = MappingProxyType(
    {
        "truncated": "cut short",
        "no_answer": "no answer",
        "needs_input": "asked back",
        "login_required": "login required",
        "consent_required": "consent required",
        "timeout": "timed out",
        "layout_unknown": "page layout unknown",
        "rate_limit": "rate limit",
        "auth": "key refused",
        "quota": "quota spent",
        "request": "request refused",
        "geo": "region",
        "absent": "none shown",
    }
)

_EVENTS: Mapping[EventKind, str] = MappingProxyType(
    {
        EventKind.SERVED_MODEL: "another model answers",
        EventKind.QUERIES: "the engine searches with other words",
        EventKind.FAMILY_MAP: "the map of source families changed",
        EventKind.BASELINE: "the baseline changed",
        EventKind.PANEL_VERSION: "the panel changed",
        EventKind.RESCORED: "the earlier run was scored anew",
        EventKind.NOTE: "note",
    }
)


def visible(text: str) -> str:
    """Text in which control and direction-changing characters stand as `[U+202E]`."""
    if not _HOSTILE.search(text):
        return text
    return _HOSTILE.sub(lambda m: f"[U+{ord(m[0]):04X}]", text.replace("\r\n", "\n"))


def clipped(text: str, most: int = _LONGEST) -> str:
    """Text of at most 300 characters, or of `most`; what is cut is said in words."""
    if len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text) - most} more characters)"


def short(text: str, most: int = _SHORT) -> str:
    """A text of at most so many characters, with an ellipsis where it is cut."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def open_link(url: str | None) -> str | None:
    """Address that is safe to open: http or https, a host, no user; else None."""
    if not url or _SPACED.search(url):
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    safe = parts.scheme in {"http", "https"} and host and "@" not in parts.netloc
    return url if safe else None


def reason_words(reason: str) -> str:
    """A closed reason in words; anything else with its underscores as spaces."""
    return REASONS.get(reason, reason.replace("_", " "))


def reasons_words(reasons: Mapping[str, float]) -> str:
    """Reasons with their counts, as `page not found (4)`, commonest first; empty for none."""
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(
        f"{reason_words(reason)} ({count(number)})" for reason, number in ordered if number
    )


def support_words(support: str | None) -> str:
    """A support class in words; `no citation` where there is none."""
    return "no citation" if support is None else SUPPORT[support]


def outcome_words(outcome: str) -> str:
    """An outcome in words, as `blocked (captcha)` for `blocked/captcha`."""
    word, _, reason = outcome.partition("/")
    said = _OUTCOMES.get(word, word.replace("_", " "))
    return f"{said} ({_OUTCOMES.get(reason, reason.replace('_', ' '))})" if reason else said


def event_words(event: Event, *, compared: bool = True) -> str:
    """What happened around the answers, in one line; `compared` beside matched prompts alone."""
    matched = compared and event.kind is EventKind.PANEL_VERSION
    said = _EVENTS[event.kind] + ("; matched prompts only" if matched else "")
    arrow = f": {event.before} → {event.after}" if event.before or event.after else ""
    note = f" ({event.note})" if event.note else ""
    return f"{said}{arrow}{note}"


def stability_words(change: OverlapChange) -> str:
    """What is said of the overlap of repeats: `moved`, not `changed`, for it is no verdict."""
    moved = change.verdict is ChangeVerdict.CHANGED
    return "moved" if moved else change.verdict.value


def left_out_words(left_out: Iterable[LeftOut]) -> tuple[str, ...]:
    """Prompts that were not compared, a line a reason: `edited: p1, p2`."""
    found: dict[LeftOutReason, list[str]] = {}
    for one in left_out:
        name = f"{one.prompt_id} → {one.note}" if one.note else one.prompt_id
        found.setdefault(one.reason, []).append(visible(name))
    return tuple(f"{reason.value}: {_some(names)}" for reason, names in found.items())


def _some(names: list[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more}"


def when(slot: str, other: str | None = None) -> str:
    """A slot as short as still tells it from another one: month, day, minute or second."""
    if slot.startswith("import:"):
        return f"import {slot.removeprefix('import:')[:8]}"
    for form in _forms(slot):
        if other is None or form not in _forms(other):
            return form
    return slot


def whens(slots: Sequence[str]) -> tuple[str, ...]:
    """Slots as short as tells them all apart, each in the same form where it has one."""
    forms = [_forms(slot) if not slot.startswith("import:") else (when(slot),) for slot in slots]
    for length in range(max(map(len, forms), default=0)):
        named = tuple(form[min(length, len(form) - 1)] for form in forms)
        if len(set(named)) == len(named):
            return named
    return tuple(slots)


def plain_slot(run: str) -> str:
    """Slot of a run by its public id, control characters visible."""
    return visible(slot_of(run))


def month(slot: str) -> str | None:
    """The month a dated slot names, as `2026-10`; None for any other slot."""
    match = _DATED.match(slot)
    return match[1] if match else None


def _forms(slot: str) -> tuple[str, ...]:
    """A dated slot from short to long; a slot without date has one form."""
    match = _DATED.match(slot)
    if match is None:
        return (slot,)
    month, day, minute, _ = match.groups()
    forms = [
        month,
        f"{month}-{day}" if day else None,
        f"{month}-{day} {minute}" if minute else None,
    ]
    return (*(form for form in forms if form), slot)


def anchor(*parts: str) -> str:
    """Name of a place in the page, made of our own names only."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", "-".join(parts))


def rows_anchor(engine: str, measure: str) -> str:
    """Place of the rows behind one engine's measure."""
    return anchor("rows", engine, measure)


def cites_anchor(engine: str, family: str) -> str:
    """Place of the rows behind one engine's share of one family."""
    return anchor("cites", engine, content_key(family.encode("utf-8", "replace").hex(), 10))


def of_panel(panel: str | None) -> str:
    """A panel after what is said to be its; empty where no panel is named."""
    return f" of {panel}" if panel else ""


def plural(number: float, one: str, many: str | None = None) -> str:
    """Count with its noun, as `1 page` or `3 pages`."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def arrowed(text: str) -> str:
    """A text for reading, whose ` -> ` are arrows."""
    return text.replace(" -> ", " \u2192 ")


def tight(text: str) -> str:
    """Numbers with no line break inside `81 of 398` or `20 %`, nor before or inside an arrow."""
    return _NUMBER_SPACE.sub("\u00a0", arrowed(text)).replace(" \u2192", "\u00a0\u2192")
