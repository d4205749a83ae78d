"""Two texts word by word: what stayed, what went, what came, in bounded work.

The longest common subsequence by bits of a row (Hyyrö, 2004, "Bit-parallel LCS-length computation
revisited"): each word of one text is one addition of integers as long as the other text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

MOST_WORDS = 10_000
"""Words of each text that are held against each other; what follows is left out, and said."""

_WORD = re.compile(r"\s*\S+")


class Kept(StrEnum):
    """Which of two texts has some words."""

    BOTH = "both"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """Words that stand together in both texts, or in one of them alone."""

    kept: Kept
    text: str


@dataclass(frozen=True, slots=True)
class WordDiff:
    """Two texts as one, and how many words of each there are."""

    pieces: tuple[DiffPiece, ...]
    left_out: int
    """Words of both that were not held against each other: there are too many."""


def word_diff(before: str, after: str) -> WordDiff:
    """What is another in one text than in another one."""
    # Every word has the space before it, the first one too: it may not be the first of both.
    old, new = (_WORD.findall(f"\n{text.lstrip()}") for text in (before, after))
    left_out = max(0, len(old) - MOST_WORDS) + max(0, len(new) - MOST_WORDS)
    old, new = old[:MOST_WORDS], new[:MOST_WORDS]
    keys = [one.strip() for one in old], [one.strip() for one in new]
    steps = _steps(old, new, shared_places(*keys))
    pieces = [
        DiffPiece(kept, "".join(word for _, word in words))
        for kept, words in groupby(steps, key=_kept)
    ]
    pieces[:1] = [DiffPiece(one.kept, one.text.lstrip()) for one in pieces[:1]]
    return WordDiff(tuple(pieces), left_out)


def _kept(step: tuple[Kept, str]) -> Kept:
    return step[0]


def _steps(
    old: Sequence[str], new: Sequence[str], pairs: Iterable[tuple[int, int]]
) -> Iterator[tuple[Kept, str]]:
    """Words in reading order; between two that both have, those that went come first."""
    at, place = 0, 0
    for i, j in (*pairs, (len(old), len(new))):
        yield from ((Kept.BEFORE, word) for word in old[at:i])
        yield from ((Kept.AFTER, word) for word in new[place:j])
        if j < len(new):
            yield Kept.BOTH, new[j]
        at, place = i + 1, j + 1


def shared_places(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence in both, in order."""
    if not old or not new:
        return []
    rows = _rows(old, new)
    found: list[tuple[int, int]] = []
    row, column = len(old), len(new)
    while row and column:
        bit = 1 << (column - 1)
        if rows[row - 1] & bit:
            column -= 1
            continue
        row -= 1
        if row and not rows[row - 1] & bit:
            continue
        column -= 1
        found.append((row, column))
    return found[::-1]


def _rows(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """A row of bits for each word of the one text; a 0 is where the subsequence gets longer."""
    places: dict[str, int] = {}
    for place, word in enumerate(new):
        places[word] = places.get(word, 0) | (1 << place)
    whole = (1 << len(new)) - 1
    row, rows = whole, []
    for word in old:
        shared = row & places.get(word, 0)
        row = ((row + shared) | (row - shared)) & whole
        rows.append(row)
    return rows
