"""Evidence texts read once: sentences, their words, and where each word occurs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from monitor.claims import sentences
from monitor.judge.embedded.words import Words, read_words

_WORD = re.compile(r"[^\W_]")
_KEPT_PAGES = 64
_MOST_SENTENCES = 20_000
_KEPT_CODE_POINTS = 400_000
"""Longest text read; what lies behind it is not searched."""
_LONGEST_SENTENCE = 900
"""A run without full stops (menus, tables) is cut into pieces of about so many code points."""
_SPREAD = 3
"""Sentences of a passage."""
_WORDS_OF_PASSAGE = 110
_WORDS_OF_TITLE = 16


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an evidence text: its range, words, and their set."""

    start: int
    end: int
    words: Words
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Page:
    """One evidence text, read."""

    sentences: tuple[Sentence, ...]
    index: dict[str, tuple[int, ...]]
    """Sentences of each stem, in order."""
    prefixes: dict[str, tuple[int, ...]]
    """Sentences of each five-letter beginning of longer stems: `stabil` finds `stable`."""
    reach: tuple[int, ...]
    """For each sentence, the first one behind the passage that starts there."""
    title: frozenset[str]
    """Stems of a short first sentence: what the page says it is about."""


@lru_cache(maxsize=_KEPT_PAGES)
def read_page(text: str) -> Page:
    """Sentences and index of an evidence text; reading again costs nothing while it is kept."""
    worded = (
        _sentence(text, start, end)
        for first, last in _lines(text[:_KEPT_CODE_POINTS])
        for start, end in _pieces(text, first, last)
        if _WORD.search(text, start, end)
    )
    kept = tuple(islice((one for one in worded if one.stems), _MOST_SENTENCES))
    beginnings = [frozenset(stem[:5] for stem in one.stems if len(stem) > 5) for one in kept]
    return Page(
        kept, _index([one.stems for one in kept]), _index(beginnings), _reach(kept), _title(kept)
    )


def _lines(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if not line.isspace() and line:
            found.append((start, start + len(line)))
        start += len(line) + 1
    return found


def _pieces(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """Sentences of one line; overlong ones are cut at spaces."""
    found: list[tuple[int, int]] = []
    for start, end in sentences(text[first:last]):
        at, stop = first + start, first + end
        while stop - at > _LONGEST_SENTENCE:
            space = text.rfind(" ", at + _LONGEST_SENTENCE // 2, at + _LONGEST_SENTENCE)
            cut = space if space > 0 else at + _LONGEST_SENTENCE
            found.append((at, cut))
            at = cut + (space > 0)
        found.append((at, stop))
    return found


def _sentence(text: str, start: int, end: int) -> Sentence:
    words = read_words(text, start, end)
    return Sentence(start, end, words, frozenset(words.stems))


def _index(found: Sequence[frozenset[str]]) -> dict[str, tuple[int, ...]]:
    places: dict[str, list[int]] = {}
    for place, stems in enumerate(found):
        for stem in stems:
            places.setdefault(stem, []).append(place)
    return {stem: tuple(listed) for stem, listed in places.items()}


def _title(found: tuple[Sentence, ...]) -> frozenset[str]:
    short = bool(found) and len(found[0].words.stems) <= _WORDS_OF_TITLE
    return found[0].stems if short else frozenset()


def _reach(found: tuple[Sentence, ...]) -> tuple[int, ...]:
    """End of the passage of each sentence: at most three sentences and about a hundred words."""
    sizes = [len(one.words.stems) for one in found]
    ends: list[int] = []
    for start in range(len(found)):
        end, count = start + 1, sizes[start]
        while end < min(len(found), start + _SPREAD) and count + sizes[end] <= _WORDS_OF_PASSAGE:
            count += sizes[end]
            end += 1
        ends.append(end)
    return tuple(ends)
