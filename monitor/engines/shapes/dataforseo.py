"""DataForSEO's envelope, and its Google answers as Markdown with links for citations.

A body is one envelope with tasks; errors stand on the task, inside an HTTP 200, as five-digit
codes. A Google answer is an item of type `ai_overview`, in AI Mode too. Its `markdown` repeats all
its elements, so only one of the two is read. In it `[[n]](url)` is a marker (n begins at 1 again in
every element and is no index) and a bare `[](url)` is the source chip: both are displayed marks.
`[words](url)` is a link, and so is a video card: a recommendation, not a citation. References of an
element or of the answer that no marker names stand in the tray: listed. Pictures are left out; a
picture that is a link would pass for a chip without its picture, so it is taken as a link first.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import (
    Auth,
    Cost,
    EngineSettings,
    Exchange,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Retrieved,
    Role,
    Span,
    SpanKind,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import country, endpoint, known_options
from monitor.engines.shapes.citing import Mark, distinct, gather
from monitor.engines.shapes.payload import (
    describe,
    list_at,
    mapping_at,
    micros,
    open_body,
    optional_int,
    optional_string,
    require,
    string_at,
)
from monitor.engines.shapes.places import NUMERIC
from monitor.errors import ConfigError, PayloadError

AUTH = Auth(("DATAFORSEO_LOGIN", "DATAFORSEO_PASSWORD"), basic=True)

DEEPEST = 24
"""Levels of elements we follow; real answers have two."""

_BASE = "https://api.dataforseo.com/v3"
_OPTIONS = {"location_code", "location_name", "language_code", "device"}
_URL = r"<?((?:(?!\]\()[^\s()<>]|\([^\s()<>]*\)){1,4096})>?"
_PICTURE = r"!\[[^\[\]]*\]\((?:<[^<>]*>|[^\s()<>]*)\)"
_IMAGE = re.compile(rf"{_PICTURE}[ \t]?")
_PICTURE_LINK = re.compile(rf"\[\s*(?:{_PICTURE}\s*)+\]\({_URL}\)[ \t]?")
_LINK = re.compile(rf"\[(?:\[(\d{{1,3}})\]|([^\[\]]*))\]\({_URL}\)")

_CODES: Mapping[int, Reading] = {
    40100: Reading(Outcome.ERROR, "auth"),
    40104: Reading(Outcome.ERROR, "auth"),
    40204: Reading(Outcome.ERROR, "auth"),
    40207: Reading(Outcome.ERROR, "auth"),
    40200: Reading(Outcome.ERROR, "quota"),
    40203: Reading(Outcome.ERROR, "quota"),
    40210: Reading(Outcome.ERROR, "quota"),
    40202: Reading(Outcome.BLOCKED, "rate_limit"),
    40209: Reading(Outcome.BLOCKED, "rate_limit"),
    40101: Reading(Outcome.ERROR, "server"),
    40103: Reading(Outcome.ERROR, "server"),
    40102: Reading(Outcome.NO_ANSWER, "absent"),
    20100: Reading(Outcome.ERROR, "empty"),
    40601: Reading(Outcome.ERROR, "empty"),
    40602: Reading(Outcome.ERROR, "empty"),
    50401: Reading(Outcome.TIMEOUT),
    50402: Reading(Outcome.TIMEOUT),
}
"""Task codes of the vendor's list (2026-05); others by their first digit."""

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Surface:
    """One of the vendor's Google surfaces: our engine, its path, and its word in a payload."""

    engine: str
    path: str
    kind: str
    extras: tuple[tuple[str, Any], ...] = ()


def ask(surface: Surface, prompt: Prompt, settings: EngineSettings) -> Request:
    """One live task; ConfigError where neither locale nor options say a place."""
    options = known_options(surface.engine, settings, _OPTIONS)
    task: dict[str, Any] = {"keyword": prompt.text}
    if options.get("location_name"):
        task["location_name"] = options["location_name"]
    else:
        task["location_code"] = options.get("location_code") or _place(surface, prompt, settings)
    task["language_code"] = options.get("language_code") or _language(prompt)
    task["device"] = options.get("device", "desktop")
    url = endpoint(_BASE, surface.path, settings.base_url)
    return Request("POST", url, [task | dict(surface.extras)])


