"""Blocks of an answer in Markdown: paragraphs, headings, list items, rows; code is skipped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_BULLET = re.compile(
    r"\s*(?:[-*+•▪‣◦●○–—·]|\d{1,3}[.)]|\(\d{1,3}\)|[a-z]\))\s+(?:\[[ xX]\]\s+)?(?=\S)"
)
_QUOTE = re.compile(r"(?:\s{0,3}>\s?)+")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*){0,60}\|?\s*$")
_REFERENCE = re.compile(r"\s*\[\^?\d{1,3}\]:?\s*<?(?:https?://|www\.)\S")
_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?=\S)[^*_\n]{1,160}\1:?\s*$")
_STOPS = ".!?。！？:：;؟।"
_TAIL = re.compile(r"(?:\[[^\[\]]{0,60}\]|[)\]\"'”’*_\s])+$")


class BlockKind(StrEnum):
    """What a block of an answer is."""

    PROSE = "prose"
    HEADING = "heading"
    ENTRY = "entry"
    ROW = "row"
    HEADER = "header"


@dataclass(frozen=True, slots=True)
class Block:
    """One block without its Markdown prefix; offsets are code points of the answer."""

    kind: BlockKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    words: str


def blocks(text: str) -> tuple[Block, ...]:
    """Blocks in text order; fenced code, rules and reference lists are left out."""
    lines = list(_outside_code(text))
    found: list[Block] = []
    for place, line in enumerate(lines):
        block = _block(lines, place)
        if block is None:
            continue
        if found and _continues(text, found[-1], block, line):
            found[-1] = Block(found[-1].kind, found[-1].start, block.end)
        else:
            found.append(block)
    return tuple(found)


def _outside_code(text: str) -> Iterator[_Line]:
    start, fenced = 0, False
    for words in text.split("\n"):
        if _FENCE.match(words):
            fenced = not fenced
        elif not fenced:
            yield _Line(start, start + len(words.rstrip()), words)
        start += len(words) + 1


def _block(lines: list[_Line], place: int) -> Block | None:
    line = lines[place]
    words = line.words
    if not words.strip() or _REFERENCE.match(words):
        return None
    if _is_row(lines, place):
        return _row(lines, place)
    if _RULE.match(words):
        return None
    quoted = _QUOTE.match(words)
    offset = quoted.end() if quoted else 0
    return _titled(line, offset) or _entry(line, offset)


def _titled(line: _Line, offset: int) -> Block | None:
    prefix = _HEADING.match(line.words, offset)
    if prefix:
        return Block(BlockKind.HEADING, line.start + prefix.end(), line.end)
    if _BOLD_LINE.match(line.words, offset):
        last = line.words.rstrip().rstrip("*_")[-1:]
        if last and last not in ".!?。！？":
            return Block(BlockKind.HEADING, line.start + offset, line.end)
    return None


def _entry(line: _Line, offset: int) -> Block:
    bullet = _BULLET.match(line.words, offset)
    if bullet is None:
        lead = len(line.words) - len(line.words[offset:].lstrip())
        return Block(BlockKind.PROSE, line.start + lead, line.end)
    return Block(BlockKind.ENTRY, line.start + bullet.end(), line.end)


def _is_row(lines: list[_Line], place: int) -> bool:
    words = lines[place].words.strip()
    if words.startswith("|") and words.count("|") >= 2:
        return True
    if "|" not in words:
        return False
    around = lines[max(0, place - 1) : place + 2]
    return any("|" in line.words and _TABLE_RULE.match(line.words) for line in around)


def _row(lines: list[_Line], place: int) -> Block | None:
    line = lines[place]
    if _TABLE_RULE.match(line.words):
        return None
    lead = len(line.words) - len(line.words.lstrip())
    under = lines[place + 1].words if place + 1 < len(lines) else ""
    is_header = "-" in under and bool(_TABLE_RULE.match(under))
    kind = BlockKind.HEADER if is_header else BlockKind.ROW
    return Block(kind, line.start + lead, line.end)


def _continues(text: str, before: Block, block: Block, line: _Line) -> bool:
    """Whether a line is the wrapped rest of the block before it."""
    if block.kind is not BlockKind.PROSE or before.kind not in {BlockKind.PROSE, BlockKind.ENTRY}:
        return False
    if text.count("\n", before.end, line.start) != 1:
        return False
    last = _TAIL.sub("", text[max(before.start, before.end - 80) : before.end])[-1:]
    return bool(last) and last not in _STOPS and text[block.start].islower()


def cells(text: str, row: Block) -> tuple[tuple[int, int], ...]:
    """Ranges of the cells of a table row, whitespace trimmed; empty cells keep their place."""
    start, end = row.start, row.end
    if text[start : start + 1] == "|":
        start += 1
    if text[end - 1 : end] == "|" and text[end - 2 : end - 1] != "\\":
        end -= 1
    cuts = [m.start() for m in re.finditer(r"(?<!\\)\|", text[start:end])]
    edges = [start, *(start + cut + 1 for cut in cuts), end + 1]
    return tuple(_trimmed(text, first, after - 1) for first, after in pairwise(edges))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    words = text[start:end]
    first = start + len(words) - len(words.lstrip())
    return first, max(first, start + len(words.rstrip()))
