"""Pills of Perplexity's answers and rows of its list of sources: addresses, labels, numbers."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from monitor.domain.turn import Panel
from monitor.engines.surfaces.perplexity_sources import web_address
from monitor.engines.surfaces.text import page_text
from monitor.markup.select import select_all
from monitor.markup.shown import shown_in
from monitor.markup.trees import parse_html

_PILL = "data-monitor-pill"
_URL = "data-pplx-citation-url"
_MORE = re.compile(r"\s*\+\s?(\d{1,3})\s*$")
_LONGEST_LABEL = 200


def is_label(element: HtmlElement) -> bool:
    """Whether an element is small enough to be a label, not a part of the answer."""
    size = 0
    for words in element.itertext():
        size += len(words)
        if size > _LONGEST_LABEL:
            return False
    return True


def addresses(elements: Iterable[HtmlElement]) -> dict[str, str | None]:
    """Distinct addresses of a pill's elements, in order, with the titles they have."""
    rows: dict[str, str | None] = {}
    for element in elements:
        url = web_address(element.get(_URL) or element.get("href"))
        if url is not None and not is_own(url):
            titled = (one.get("aria-label") or one.get("title") for one in element.iter())
            rows[url] = rows.get(url) or next((title for title in titled if title), None)
    return rows


def pill_number(element: HtmlElement) -> str | None:
    """Number that a live capture gave a pill that was opened."""
    for one in (*element.iter(), *element.iterancestors()):
        if (number := one.get(_PILL)) is not None:
            return str(number)
    return None


def pill_label(element: HtmlElement, *, at_least: int) -> tuple[str | None, int]:
    """A pill's label without "+N", and how many citations it says it has."""
    words = " ".join(" ".join(element.itertext()).split())
    more = _MORE.search(words)
    name = words[: more.start()].strip() if more else words
    said = 1 + (int(more[1]) if more else 0)
    return (None if not name or name.isdecimal() else name[:100]), max(said, at_least)


def panel_rows(panel: Panel) -> tuple[tuple[str, str | None], ...]:
    """Distinct addresses of a panel with their titles, those of the surface itself left out."""
    tree = parse_html(panel.html, full=True)
    if tree is None:
        return ()
    shown = shown_in(tree)
    rows: dict[str, str | None] = {}
    for element in select_all(tree, f"a[href], [{_URL}]"):
        url = web_address(element.get(_URL) or element.get("href"))
        if url is None or is_own(url) or not shown(element):
            continue
        words = page_text(element, shown=shown, is_mark=lambda _: False).text
        rows[url] = rows.get(url) or next((line for line in words.splitlines() if line), None)
    return tuple(rows.items())


def is_own(url: str) -> bool:
    """Whether an address leads to the surface itself, not to a source."""
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        return False
    return host == "perplexity.ai" or host.endswith(".perplexity.ai")
