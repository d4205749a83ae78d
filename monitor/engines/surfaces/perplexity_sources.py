"""Numbered sources of a Perplexity answer, and the marks in its text that point at them.

Not every numbered source is a page: rows of the asker's memory, files, open tabs and earlier
conversations have numbers too. They keep their number and are no citation.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import Citation, Placement, Retrieved, Role, Span, SpanKind
from monitor.engines.shapes.citing import Mark, distinct, gather, prose_marks
from monitor.engines.shapes.links import find_links, overlapping
from monitor.engines.shapes.payload import clean_text, optional_string

PRIVATE_ROWS = frozenset(
    {
        "is_memory", "is_attachment", "is_client_context", "is_conversation_history",
        "is_conversation_summary",
    }
)  # fmt: skip
"""Flags of rows that are the asker's own, not pages of the web."""

NUMBER = re.compile(r"\[(?P<name>\d{1,3})\](?!\()")
"""A mark of streams, threads and the oldest exports."""

_CODE = re.compile(r"^```.*?(?:^```|\Z)|`[^`\n]{1,2000}`", re.MULTILINE | re.DOTALL)
_PRIVATE_USE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")


@dataclass(frozen=True, slots=True)
class Source:
    """One numbered source."""

    url: str | None
    """None for what is no page of the web."""
    title: str | None = None
    snippet: str | None = None
    publisher: str | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """Citations of a text, and what is to be said of marks that lead to no page."""

    citations: tuple[Citation, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pointer:
    """A mark as it is written."""

    name: str
    start: int
    end: int


def without_own_words(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row as it may be kept: of the asker's own only the flags, so that it counts."""
    flags = {flag: True for flag in PRIVATE_ROWS if row.get(flag) is True}
    return flags or row


def plain_answer(text: str) -> str:
    """An answer's text without characters that stand for no word."""
    return _PRIVATE_USE.sub("", clean_text(text)).strip()


def web_source(row: Any) -> Source:
    """A row of `web_results` or `sources`; without URL where it is no page of the web."""
    if not isinstance(row, Mapping):
        return Source(None)
    more = row.get("meta_data")
    meta = more if isinstance(more, Mapping) else {}
    publisher = meta.get("citation_domain_name") or meta.get("domain_name")
    own = any(row.get(flag) is True for flag in PRIVATE_ROWS)
    return Source(
        None if own else web_address(row.get("url")),
        None if own else optional_string(row.get("name")),
        None if own else optional_string(row.get("snippet")),
        None if own else optional_string(publisher),
    )


def web_address(value: Any) -> str | None:
    """A URL of the web as it is written; None for anything else."""
    url = clean_text(value).strip() if isinstance(value, str) else ""
    return url if url.lower().startswith(("http://", "https://")) and len(url) > 8 else None


def retrieved_of(sources: Sequence[Source]) -> tuple[Retrieved, ...]:
    """Pages among sources, each once."""
    return distinct(Retrieved(one.url, one.title) for one in sources if one.url)


def cite(text: str, sources: Mapping[str, Source], mark: re.Pattern[str] = NUMBER) -> Cited:
    """Citations of a text whose marks name sources; links in prose stay links.

    Marks in code are code. Marks that stand side by side are one group.
    """
    links = find_links(text)
    code = [found.span() for found in _CODE.finditer(text)]
    pointers = [
        _Pointer(found["name"], *found.span())
        for found in mark.finditer(text)
        if overlapping(links, *found.span()) is None and not _within(code, found.start())
    ]
    marks: list[Mark] = []
    strays: dict[str, None] = {}
    own: dict[str, None] = {}
    for pointer in pointers:
        source = sources.get(pointer.name)
        if source is None:
            strays[pointer.name] = None
        elif source.url is None:
            own[pointer.name] = None
        else:
            marks.append(_mark(pointer, source, source.url))
    placed = _placements(pointers, sources)
    citations = gather([*marks, *prose_marks(links, marks)])
    return Cited(
        tuple(replace(one, placement=placed.get(one.url)) for one in citations),
        (
            *_told(strays, f"point at none of the {len(sources)} sources; no citation"),
            *_told(own, "point at the asker's own files or memory, not at a page; no citation"),
        ),
    )


def _mark(pointer: _Pointer, source: Source, url: str) -> Mark:
    span = Span(pointer.start, pointer.end, SpanKind.MARKER)
    return Mark(url, Role.DISPLAYED, source.title, span, span.start, source.snippet)


def _within(ranges: Sequence[tuple[int, int]], place: int) -> bool:
    at = bisect_right(ranges, (place, place)) - 1
    return at >= 0 and ranges[at][0] <= place < ranges[at][1]


def _placements(
    pointers: Sequence[_Pointer], sources: Mapping[str, Source]
) -> Mapping[str, Placement]:
    """URL -> where its first mark stands."""
    groups: list[list[_Pointer]] = []
    for pointer in pointers:
        if groups and groups[-1][-1].end == pointer.start:
            groups[-1].append(pointer)
        else:
            groups.append([pointer])
    placed: dict[str, Placement] = {}
    for number, group in enumerate(groups):
        for place, pointer in enumerate(group):
            source = sources.get(pointer.name)
            if source is not None and source.url is not None:
                where = Placement(
                    group=number,
                    group_size=len(group),
                    place_in_group=place,
                    publisher=source.publisher,
                )
                placed.setdefault(source.url, where)
    return placed


def _told(names: Mapping[str, None], what: str) -> tuple[str, ...]:
    if not names:
        return ()
    shown = ", ".join(f"[{name}]" for name in list(names)[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (f"markers {shown}{more} {what}",)
