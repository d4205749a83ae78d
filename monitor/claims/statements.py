"""Statements of an answer with the citations that stand behind each of them.

A marker belongs to the text directly before it in its line; a marker alone on a line belongs to the
statement before. Claim and block spans belong to every statement that they cover in good part.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from monitor.claims.blocks import Block, BlockKind, blocks, cells
from monitor.claims.kinds import has_verb, statement_kind
from monitor.claims.markers import Marker, markers
from monitor.claims.propositions import propositions
from monitor.claims.prose import Placed, Prose, prose
from monitor.claims.sentences import sentences
from monitor.domain.claim import Claim, Statement, StatementKind
from monitor.domain.engine import VISIBLE, Reading, SpanKind

_SILENT = frozenset({StatementKind.HEADING, StatementKind.QUESTION, StatementKind.TRANSITION})
_FRAGMENT_WORDS = 5
"""A list item of at most so many words without a verb is read with the line that introduces it."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """A statement before it is numbered."""

    text: str
    start: int
    end: int
    block: BlockKind
    markers: tuple[Marker, ...]
    parts: tuple[tuple[str, int, int], ...]
    """Claim texts and their ranges in the answer."""


def statements(reading: Reading) -> tuple[Statement, ...]:
    """Statements of an answer in text order; empty when nothing was answered."""
    drafts = _drafts(reading.text, markers(reading))
    covered = _covered(reading, drafts)
    made: list[Statement] = []
    lead = ""
    for draft, spanned in zip(drafts, covered, strict=True):
        statement = _statement(draft, spanned, index=len(made))
        made.append(_with_claims(statement, draft, lead, first=_next_claim(made)))
        lead = _lead(statement, draft, lead)
    return tuple(made)


def _next_claim(made: Sequence[Statement]) -> int:
    return next((one.claims[-1].index + 1 for one in reversed(made) if one.claims), 0)


def _drafts(text: str, marks: Sequence[Marker]) -> list[_Draft]:
    found: list[_Draft] = []
    starts = [mark.start for mark in marks]
    header: tuple[str, ...] = ()
    for block in blocks(text):
        inside = marks[bisect_right(starts, block.start - 1) : bisect_right(starts, block.end - 1)]
        if block.kind is BlockKind.ROW:
            found.extend(_row(text, block, inside, header=header))
            continue
        if block.kind is BlockKind.HEADER:
            header = tuple(prose(text, cell, ()).text for cell in cells(text, block))
            found.extend(_row(text, block, inside, header=()))
            continue
        header = ()
        _extend(found, _sentences(text, block, inside))
    return found


def _extend(found: list[_Draft], new: Iterable[_Draft]) -> None:
    """Add drafts; one without words gives its markers to the draft before it."""
    for draft in new:
        if draft.text:
            found.append(draft)
        elif found:
            found[-1] = replace(found[-1], markers=(*found[-1].markers, *draft.markers))


def _sentences(text: str, block: Block, marks: Sequence[Marker]) -> Iterator[_Draft]:
    words = prose(text, (block.start, block.end), marks)
    whole = block.kind is BlockKind.HEADING
    ranges = ((0, len(words.text)),) if whole else sentences(words.text)
    if not any(char.isalnum() for char in words.text):
        yield _Draft("", block.start, block.end, block.kind, tuple(marks), ())
        return
    shares = _shares(ranges, words.placed)
    for bounds, behind in zip(ranges, shares, strict=True):
        yield _draft(words, bounds, block.kind, behind)


def _shares(
    ranges: Sequence[tuple[int, int]], placed: Iterable[Placed]
) -> list[tuple[Marker, ...]]:
    """Markers of each sentence: the last one that starts before the marker's place."""
    starts = [start for start, _ in ranges]
    shares: list[list[Marker]] = [[] for _ in ranges]
    for one in placed:
        shares[max(0, bisect_right(starts, one.at - 1) - 1)].append(one.marker)
    return [tuple(share) for share in shares]


def _draft(
    words: Prose, bounds: tuple[int, int], kind: BlockKind, behind: tuple[Marker, ...]
) -> _Draft:
    start, end = bounds
    text = words.text[start:end]
    parts = tuple(
        (told, words.origin(start + a), words.origin(start + b - 1) + 1)
        for told, a, b in propositions(text)
    )
    return _Draft(text, words.origin(start), words.origin(end - 1) + 1, kind, behind, parts)