def _place(surface: Surface, prompt: Prompt, settings: EngineSettings) -> int:
    """Google's code of a country: 2000 and its number in ISO 3166."""
    code = (country(prompt, settings) or "").upper()
    number = NUMERIC.get(code)
    if number is None:
        raise ConfigError(
            f"engine {surface.engine}: prompt {prompt.id}: no country in locale {prompt.locale!r}; "
            "expected a region, e.g. 'en-GB', or one of the options country, location_code, "
            "location_name"
        )
    return 2000 + number


def _language(prompt: Prompt) -> str:
    if prompt.language == "zh":
        return "zh-TW" if prompt.country in {"TW", "HK", "MO"} else "zh-CN"
    return prompt.language


def read_answer(surface: Surface, exchange: Exchange) -> Reading:
    """Reading of a live task: its answer, its absence, or what its code stands for."""
    body = open_body(surface.engine, exchange)
    if isinstance(body, Reading):
        return body
    node = mapping_at(surface.engine, body.value, "$")
    task = _task(surface.engine, node)
    if isinstance(task, Reading):
        return task
    cost = micros(task.get("cost"))
    reading = _of_task(surface, task)
    return replace(reading, cost=Cost(cost) if cost is not None else None)


def _task(engine: str, node: Node) -> Node | Reading:
    """The one task of an envelope, or the outcome of the call or of the task."""
    code = optional_int(require(engine, node, "status_code", "$"))
    if code is None:
        found = describe(node["status_code"])
        raise PayloadError(engine, "$.status_code", f"expected a number, found {found}")
    tasks = node.get("tasks")
    if code != 20000 and not tasks:
        return _by_code(code, node)
    entries = list_at(engine, tasks, "$.tasks")
    if not entries:
        raise PayloadError(engine, "$.tasks", "an empty list")
    task = mapping_at(engine, entries[0], "$.tasks[0]")
    done = optional_int(require(engine, task, "status_code", "$.tasks[0]"))
    if done is None:
        found = describe(task["status_code"])
        raise PayloadError(engine, "$.tasks[0].status_code", f"expected a number, found {found}")
    return task if done == 20000 else _by_code(done, task)


def _by_code(code: int, node: Node) -> Reading:
    words = f"{code} {optional_string(node.get('status_message')) or ''}".strip()[:300]
    known = _CODES.get(code)
    if known is None:
        fault = 40000 <= code < 50000
        known = Reading(Outcome.ERROR, "request" if fault else "server")
    return replace(known, warnings=(words,))


def _of_task(surface: Surface, task: Node) -> Reading:
    engine, path = surface.engine, "$.tasks[0].result"
    pages = list_at(engine, require(engine, task, "result", "$.tasks[0]"), path)
    if not pages:
        raise PayloadError(engine, path, "an empty list")
    page = mapping_at(engine, pages[0], f"{path}[0]")
    kind = optional_string(page.get("type"))
    odd = () if kind in {None, surface.kind} else (f"a page of type {kind!r}",)
    path = f"{path}[0].items"
    entries = list_at(engine, require(engine, page, "items", f"{path}[0]") or [], path)
    nodes = [mapping_at(engine, entry, f"{path}[{n}]") for n, entry in enumerate(entries)]
    found = [n for n, node in enumerate(nodes) if node.get("type") == "ai_overview"]
    if not found:
        return Reading(Outcome.NO_ANSWER, "absent", warnings=odd)
    more = ("more than one answer on the page, the first is read",) if found[1:] else ()
    reading = _read(engine, nodes[found[0]], f"{path}[{found[0]}]")
    return replace(reading, warnings=(*odd, *more, *reading.warnings))


