"""Main text of a stored page, and its identity after the canonical guards.

Pure: the same bytes give the same text. Pages of more elements than can be weighed in time are read
block by block instead; a page that gives no text is `no_text`, never an empty piece of evidence.
"""

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement
from trafilatura import bare_extraction

from monitor.domain.page import Fetched, FetchStatus, PageText
from monitor.domain.source import UrlIdentity
from monitor.markup.trees import clean_text, decode_body, parse_html, plain_text
from monitor.pages.metadata import Declared, read_declared

PAGES_VERSION: int = 1
"""Raised whenever the same bytes would give another text, identity or date."""

Identify = Callable[[str], UrlIdentity]

_MOST_ELEMENTS = 20_000
"""About two seconds of main-text extraction; larger trees are read block by block."""

_TRIPS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    etree.LxmlError,
)

# trafilatura logs each page without main text as a warning or error; our status says it already.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


def _main_text(tree: HtmlElement) -> str:
    if sum(1 for _ in tree.iter()) <= _MOST_ELEMENTS:
        text = _weighed_text(tree)
        if text:
            return text
    return plain_text(tree)


def _weighed_text(tree: HtmlElement) -> str:
    """Main text as trafilatura weighs it; empty where it finds none or trips over the markup."""
    try:
        document = bare_extraction(tree, include_comments=False, with_metadata=False)
    except _TRIPS:
        return ""
    return str(getattr(document, "text", None) or "").strip()


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in {"", "/"} and not parts.query


def guarded_canonical(
    canonical: str, url: str, identify: Identify
) -> tuple[str | None, str | None]:
    """Page key and syndication source that a canonical may give; neither where a guard says no."""
    own, said = identify(url), identify(canonical)
    if said.page_key is None or said.family is None or own.family is None:
        return None, None
    if said.family != own.family:
        return None, canonical
    if _is_home(said.clean_url or canonical) and not _is_home(own.clean_url or url):
        return None, None
    return said.page_key, None


def read_page(
    body: bytes,
    *,
    url: str,
    media_type: str | None,
    charset: str | None,
    identify: Identify,
) -> PageText:
    """Text of a page, and what it declares; empty text means that there is none to judge."""
    characters = decode_body(body, charset)
    if media_type in {"text/plain", "text/markdown"}:
        return PageText(text=clean_text(characters.replace("\r\n", "\n")).strip())
    tree = parse_html(characters)
    if tree is None:
        return PageText(text="")
    declared = read_declared(tree, url)
    page_key, source = None, None
    if declared.canonical is not None:
        page_key, source = guarded_canonical(declared.canonical, url, identify)
    return _page(clean_text(_main_text(tree)), declared, page_key, source)


def read_fetched(fetched: Fetched, identify: Identify) -> PageText:
    """The same of a page that was fetched just now."""
    return read_page(
        fetched.body,
        url=fetched.final_url or fetched.url,
        media_type=fetched.media_type,
        charset=fetched.charset,
        identify=identify,
    )


def _page(text: str, declared: Declared, page_key: str | None, source: str | None) -> PageText:
    return PageText(
        text=text,
        title=declared.title,
        canonical=declared.canonical,
        page_key=page_key,
        syndicated_from=source,
        published=declared.published,
        updated=declared.updated,
        paywalled=declared.paywalled,
    )


def status_after_reading(status: FetchStatus, page: PageText) -> FetchStatus:
    """Status of a fetched page once read: paywalled and no_text are seen only in the text."""
    if status is not FetchStatus.OK:
        return status
    if page.paywalled:
        return FetchStatus.PAYWALLED
    return FetchStatus.OK if page.text else FetchStatus.NO_TEXT
