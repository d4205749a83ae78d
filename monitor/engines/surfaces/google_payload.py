"""What Google writes into comments of its answers: which citations are shown, and their sources.

A comment is `<!--TOKEN[|...|][[...], ...]-->`: six characters that change with every build, then
JSON with HTML escapes, a list of records. Records are told by their shape, never by their place:

    overview chip   [null, null, UUID, null, null, SHOWN, 0, favicon, publisher(, total)]
    AI Mode chip    [UUID, null, null, 0, favicon, publisher, TOTAL, first URL, null, null, null,
                     LABELLED]
    first mention   [UUID, [title, snippet, favicon, origin, [publisher], URL, ?, ?, source id,
                     ...], ...]
    later mention   [UUID, source id, 0, URL, favicon, ""]

Seen 2026-01-20 and 2026-02-06 (overview) and noted 2026-06-30 (AI Mode). Records belong to the
button with their UUID; they may follow its paragraph or stand after the whole answer.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from monitor.engines.shapes.payload import clean_text

MOST_CHARACTERS = 1_000_000
"""Characters of a comment that is read; longer ones are counted as not readable."""
_TOKEN = re.compile(r"[A-Za-z0-9]{6}(?=[|\[])")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class ChipState:
    """What a page says of one citation button."""

    shown: bool | None
    """None: shown where it has sources."""
    publisher: str | None
    total: int
    """Sources behind it by its label; 0 where it has no label."""
    first_url: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """A source as a page names it."""

    url: str
    id: str | None
    """Number of the source in its answer."""
    title: str | None = None
    snippet: str | None = None
    publisher: str | None = None


@dataclass(slots=True)
class Payload:
    """All records of a page."""

    chips: dict[str, ChipState] = field(default_factory=dict)
    sources: dict[str, list[Source]] = field(default_factory=dict)
    """UUID of a chip -> its sources, in document order."""
    unread: int = 0
    """Comments of this kind that could not be read."""
    taken: set[str] = field(default_factory=set)
    """UUIDs of buttons that have been read."""


def read_payload(tree: HtmlElement) -> Payload:
    """Records of all comments in a tree."""
    payload = Payload()
    for comment in tree.iter(etree.Comment):
        text = comment.text or ""
        if _TOKEN.match(text) is None or "[[" not in text:
            continue
        records = _records(text)
        if records is None:
            payload.unread += 1
            continue
        for record in records:
            _take(payload, record)
    return payload


def clean_url(raw: Any) -> str | None:
    """Address a source leads to; None where a value is none.

    Google's own `/url?q=` is taken off; `/goto?url=` cannot be read and stays. A fragment stays
    too: `#:~:text=` is the passage that Google cites.
    """
    if not isinstance(raw, str) or not raw or len(raw) > 8192:
        return None
    url = clean_text(raw.strip())
    if url.startswith("/"):
        url = f"https://www.google.com{url}"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host:
        return None
    if is_google_host(host) and parts.path == "/url":
        query = parse_qs(parts.query)
        target = next((one for key in ("q", "url") for one in query.get(key, ())), "")
        return clean_url(target) if target.startswith(("http://", "https://")) else url
    return url


def is_google_host(host: str) -> bool:
    """Whether a host is Google's search: google.com, www.google.co.uk and the like."""
    return re.fullmatch(r"(www\.)?google(\.[a-z]{2,3}){1,2}", host.lower()) is not None


def is_search_link(url: str) -> bool:
    """Whether an address leads to Google's own search: a name that is linked, no source."""
    parts = urlsplit(url)
    own = parts.path == "/" or f"{parts.path}/".startswith("/search/")
    return own and is_google_host(parts.hostname or "")


def _records(text: str) -> list[Any] | None:
    if len(text) > MOST_CHARACTERS:
        return None
    plain = html.unescape(text)
    try:
        records, _ = _DECODER.raw_decode(plain, plain.index("[["))
    except (ValueError, RecursionError):
        return None
    return records if isinstance(records, list) else None


def _take(payload: Payload, record: Any) -> None:
    """Put one record where it belongs; other shapes are not ours."""
    match record:
        case [None, None, str(uuid), None, None, int(shown), _, _, publisher, *rest]:
            total = _count(rest[0]) if rest else 0
            payload.chips[uuid] = ChipState(bool(shown), _words(publisher), total, None)
        case [str(uuid), None, None, _, _, publisher, int(total), first, _, _, _, int(flag), *_]:
            payload.chips[uuid] = ChipState(
                True if flag else None, _words(publisher), _count(total), clean_url(first)
            )
        case [str(uuid), [_, _, _, _, _, _, _, _, _, *_] as fields, *_]:
            if (source := _first_mention(fields)) is not None:
                payload.sources.setdefault(uuid, []).append(source)
        case [str(uuid), str(number), int(), str(raw), *_]:
            if (url := clean_url(raw)) is not None:
                payload.sources.setdefault(uuid, []).append(Source(url, number))


def _first_mention(fields: list[Any]) -> Source | None:
    title, snippet, _, _, publisher, raw, _, _, number = fields[:9]
    url = clean_url(raw)
    if url is None:
        return None
    named = publisher[0] if isinstance(publisher, list) and publisher else publisher
    number = number if isinstance(number, str) else None
    return Source(url, number, _words(title), _words(snippet), _words(named))


def _words(value: Any) -> str | None:
    return clean_text(value).strip() or None if isinstance(value, str) else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 10_000 else 0


def by_id(sources: Iterator[Source]) -> Mapping[str, Source]:
    """The first naming of each source that has a title, by its number."""
    found: dict[str, Source] = {}
    for one in sources:
        if one.id is not None and one.title is not None:
            found.setdefault(one.id, one)
    return found
