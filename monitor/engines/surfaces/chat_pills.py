"""Pills of a chat page and rows of what a reader opens: addresses, labels, numbers behind "+N"."""

import re
from collections.abc import Collection, Iterator
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from monitor.engines.shapes.payload import clean_text
from monitor.engines.surfaces.text import page_text
from monitor.markup.select import select_all
from monitor.markup.shown import Shown, shown_in
from monitor.markup.trees import parse_html

_NUMBER = "data-monitor-pill"
_MORE = re.compile(r"\s*\+\s?(\d{1,3})\s*$")
_NAMED = re.compile(r"citation from (.{1,100}?)(?:\. |\.?$)")
_LONGEST = 200
_ADDRESSES = ("href", "data-url")


def pill_pages(pill: HtmlElement, own: Collection[str]) -> dict[str, str | None]:
    """Addresses of a pill's elements, with titles where they have any; own hosts left out."""
    found: dict[str, str | None] = {}
    for element in pill.iter():
        if isinstance(element.tag, str):
            for name in _ADDRESSES:
                url = source_address(element.get(name), own)
                if url is not None:
                    found[url] = found.get(url) or element.get("title")
    return found


def pill_label(pill: HtmlElement, *, known: int) -> tuple[str | None, int]:
    """Name on a pill without "+N", and how many citations it says it has; at least those known."""
    words = ""
    for part in pill.itertext():
        words += part
        if len(words) > _LONGEST:
            break
    words = " ".join(words.split())
    more = _MORE.search(words)
    name = words[: more.start()].strip() if more else words
    if not name or name.isdecimal():
        named = next((_NAMED.search(one.get("aria-label") or "") for one in _elements(pill)), None)
        name = named[1] if named else ""
    return name[:100] or None, max(known, 1 + (int(more[1]) if more else 0))


def pill_number(pill: HtmlElement) -> str | None:
    """Number that a live capture gave a pill that it opened."""
    around = (*_elements(pill), *pill.iterancestors())
    return next((str(number) for one in around if (number := one.get(_NUMBER)) is not None), None)


def panel_pages(html: str, own: Collection[str]) -> dict[str, str | None]:
    """Addresses that an opened panel shows, with the first line of their words."""
    tree = parse_html(html, full=True)
    return {} if tree is None else shown_pages(tree, shown_in(tree), own)


def shown_pages(root: HtmlElement, shown: Shown, own: Collection[str]) -> dict[str, str | None]:
    """Addresses that an element shows, with the first line of their words."""
    found: dict[str, str | None] = {}
    for element in select_all(root, "a[href], [data-url]"):
        named = (source_address(element.get(name), own) for name in _ADDRESSES)
        url = next((one for one in named if one is not None), None)
        if url is not None and shown(element):
            found[url] = found.get(url) or words_of(element, shown)
    return found


def words_of(element: HtmlElement, shown: Shown) -> str | None:
    """First line of an element's words; None where it has none."""
    text = page_text(element, shown=shown, is_mark=lambda _: False).text
    return next((line[:_LONGEST] for line in text.splitlines() if line.strip()), None)


def source_address(value: str | None, own: Collection[str]) -> str | None:
    """A web address that leads away from the surface; None for any other.

    Hosts are compared, not words: a surface adds its own name to the addresses of sources. What it
    redirects through `/ck/` leads away.
    """
    url = clean_text((value or "").strip())
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    inside = any(host == one or host.endswith(f".{one}") for one in own)
    return None if inside and not parts.path.startswith("/ck/") else url


def _elements(pill: HtmlElement) -> Iterator[HtmlElement]:
    return (one for one in pill.iter() if isinstance(one.tag, str))
