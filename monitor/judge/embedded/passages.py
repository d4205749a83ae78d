"""Evidence texts read once: sentences, their words, and where each word occurs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from itertools import islice

from monitor.claims import sentences
from monitor.judge.embedded.weights import load_weights
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
_AGAIN = 0.2
"""Worth of a claim's word that an earlier choice already holds."""


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


def best_windows(claim: str, text: str, *, words: int) -> tuple[tuple[int, int], ...]:
    """The passages of a long text nearest to a claim: ranges in text order, apart, verbatim.

    Together they hold at most `words` words. Sentences that add rare words of the claim come first
    (greedy cover), then their neighbours; a text that shares nothing gives its beginning. What lies
    behind the part of a text that judges read (400,000 code points) is not searched.
    """
    page = read_page(text)
    sizes = [_size(text, one) for one in page.sentences]
    if not sizes or words < 1:
        return ()
    if len(text.split()) <= words and sum(sizes) <= words:
        return ((0, len(text)),)
    picked, room = _picked(read_words(claim), page, sizes, words)
    if not picked:
        return (_cut_to(text, page.sentences[_nearest(read_words(claim), page)], words),)
    _widen(picked, sizes, room)
    return tuple(_merged(text, page, sorted(picked)))


def _size(text: str, one: Sentence) -> int:
    """Words of a sentence, by spaces or by tokens, whichever counts more."""
    return max(len(one.words.stems), len(text[one.start : one.end].split()))


def _stakes(claim: Words) -> dict[str, float]:
    """Rarity of each stem of a claim."""
    rarity = load_weights().rarity_of
    return {stem: rarity(stem) for stem in claim.stems}


def _nearest(claim: Words, page: Page) -> int:
    """Sentence with most of the claim; the first one where none has any."""
    stakes = _stakes(claim)
    worth = [sum(w for stem, w in stakes.items() if stem in one.stems) for one in page.sentences]
    return worth.index(max(worth))


def _picked(claim: Words, page: Page, sizes: Sequence[int], words: int) -> tuple[set[int], int]:
    """Sentences chosen by what they add, and the words left; gains only fall, so a heap will do."""
    stakes = _stakes(claim)
    hits = {at for stem in stakes for at in page.index.get(stem, ())} or set(range(len(sizes)))
    queue = [(-_gain(stakes, page.sentences[at], frozenset()), at) for at in hits]
    heapify(queue)
    picked: set[int] = set()
    held: frozenset[str] = frozenset()
    room = words
    while queue:
        promised, at = queue[0]
        gain = _gain(stakes, page.sentences[at], held)
        if -promised > gain + 1e-9:
            heapreplace(queue, (-gain, at))
            continue
        heappop(queue)
        if sizes[at] <= room:
            picked.add(at)
            room -= sizes[at]
            held |= page.sentences[at].stems
    return picked, room


def _gain(stakes: Mapping[str, float], one: Sentence, held: frozenset[str]) -> float:
    """Weight of the claim's words in a sentence; those already held count little."""
    return sum(
        weight * (_AGAIN if stem in held else 1.0)
        for stem, weight in stakes.items()
        if stem in one.stems
    )


def _widen(picked: set[int], sizes: Sequence[int], room: int) -> None:
    """Add the sentence behind and before each chosen one while there is room."""
    for at in [near for one in sorted(picked) for near in (one + 1, one - 1)]:
        if 0 <= at < len(sizes) and at not in picked and sizes[at] <= room:
            picked.add(at)
            room -= sizes[at]


def _cut_to(text: str, one: Sentence, words: int) -> tuple[int, int]:
    """Beginning of a sentence that is longer than the words there are."""
    ends = [match.end() for match in re.finditer(r"\S+", text[one.start : one.end])]
    tokens = one.words.ends
    last = tokens[min(words, len(tokens)) - 1]
    return one.start, min(one.start + ends[min(words, len(ends)) - 1], last)


def _merged(text: str, page: Page, chosen: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ranges of sentences; neighbours with nothing but space between them become one."""
    start = end = -1
    for at in chosen:
        one = page.sentences[at]
        if end >= 0 and not text[end : one.start].strip():
            end = one.end
            continue
        if end >= 0:
            yield start, end
        start, end = one.start, one.end
    yield start, end
