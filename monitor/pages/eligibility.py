"""What a fetched page says of itself to crawlers, and the text it holds as sent and as rendered."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from lxml.html import HtmlElement

from monitor.domain.eligibility import PageFacts, Rendering
from monitor.domain.page import Fetched, FetchStatus, PageText
from monitor.errors import InvalidUrlError
from monitor.markup.trees import clean_text, decode_body, parse_html, plain_text
from monitor.pages.eligibility_directives import header_directives, meta_directives
from monitor.pages.eligibility_text import nosnippet_share, sent_share, words_of
from monitor.pages.guard import join_url
from monitor.pages.text import (
    Identify,
    guarded_canonical,
    read_fetched,
    read_page,
    status_after_reading,
)

ELIGIBILITY_VERSION: int = 1
"""Raised whenever the same bytes would give another check."""

HTML = frozenset({"text/html", "application/xhtml+xml"})
_LINK = re.compile(r"<([^<>]{1,2000})>\s*((?:;[^,<]{0,200})?)")
_CANONICAL = re.compile(r";\s*rel\s*=\s*\"?(?:[\w-]+ )*canonical\b", re.IGNORECASE)
_TIERS = frozenset({"locked", "metered"})
_WALL = re.compile(
    r"(?:^|[\s_-])(?:pay-?wall|reg-?wall|premium-?wall|subscribers?-?only|metered-?content)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
_MOST_HINTS = 3


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A page that was fetched and read: what it says, and its texts."""

    facts: PageFacts
    status: FetchStatus
    """Of the fetch, once the text was looked at."""
    text: str
    """Main text as sent."""
    sent: str
    """Every visible word as sent, navigation included: what scripts need not add."""
    markup: str | None
    """Characters of the page, where scripts could change it."""


def read_source(fetched: Fetched, *, identify: Identify, tokens: Iterable[str]) -> ReadSource:
    """A fetched page as crawlers are told about it; `tokens` are the crawlers it may name."""
    url = fetched.final_url or fetched.url
    page = read_fetched(fetched, identify)
    status = status_after_reading(fetched.status, page)
    facts = PageFacts(
        directives=tuple(header_directives(fetched.headers)),
        canonical=_elsewhere(page, fetched, url, identify),
        words=len(words_of(page.text)),
        published=page.published,
        updated=page.updated,
    )
    if fetched.media_type not in HTML:
        facts = replace(facts, rendering=Rendering.NO_SCRIPTS, nosnippet_share=0.0)
        return ReadSource(facts, status, page.text, page.text, None)
    markup = decode_body(fetched.body, fetched.charset)
    tree = parse_html(markup)
    if tree is None:
        return ReadSource(facts, status, page.text, page.text, markup)
    return ReadSource(
        _with_markup(facts, tree, page, tokens), status, page.text, plain_text(tree), markup
    )


def _with_markup(
    facts: PageFacts, tree: HtmlElement, page: PageText, tokens: Iterable[str]
) -> PageFacts:
    """Facts with what the tree of the page says."""
    return replace(
        facts,
        directives=(*facts.directives, *meta_directives(tree, tokens)),
        paywalls=tuple(_paywalls(tree, page)),
        paywall_hints=tuple(_hints(tree)),
        nosnippet_share=nosnippet_share(tree, page.text),
    )


def _elsewhere(page: PageText, fetched: Fetched, url: str, identify: Identify) -> str | None:
    """The canonical address where it is that of another page, by the guards of page reading."""
    if page.page_key is not None or page.syndicated_from is not None:
        key, source, said = page.page_key, page.syndicated_from, page.canonical
    else:
        said = _linked(fetched.headers, url)
        key, source = (None, None) if said is None else guarded_canonical(said, url, identify)
    is_other = source is not None or (key is not None and key != identify(url).page_key)
    return said if is_other else None


def _linked(headers: Iterable[tuple[str, str]], url: str) -> str | None:
    """Absolute address of a Link header with rel=canonical; None without one that can be read."""
    for name, value in headers:
        for target, parameters in _LINK.findall(value) if name == "link" else ():
            if _CANONICAL.match(parameters):
                try:
                    return clean_text(join_url(url, target))
                except InvalidUrlError:
                    return None
    return None


def _paywalls(tree: HtmlElement, page: PageText) -> list[str]:
    """Declarations that the text is not free, named as the page makes them."""
    tiers = [
        f"article:content_tier={tier}"
        for node in tree.iter("meta")
        if (node.get("property") or node.get("name") or "").lower() == "article:content_tier"
        and (tier := (node.get("content") or "").strip().lower()) in _TIERS
    ][:1]
    return tiers or (["isAccessibleForFree=false"] if page.paywalled else [])


def _hints(tree: HtmlElement) -> list[str]:
    """Classes and ids that are called like a wall, three at most."""
    found: dict[str, None] = {}
    for node in tree.iter():
        for name in ("class", "id"):
            value = node.get(name) if isinstance(node.tag, str) else None
            if value and _WALL.search(value[:500]):
                found[f"{name}={' '.join(value.split())[:60]}"] = None
        if len(found) >= _MOST_HINTS:
            break
    return list(found)[:_MOST_HINTS]


def with_rendered(source: ReadSource, url: str, rendered: str, identify: Identify) -> ReadSource:
    """A source with the main text that its scripts made; `rendered` is the markup after them."""
    page = read_page(
        rendered.encode("utf-8", "replace"),
        url=url,
        media_type="text/html",
        charset="utf-8",
        identify=identify,
    )
    share = sent_share(page.text, source.sent)
    words = len(words_of(page.text))
    facts = replace(source.facts, rendering=Rendering.DONE, rendered_words=words, sent_share=share)
    text = page.text if words >= source.facts.words else source.text
    return replace(source, facts=facts, text=text)
