"""From single marks to citations: one entry per distinct raw URL, in order of first mark.

A mark is one place where an answer points at a URL: an annotation, a `[n]` or a link in prose.
Vendors' offsets are believed only where the slice they name shows the URL or a marker.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from monitor.domain.engine import ROLE_ORDER, Citation, Retrieved, Role, Span, SpanKind
from monitor.engines.shapes.links import Link, find_links, overlapping

_TRACKER = re.compile(r"[?&]utm_source=(?:openai|chatgpt\.com)\b")
_MARKER = re.compile(r"\s*(?:\(?\[\[?\d{1,3}\]?\]\)?|【[^【】]*】)\s*\Z")


@dataclass(frozen=True, slots=True)
class Mark:
    """One place where an answer points at a URL."""

    url: str
    role: Role
    title: str | None = None
    span: Span | None = None
    at: int | None = None
    """Where it stands in reading order; None where the payload states no place."""
    snippet: str | None = None


def untracked(url: str) -> str:
    """URL without the tracker OpenAI appends; only to tell the same address in two spellings."""
    return _TRACKER.sub("", url)


def _citation(url: str, marks: Sequence[Mark]) -> Citation:
    role = min((mark.role for mark in marks), key=ROLE_ORDER.index)
    spans = tuple(sorted({m.span for m in marks if m.span}, key=lambda s: (s.start, s.end)))
    shown = sum(mark.role is not Role.LISTED for mark in marks if mark.role is role)
    return Citation(
        url=url,
        title=next((m.title for m in marks if m.title), None),
        role=role,
        marks=max(len(spans), shown),
        spans=spans,
        snippet=next((m.snippet for m in marks if m.snippet), None),
    )


def gather(marks: Iterable[Mark]) -> tuple[Citation, ...]:
    """Citations by distinct raw URL: first mark first, those without a place last."""
    by_url: dict[str, list[Mark]] = {}
    for mark in marks:
        by_url.setdefault(mark.url, []).append(mark)
    firsts = {
        url: min((m.at for m in same if m.at is not None), default=None)
        for url, same in by_url.items()
    }
    order = sorted(by_url, key=lambda url: (firsts[url] is None, firsts[url] or 0))
    return tuple(_citation(url, by_url[url]) for url in order)


def distinct(sources: Iterable[Retrieved]) -> tuple[Retrieved, ...]:
    """Retrieved sources once per raw URL, first spelling and first title kept."""
    kept: dict[str, Retrieved] = {}
    for source in sources:
        known = kept.get(source.url)
        if known is None or (known.title is None and source.title is not None):
            kept[source.url] = source
    return tuple(kept.values())


def distinct_words(queries: Iterable[str]) -> tuple[str, ...]:
    """Search queries once each in order, empty ones dropped."""
    return tuple(dict.fromkeys(query for query in queries if query.strip()))


def shows(text: str, url: str) -> bool:
    """Whether a slice shows the URL (tracker aside) or is a marker such as [1]."""
    return bool(url in text or untracked(url) in text or _MARKER.match(text))


def _nearest(links: Sequence[Link], url: str, near: int) -> Link | None:
    same = [link for link in links if untracked(link.url) == untracked(url)]
    return min(same, key=lambda link: abs(link.start - near), default=None)


def locate(text: str, links: Sequence[Link], url: str, stated: tuple[int, int]) -> Span | None:
    """Span of a citation: the stated one where it shows the URL, else the nearest such link."""
    start, end = stated
    sane = 0 <= start < end <= len(text)
    if sane and shows(text[start:end], url) and text[start] in "([【" and text[end - 1] in ")]】":
        return Span(start, end, SpanKind.MARKER)
    link = overlapping(links, start, end) if sane else None
    if link is None or untracked(link.url) != untracked(url):
        link = _nearest(links, url, start)
    if link is not None:
        return Span(link.start, link.end, SpanKind.MARKER)
    if sane and shows(text[start:end], url):
        return Span(start, end, SpanKind.MARKER)
    return None


def prose_marks(links: Sequence[Link], marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Links in prose outside all marked spans; a cited page in another spelling is the same."""
    shown = (mark.span for mark in marks if mark.span and mark.span.kind is SpanKind.MARKER)
    taken = sorted(shown, key=lambda span: span.start)
    covered = tuple(Link("", None, span.start, span.end) for span in taken)
    cited = {untracked(mark.url): mark.url for mark in reversed(marks)}
    return tuple(
        Mark(
            url=cited.get(untracked(link.url), link.url),
            role=Role.LINK,
            title=link.label if untracked(link.url) not in cited else None,
            span=Span(link.start, link.end, SpanKind.MARKER),
            at=link.start if untracked(link.url) not in cited else None,
        )
        for link in links
        if overlapping(covered, link.start, link.end) is None
    )


def with_prose(text: str, marks: Sequence[Mark]) -> tuple[Citation, ...]:
    """Citations of the vendor's marks and of the links that stand in prose beside them."""
    return gather([*marks, *prose_marks(find_links(text), marks)])
