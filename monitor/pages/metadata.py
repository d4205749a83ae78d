"""What a page declares of itself: title, canonical address, dates, paywall; nothing guessed."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from monitor.errors import InvalidUrlError
from monitor.markup.trees import clean_text
from monitor.pages.guard import join_url

_LONGEST_TITLE = 500
_LD_NODES = 2000
_LD_BYTES = 1_000_000
_DATE = re.compile(r"\s*((?:19|20)\d\d)(?:-(\d\d?)-(\d\d?)|/(\d\d?)/(\d\d?)|(\d\d)(\d\d))(?!\d)")
_PATH_DATE = re.compile(r"/((?:19|20)\d\d/\d\d?/\d\d?)(?:/|$)")
_PUBLISHED = (
    "article:published_time", "og:article:published_time", "datepublished",
    "citation_publication_date", "citation_date", "parsely-pub-date", "sailthru.date",
    "dcterms.issued", "dc.date.issued",
    "dcterms.created", "dc.date", "dcterms.date", "pubdate", "publishdate", "date",
)  # fmt: skip
_UPDATED = (
    "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "lastmod",
)  # fmt: skip
_WRITTEN = re.compile(
    r"(?:Article|BlogPosting|WebPage|Report|CreativeWork|Posting|FAQPage|Review|TechArticle)$"
)
_NESTED = ("@graph", "mainEntity", "mainEntityOfPage", "hasPart")


@dataclass(frozen=True, slots=True)
class Declared:
    """What the markup says; None where it says nothing readable."""

    title: str | None = None
    canonical: str | None = None
    published: date | None = None
    updated: date | None = None
    paywalled: bool = False


def read_date(text: object) -> date | None:
    """Day of an ISO-like date (2026-03-01, 2026/3/1, 20260301); None for any other form."""
    match = _DATE.match(text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups() if part is not None)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _meta(tree: HtmlElement) -> dict[str, str]:
    """First content of each meta name, property or itemprop, names in lower case."""
    found: dict[str, str] = {}
    for node in tree.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("itemprop")
        if name and node.get("content"):
            found.setdefault(name.strip().lower(), node.get("content"))
    return found


def _ld_documents(tree: HtmlElement) -> Iterator[Any]:
    for node in tree.iter("script"):
        text = node.text or ""
        if "ld+json" in (node.get("type") or "").lower() and len(text) <= _LD_BYTES:
            try:
                yield json.loads(text, strict=False)
            except (ValueError, RecursionError):
                continue


def _ld_nodes(documents: Iterable[Any]) -> tuple[Mapping[str, Any], ...]:
    """Objects that describe this page, outer ones first; lists of other pages are not entered."""
    waiting = list(documents)
    found: list[Mapping[str, Any]] = []
    while waiting and len(found) < _LD_NODES:
        node = waiting.pop(0)
        if isinstance(node, list):
            waiting[:0] = node[:_LD_NODES]
        elif isinstance(node, dict):
            found.append(node)
            waiting.extend(node[key] for key in _NESTED if key in node)
    return tuple(found)


def _is_written(node: Mapping[str, Any]) -> bool:
    """Whether a node is a text: a museum that is not free of charge is no paywall."""
    kinds = node.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    return any(isinstance(name, str) and _WRITTEN.search(name) for name in names)


def _is_locked(node: Mapping[str, Any]) -> bool:
    value = node.get("isAccessibleForFree")
    return value is False or (isinstance(value, str) and value.strip().lower().endswith("false"))


def _first_date(values: Iterable[object]) -> date | None:
    return next((day for day in map(read_date, values) if day is not None), None)


def _time_of(tree: HtmlElement, prop: str) -> Iterator[str | None]:
    for node in tree.iter("time"):
        marked = node.get("itemprop", "").lower() == prop.lower()
        if marked or (prop == "datePublished" and node.get("pubdate") is not None):
            yield node.get("datetime")


def _only_day(tree: HtmlElement, url: str) -> date | None:
    """Day in the page's own path, else the one day all of its time elements name."""
    in_path = _PATH_DATE.search(urlsplit(url).path)
    if in_path is not None:
        return read_date(in_path[1])
    days = {read_date(node.get("datetime")) for node in tree.iter("time")}
    return days.pop() if len(days) == 1 else None


def _dates(
    tree: HtmlElement, nodes: Iterable[Mapping[str, Any]], meta: Mapping[str, str]
) -> tuple[date | None, date | None]:
    """Published and updated day: JSON-LD, then meta tags, then marked time elements."""
    written = [node for node in nodes if _is_written(node)]
    found = []
    for key, names in (("datePublished", _PUBLISHED), ("dateModified", _UPDATED)):
        said = [node.get(key) for node in written]
        said += [meta.get(name) for name in names]
        found.append(_first_date([*said, *_time_of(tree, key)]))
    return found[0], found[1]


def clean_title(text: str | None) -> str | None:
    """Title on one line, unfit characters replaced, cut to 500 characters; None when empty."""
    line = " ".join(clean_text(text or "").split())
    return line[:_LONGEST_TITLE].rstrip() or None


def _title(tree: HtmlElement, meta: Mapping[str, str]) -> str | None:
    head = tree.find(".//head/title")
    heading = next(tree.iter("h1"), None)
    for text in (
        meta.get("og:title"),
        head.text_content() if head is not None else None,
        heading.text_content() if heading is not None else None,
    ):
        title = clean_title(text)
        if title is not None:
            return title
    return None


def _canonical(tree: HtmlElement, url: str) -> str | None:
    """Absolute http(s) rel=canonical of the head; None when absent, broken or contradictory."""
    base_node = tree.find(".//head/base[@href]")
    found = set()
    for node in tree.iterfind(".//head//link[@href]"):
        is_canonical = "canonical" in (node.get("rel") or "").lower().split()
        if not is_canonical or not node.get("href").strip():
            continue
        try:
            base = join_url(url, base_node.get("href")) if base_node is not None else url
            found.add(join_url(base, node.get("href")))
        except InvalidUrlError:
            continue
    webs = {address for address in found if address.startswith(("http://", "https://"))}
    return clean_text(webs.pop()) if len(webs) == 1 else None


def read_declared(tree: HtmlElement, url: str) -> Declared:
    """What a parsed page declares of itself, relative addresses resolved against `url`."""
    meta = _meta(tree)
    nodes = _ld_nodes(_ld_documents(tree))
    published, updated = _dates(tree, nodes, meta)
    return Declared(
        title=_title(tree, meta),
        canonical=_canonical(tree, url),
        published=published or _only_day(tree, url),
        updated=updated,
        paywalled=_is_paywalled(nodes, meta),
    )


def _is_paywalled(nodes: Iterable[Mapping[str, Any]], meta: Mapping[str, str]) -> bool:
    """Whether the page says that its text is not free (schema.org, or an article tier)."""
    said = any(_is_locked(node) for node in nodes if _is_written(node) or _is_part(node))
    return said or meta.get("article:content_tier", "").lower() in {"locked", "metered"}


def _is_part(node: Mapping[str, Any]) -> bool:
    """Whether a node is the locked part of a page (schema.org WebPageElement)."""
    kinds = node.get("@type")
    return "WebPageElement" in (kinds if isinstance(kinds, list) else [kinds])