def _read(engine: str, answer: Node, path: str) -> Reading:
    elements = tuple(_elements(engine, answer, path))
    sent = _markdown(engine, answer, path) or _composed(engine, elements)
    text = _IMAGE.sub("", _PICTURE_LINK.sub("", sent)).strip()
    if not text:
        if answer.get("asynchronous_ai_overview") is True:
            late = "the overview loads later and was not loaded"
            return Reading(Outcome.ERROR, "empty", warnings=(late,))
        raise PayloadError(engine, path, f"an answer without text: {describe(answer)}")
    tray = [
        mark
        for node, here in ((answer, path), *elements)
        for mark in _references(engine, node, here)
    ]
    marks = _inline(text)
    pictured = [Mark(found[1], Role.LINK) for found in _PICTURE_LINK.finditer(sent)]
    cards = (*pictured, *_cards(elements))
    shown = {mark.url for mark in marks if mark.role is Role.DISPLAYED}
    kept = [
        mark for mark in (*marks, *cards) if mark.role is Role.DISPLAYED or mark.url not in shown
    ]
    placed = [replace(mark, at=n) for n, mark in enumerate(kept)]
    return Reading(
        Outcome.ANSWERED,
        text=text,
        citations=gather([*placed, *tray]),
        retrieved=distinct(Retrieved(mark.url, mark.title) for mark in tray),
        retrieval=Retrieval.USED if tray or shown else Retrieval.UNKNOWN,
        shopping=any("shopping" in str(node.get("type")) for node, _ in elements),
    )


def _elements(engine: str, node: Node, path: str, depth: int = 0) -> Iterator[tuple[Node, str]]:
    """Elements of an answer and the components inside them, with their paths, in order."""
    if depth > DEEPEST:
        raise PayloadError(engine, path[:200], f"elements nested over {DEEPEST} deep")
    for key in ("items", "components"):
        inner = node.get(key)
        for n, entry in enumerate(list_at(engine, inner or [], f"{path}.{key}")):
            here = f"{path}.{key}[{n}]"
            element = mapping_at(engine, entry, here)
            yield element, here
            yield from _elements(engine, element, here, depth + 1)


def _markdown(engine: str, node: Node, path: str) -> str:
    value = node.get("markdown")
    return "" if value is None else string_at(engine, value, f"{path}.markdown")


def _composed(engine: str, elements: Sequence[tuple[Node, str]]) -> str:
    """Text of an answer that has only elements: titles as headings, then their own words."""
    blocks = []
    for node, path in elements:
        if _is_card(node):
            continue
        title = node.get("title")
        if title is not None:
            blocks.append(f"## {string_at(engine, title, f'{path}.title')}")
        words = _markdown(engine, node, path) or node.get("text")
        if words is not None:
            blocks.append(string_at(engine, words, f"{path}.text"))
    return "\n\n".join(block for block in blocks if block.strip())


def _is_card(node: Node) -> bool:
    return str(node.get("type")).endswith("_video_element")


def _cards(elements: Sequence[tuple[Node, str]]) -> Iterator[Mark]:
    for node, _ in elements:
        url = optional_string(node.get("url")) if _is_card(node) else None
        if url:
            yield Mark(url, Role.LINK, optional_string(node.get("title")))


def _references(engine: str, node: Node, path: str) -> Iterator[Mark]:
    path = f"{path}.references"
    for n, reference in enumerate(list_at(engine, node.get("references") or [], path)):
        entry = mapping_at(engine, reference, f"{path}[{n}]")
        url = optional_string(entry.get("url"))
        if url:
            title, quote = optional_string(entry.get("title")), optional_string(entry.get("text"))
            yield Mark(url, Role.LISTED, title, snippet=quote)


def _inline(text: str) -> tuple[Mark, ...]:
    """Marks of the links in Markdown: markers and chips displayed, links with words as links."""
    marks = []
    for found in _LINK.finditer(text):
        number, words, url = found.groups()
        start, end = found.span()
        if number or not words.strip():
            marks.append(Mark(url, Role.DISPLAYED, span=Span(start, end, SpanKind.MARKER)))
        else:
            marks.append(Mark(url, Role.LINK, words.strip(), _line(text, start, end)))
    return tuple(marks)


def _line(text: str, start: int, end: int) -> Span:
    """The line or lines around a link: the words of a link are prose, not a marker."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return Span(first, last if last >= 0 else len(text), SpanKind.BLOCK)
