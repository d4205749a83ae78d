"""Text of a cited page as verdicts read it, with everything marked that is quoted of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from monitor.report.answer_view import AnswerView
from monitor.report.screens.links import capture_address, source_address

PART = 40_000
"""Characters of a text on one page."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of the text; quoted where statements are named."""

    text: str
    statements: tuple[int, ...]
    """Numbers of the statements whose verdicts quote it."""


@dataclass(frozen=True, slots=True)
class SourceTextScreen:
    """A part of a cited page's text."""

    capture: int
    number: int
    title: str | None
    url: str | None
    page_key: str
    sha256: str
    fetched_at: datetime | None
    characters: int
    part: int
    parts: int
    pieces: tuple[TextPiece, ...]
    quotes: tuple[tuple[int, int], ...]
    """(number of a statement, part that has its quote), in the order of the text."""
    back: str
    bytes_kept: bool
    earlier: str | None
    later: str | None


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote: where it stands in the text, and the number of its statement."""

    start: int
    end: int
    statement: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A cited page's text with its quotes."""

    number: int
    sha256: str
    text: str
    quotes: tuple[Quoted, ...]

    @property
    def parts(self) -> int:
        """How many pages it takes."""
        return max(1, -(-len(self.text) // PART))

    def first_part(self) -> int:
        """The part with the first quote, or the first part."""
        return min((q.start for q in self.quotes), default=0) // PART + 1


def source_text_screen(one: AnswerView, told: SourceText, part: int) -> SourceTextScreen:
    """One part of the text of a cited page."""
    page, fetch = one.view.pages[told.number - 1], one.fetches.get(told.number)
    own, number = one.view.id, told.number
    return SourceTextScreen(
        capture=own,
        number=number,
        title=page.title,
        url=page.clean_url,
        page_key=page.page_key,
        sha256=told.sha256,
        fetched_at=fetch.fetched_at if fetch else None,
        characters=len(told.text),
        part=part,
        parts=told.parts,
        pieces=pieces_of(told.text, told.quotes, ((part - 1) * PART, part * PART)),
        quotes=tuple(dict.fromkeys((q.statement, q.start // PART + 1) for q in told.quotes)),
        back=capture_address(own, source=number),
        bytes_kept=bool(fetch and fetch.body and fetch.body.removed_at is None),
        earlier=source_address(own, number, part=part - 1) if part > 1 else None,
        later=source_address(own, number, part=part + 1) if part < told.parts else None,
    )


def pieces_of(
    text: str, quotes: Sequence[Quoted], window: tuple[int, int]
) -> tuple[TextPiece, ...]:
    """A window of a text cut wherever a quote begins or ends; together they are the window."""
    low, high = window[0], min(window[1], len(text))
    inside = [q for q in quotes if q.start < high and q.end > low]
    cuts = {low, high, *(max(low, q.start) for q in inside), *(min(high, q.end) for q in inside)}
    edges = sorted(cuts)
    return tuple(
        TextPiece(
            text[start:end],
            tuple(dict.fromkeys(q.statement for q in inside if q.start < end and q.end > start)),
        )
        for start, end in pairwise(edges)
        if start < end
    )
