"""Numbered markers `[n]` in an answer's text, each pointing at the n-th of a list of sources."""

import re
from collections.abc import Iterator, Sequence

from monitor.domain.engine import Retrieved, Role, Span, SpanKind
from monitor.engines.shapes.citing import Mark
from monitor.engines.shapes.links import Link, overlapping

_MARKER = re.compile(r"\[(\d{1,3})\](?!\()")


def find_markers(text: str, links: Sequence[Link]) -> Iterator[tuple[int, Span]]:
    """Numbers of the markers outside links, with their spans, in reading order."""
    for match in _MARKER.finditer(text):
        start, end = match.span()
        if overlapping(links, start, end) is None:
            yield int(match[1]), Span(start, end, SpanKind.MARKER)


def numbered_marks(
    markers: Sequence[tuple[int, Span]], sources: Sequence[Retrieved]
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """Marks of 1-based markers; those out of range give a warning and no citation."""
    marks, stray = [], []
    for number, span in markers:
        if 1 <= number <= len(sources):
            source = sources[number - 1]
            marks.append(Mark(source.url, Role.DISPLAYED, source.title, span, span.start))
        else:
            stray.append(number)
    if not stray:
        return tuple(marks), ()
    numbers = ", ".join(f"[{number}]" for number in dict.fromkeys(stray))
    return tuple(marks), (f"markers {numbers} point past the {len(sources)} sources; no citation",)
