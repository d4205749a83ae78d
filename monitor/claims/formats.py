"""Shape of an answer: prose, list, table or comparison, by counting its blocks."""

import re
from collections import Counter

from monitor.claims.blocks import BlockKind, blocks, cells
from monitor.domain.claim import AnswerFormat
from monitor.domain.engine import Reading

_VERSUS = re.compile(r"\b(?:vs\.?|versus)(?!\w)", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:whereas|compared (?:to|with)|in contrast|by contrast"
    r"|on the other hand|unlike|versus|vs)\b",
    re.IGNORECASE,
)


def answer_format(reading: Reading) -> AnswerFormat:
    """Comparison before table before list before prose.

    A comparison is a table of three or more columns and two or more rows, a heading with "versus",
    or comparing words in at least a quarter of two or more blocks. A table or a list holds at
    least half of the blocks that are not headings (a list two or more items).
    """
    text = reading.text
    found = blocks(text)
    counts = Counter(block.kind for block in found)
    rows = [block for block in found if block.kind is BlockKind.ROW]
    if _compares(text) or (len(rows) >= 2 and min(len(cells(text, row)) for row in rows) >= 3):
        return AnswerFormat.COMPARISON
    body = sum(counts[kind] for kind in (BlockKind.PROSE, BlockKind.ENTRY, BlockKind.ROW))
    if rows and 2 * len(rows) >= body:
        return AnswerFormat.TABLE
    entries = counts[BlockKind.ENTRY]
    return AnswerFormat.LIST if entries >= 2 and 2 * entries >= body else AnswerFormat.PROSE


def _compares(text: str) -> bool:
    found = blocks(text)
    headings = [b for b in found if b.kind is BlockKind.HEADING]
    if any(_VERSUS.search(text[b.start : b.end]) for b in headings):
        return True
    body = [b for b in found if b.kind in {BlockKind.PROSE, BlockKind.ENTRY}]
    hits = sum(bool(_COMPARES.search(text[b.start : b.end])) for b in body)
    return hits >= 2 and 4 * hits >= len(body)