def _row(
    text: str, row: Block, marks: Sequence[Marker], *, header: tuple[str, ...]
) -> Iterator[_Draft]:
    """A table row as one statement: the first cell, then each other cell under its header."""
    read = [
        (bounds, prose(text, bounds, _within(marks, bounds)).text) for bounds in cells(text, row)
    ]
    filled = [(place, bounds, words) for place, (bounds, words) in enumerate(read) if words]
    if not filled:
        return
    name = filled[0][2]
    rest = filled[1:]
    parts = tuple(
        (f"{name}: {_under(header, place, len(read))}{words}", *bounds)
        for place, bounds, words in rest
    )
    joined = "; ".join(f"{_under(header, place, len(read))}{words}" for place, _, words in rest)
    told = f"{name}: {joined}" if joined else name
    yield _Draft(
        told, row.start, row.end, row.kind, tuple(marks), parts or ((told, row.start, row.end),)
    )


def _within(marks: Sequence[Marker], bounds: tuple[int, int]) -> tuple[Marker, ...]:
    return tuple(mark for mark in marks if bounds[0] <= mark.start < bounds[1])


def _under(header: tuple[str, ...], place: int, width: int) -> str:
    """Header word of a column, needed only where a table has more than two columns."""
    if width <= 2 or place >= len(header) or not header[place]:
        return ""
    return f"{header[place]} "


def _statement(draft: _Draft, spanned: Iterable[int], *, index: int) -> Statement:
    pointed = [number for mark in draft.markers for number in mark.citations]
    citations = tuple(dict.fromkeys([*pointed, *spanned]))
    unmapped = sum(mark.unmapped for mark in draft.markers)
    cited = bool(citations) or unmapped > 0
    kind = statement_kind(draft.text, draft.block, cited=cited)
    return Statement(index, draft.text, draft.start, draft.end, kind, citations, unmapped)


def _with_claims(statement: Statement, draft: _Draft, lead: str, *, first: int) -> Statement:
    """The statement with its claims; headings, questions and transitions have none."""
    if statement.kind in _SILENT or not statement.counted:
        return statement
    parts = draft.parts
    if lead and draft.block is BlockKind.ENTRY and _is_fragment(draft.text):
        parts = ((f"{lead} {draft.text}", draft.start, draft.end),)
    claims = tuple(
        Claim(first + place, statement.index, words, start, end)
        for place, (words, start, end) in enumerate(parts)
    )
    return replace(statement, claims=claims)


def _is_fragment(words: str) -> bool:
    return len(words.split()) <= _FRAGMENT_WORDS and not has_verb(words)


def _lead(statement: Statement, draft: _Draft, lead: str) -> str:
    """Words that introduce the list items after them; a line of other prose ends their reach."""
    if draft.block is BlockKind.ENTRY:
        return lead
    opens = draft.text.endswith(":") and has_verb(draft.text)
    plain = statement.kind is not StatementKind.HEADING and not draft.text.startswith(
        ("Here", "Below")
    )
    return draft.text[:-1].rstrip() if opens and plain else ""


def _covered(reading: Reading, drafts: Sequence[_Draft]) -> list[tuple[int, ...]]:
    """Citations of each draft through claim and block spans."""
    found: list[dict[int, None]] = [{} for _ in drafts]
    starts = [draft.start for draft in drafts]
    for index, citation in enumerate(reading.citations):
        spans = citation.spans if citation.role in VISIBLE else ()
        for span in spans:
            if span.kind is not SpanKind.MARKER:
                for place in _reached(drafts, starts, (span.start, span.end)):
                    found[place][index] = None
    return [tuple(one) for one in found]


def _reached(
    drafts: Sequence[_Draft], starts: Sequence[int], span: tuple[int, int]
) -> tuple[int, ...]:
    """Drafts that a span covers in half, or that hold half of it; else the one it touches most."""
    first = max(0, bisect_right(starts, span[0]) - 1)
    touched = [
        (min(draft.end, span[1]) - max(draft.start, span[0]), place)
        for place, draft in enumerate(drafts[first : bisect_right(starts, span[1])], first)
    ]
    overlaps = [(length, place) for length, place in touched if length > 0]
    half = (span[1] - span[0]) / 2
    much = tuple(
        place
        for length, place in overlaps
        if length >= half or 2 * length >= drafts[place].end - drafts[place].start
    )
    most = max(overlaps, key=lambda one: one[0], default=None)
    return much or ((most[1],) if most else ())
