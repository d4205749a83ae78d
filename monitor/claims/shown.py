"""An answer as a reader saw it: its blocks in order, with the statements that stand in each."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from monitor.claims.blocks import Block, BlockKind, blocks, cells
from monitor.claims.markers import Marker, markers
from monitor.claims.prose import prose
from monitor.domain.claim import Statement
from monitor.domain.engine import Reading

_BARE = re.compile(r"(?:[\s\-*+_=|:#>.()•▪‣◦●○–—·\d]|\[[ xX]\]|(?<!\w)[a-z]\))*")
"""A line of marks alone: rules of tables and of text, and what fences leave."""
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_NUMBERED = re.compile(r"[\s>]*(?:\d{1,3}[.)]|\(\d{1,3}\))\s")


class ShownKind(StrEnum):
    """What a block is to a reader."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    BULLET = "bullet"
    NUMBERED = "numbered"
    HEADER = "header"
    ROW = "row"
    ASIDE = "aside"
    """What is read as it stands and states nothing: code, lists of links."""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """One block of an answer."""

    kind: ShownKind
    statements: tuple[int, ...] = ()
    """Indexes of the statements in it; they are its text, but for tables."""
    cells: tuple[str, ...] = ()
    """Cells of a row, without markers."""
    text: str = ""
    """Its words, where no statement has them."""


_KINDS = {
    BlockKind.PROSE: ShownKind.PARAGRAPH,
    BlockKind.HEADING: ShownKind.HEADING,
    BlockKind.ENTRY: ShownKind.BULLET,
    BlockKind.HEADER: ShownKind.HEADER,
    BlockKind.ROW: ShownKind.ROW,
}


def shown_blocks(reading: Reading, statements: Sequence[Statement]) -> tuple[ShownBlock, ...]:
    """Blocks of an answer in text order; nothing that is read is left out."""
    text, marks = reading.text, markers(reading)
    starts = [one.start for one in statements]
    found: list[tuple[int, ShownBlock]] = []
    at = 0
    for block in blocks(text):
        found += _asides(text, at, block.start)
        inside = statements[bisect_left(starts, block.start) : bisect_left(starts, block.end)]
        found.append((block.start, _shown(text, block, inside, marks)))
        at = block.end
    found += _asides(text, at, len(text))
    return tuple(block for _, block in found if block.statements or block.cells or block.text)


def _shown(
    text: str, block: Block, inside: Sequence[Statement], marks: Sequence[Marker]
) -> ShownBlock:
    kind = _KINDS[block.kind]
    own = tuple(one.index for one in inside)
    if kind in {ShownKind.ROW, ShownKind.HEADER}:
        return ShownBlock(kind, own, tuple(_words(text, c, marks) for c in cells(text, block)))
    if kind is ShownKind.BULLET and _NUMBERED.match(text[_line(text, block.start) : block.start]):
        kind = ShownKind.NUMBERED
    words = "" if own else _words(text, (block.start, block.end), marks)
    return ShownBlock(kind, own, (), words)


def _words(text: str, bounds: tuple[int, int], marks: Sequence[Marker]) -> str:
    """Text of a range without markup and markers."""
    first = bisect_left(marks, bounds[0], key=_start)
    return prose(text, bounds, marks[first : bisect_left(marks, bounds[1], key=_start)]).text


def _start(mark: Marker) -> int:
    return mark.start


def _line(text: str, at: int) -> int:
    """Where the line of an offset begins."""
    return text.rfind("\n", 0, at) + 1


def _asides(text: str, start: int, end: int) -> Iterator[tuple[int, ShownBlock]]:
    """Lines between two blocks, as they stand; what is marks alone is no text."""
    lines = text[start:end].split("\n")
    kept = [one for one in lines if not _FENCE.match(one) and not _BARE.fullmatch(one)]
    if kept:
        yield start, ShownBlock(ShownKind.ASIDE, text="\n".join(kept))
