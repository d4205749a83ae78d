"""What one message of a ChatGPT conversation cites, and its text as a reader sees it.

Three generations. `content_references` (2025 on): each covers `text[start_idx:end_idx]`, in code
points of the raw part, and that range equals its `matched_text`; where it does not (offsets in
other units, joined messages), the text is searched. `metadata.citations` (2023 to 2024): markers
such as 【8†source】 in the text. `search_result_groups`: what was searched, never what is cited.

A `grouped_webpages` is one pill: its first page is shown, the others appear on hovering, each
followed by its `supporting_websites`. A `sources_footnote` is the list behind the button "Sources";
it is not the union of the pills. Products, places, pictures, files and advertisements are no
citations.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import Placement, Reach, Retrieved, Role
from monitor.engines.shapes.payload import optional_int, optional_string

GROUPS = frozenset(
    {"grouped_webpages", "grouped_webpages_v2", "grouped_webpages_model_predicted_fallback"}
)
SINGLE = frozenset({"webpage", "webpage_extended", "cite_turn"})
LISTS = frozenset({"sources_footnote", "nav_list", "navigation"})
LINKS = frozenset({"url", "link_title"})
WORDS = frozenset({"entity", "entity_metadata", "alt_text", "product_entity"})
SILENT = frozenset(
    {"hidden", "file", "attribution", "map", "businesses_map", "image_group", "image_v2",
     "image_inline", "products", "product", "video", "forecast", "weather", "stock", "followup_a",
     "tldr", "ads", "ad", "sports_schedule", "sports_standings"}
)  # fmt: skip
"""Cards, files, pictures, advertisements and what the page keeps to itself."""

_WEB = re.compile(r"https?://[^\s]", re.IGNORECASE)
_LABELLED = re.compile(r"\(?\[([^\[\]\n]{1,300})\]\([^()\s]*\)\)?")


@dataclass(frozen=True, slots=True)
class Cited:
    """A page that a reference names."""

    url: str
    title: str | None
    publisher: str | None
    snippet: str | None


@dataclass(frozen=True, slots=True)
class Reference:
    """One content reference: the words it covers and what stands there for a reader."""

    kind: str
    matched: str
    start: int | None
    end: int | None
    role: Role | None
    """None where it is no citation."""
    pages: tuple[Cited, ...]
    words: str | None
    """What a reader sees in its place; None leaves the covered words as they are."""

    @property
    def lost(self) -> bool:
        """Whether it stands for a citation whose address it does not tell."""
        return self.role is Role.DISPLAYED and not self.pages


def references_of(metadata: Mapping[str, Any]) -> tuple[Reference, ...]:
    """References of a message in their order, those of old messages as references too."""
    rows = _rows(metadata.get("content_references"))
    modern = tuple(_reference(row) for row in rows)
    if any(one.role is not None for one in modern):
        return modern
    old = tuple(one for row in _rows(metadata.get("citations")) for one in _old(row))
    return (*modern, *old)


def retrieved_of(metadata: Mapping[str, Any]) -> Iterator[Retrieved]:
    """What a message says was searched."""
    groups = _rows(metadata.get("search_result_groups"))
    entries = [entry for group in groups for entry in _rows(group.get("entries"))]
    older = metadata.get("_cite_metadata")
    if isinstance(older, Mapping):
        entries.extend(_rows(older.get("metadata_list")))
    for entry in entries:
        url = _web(entry.get("url"))
        if url is not None:
            yield Retrieved(url, optional_string(entry.get("title")))


def queries_of(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Search queries that a message names."""
    models = metadata.get("search_model_queries")
    modelled = models.get("queries") if isinstance(models, Mapping) else None
    for several in (metadata.get("search_queries"), modelled):
        for one in several if isinstance(several, list) else ():
            query = optional_string(one.get("q") if isinstance(one, Mapping) else one)
            if query is not None and query.strip():
                yield query


def placements(pages: Sequence[Cited], group: int) -> tuple[Placement, ...]:
    """Where the pages of one pill are seen: the first at once, the others on hovering."""
    return tuple(
        Placement(
            reach=Reach.HOVER if place else Reach.SHOWN,
            group=group,
            group_size=len(pages),
            place_in_group=place,
            publisher=page.publisher,
        )
        for place, page in enumerate(pages)
    )


def _reference(row: Mapping[str, Any]) -> Reference:
    kind = optional_string(row.get("type")) or "no type"
    matched = row.get("matched_text")
    role, pages = _citing(kind, row)
    return Reference(
        kind=kind,
        matched=matched if isinstance(matched, str) else "",
        start=optional_int(row.get("start_idx")),
        end=optional_int(row.get("end_idx")),
        role=role,
        pages=pages,
        words=_words(kind, row),
    )


def _citing(kind: str, row: Mapping[str, Any]) -> tuple[Role | None, tuple[Cited, ...]]:
    if kind in GROUPS:
        rows = _rows(row.get("items")) or _rows(row.get("fallback_items"))
        return Role.DISPLAYED, _pages(rows)
    if kind in SINGLE:
        return Role.DISPLAYED, _pages(_rows(row.get("items")) or (row,))
    if kind in LISTS:
        return Role.LISTED, _pages(_rows(row.get("sources")) or _rows(row.get("items")))
    if kind in LINKS:
        pages = _pages(_rows(row.get("items")) or (row,))
        return (Role.LINK if pages else None), pages[:1]
    return None, ()


def _words(kind: str, row: Mapping[str, Any]) -> str | None:
    named = next((w for key in ("alt", "name") if (w := optional_string(row.get(key)))), "")
    if kind in WORDS:
        return _LABELLED.sub(r"\1", named)
    if kind in LINKS:
        return optional_string(row.get("title")) or _LABELLED.sub(r"\1", named) or None
    return "" if kind in GROUPS | SINGLE | LISTS | SILENT else None


def _pages(rows: Sequence[Mapping[str, Any]]) -> tuple[Cited, ...]:
    """Pages once each, each followed by those that support it."""
    found: dict[str, Cited] = {}
    for row in rows:
        for one in (row, *_rows(row.get("supporting_websites"))):
            url = _web(one.get("url"))
            if url is not None and url not in found:
                found[url] = _page(url, one)
    return tuple(found.values())


def _page(url: str, row: Mapping[str, Any]) -> Cited:
    named = optional_string(row.get("attribution"))
    title, snippet = optional_string(row.get("title")), optional_string(row.get("snippet"))
    return Cited(url, title, named, snippet)


def _old(row: Mapping[str, Any]) -> Iterator[Reference]:
    inner = row.get("metadata")
    page = inner if isinstance(inner, Mapping) else {}
    url = _web(page.get("url"))
    if row.get("invalid_reason") or url is None or page.get("type", "webpage") != "webpage":
        return
    extra = page.get("extra")
    number = optional_int(extra.get("cited_message_idx")) if isinstance(extra, Mapping) else None
    snippet = optional_string(page.get("text"))
    yield Reference(
        kind="citation",
        matched="" if number is None else f"【{number}†",
        start=optional_int(row.get("start_ix")),
        end=optional_int(row.get("end_ix")),
        role=Role.DISPLAYED,
        pages=(Cited(url, optional_string(page.get("title")), None, snippet),),
        words="",
    )


def _rows(value: Any) -> tuple[Mapping[str, Any], ...]:
    """The objects of a list; empty where it is none."""
    return (
        tuple(one for one in value if isinstance(one, Mapping)) if isinstance(value, list) else ()
    )


def _web(value: Any) -> str | None:
    url = optional_string(value)
    return url if url is not None and _WEB.match(url) else None
