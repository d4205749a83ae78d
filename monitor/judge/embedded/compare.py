"""A claim laid beside its evidence: how much of it is there, in which passage, in which order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from monitor.judge.embedded.nearness import Nearness, in_order, nearness
from monitor.judge.embedded.numbers import Numbers, compare_numbers
from monitor.judge.embedded.passages import Page, Sentence
from monitor.judge.embedded.words import FUNCTION_WORDS, Words, is_number

_ORDINARY = 2.2
"""Stems rarer than this (natural-log inverse document frequency) carry content."""
_SOFT = 0.6
"""Credit for a stem of which only the beginning is found."""
_WINDOWS = 8
"""Best passages kept for a closer look."""


@dataclass(frozen=True, slots=True)
class Best:
    """The sentence and the passage that cover most of a claim."""

    page: int
    sentence: Sentence
    passage: tuple[Sentence, ...]
    sentence_cover: float
    passage_cover: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that the judge looks at; covers are shares of the claim's word weight in [0,1]."""

    best: Best
    weights: dict[str, float]
    """Weight of each content stem of the claim."""
    near: Nearness
    worded_cover: float
    """Cover by the best sentence of everything but numbers."""
    order: float
    missing: tuple[str, ...]
    """Content stems of the claim that are nowhere in the best passage, rarest first."""
    missing_names: tuple[str, ...]
    """Names of the claim that are nowhere in the evidence."""
    far_names: tuple[str, ...]
    """Names of the claim that the evidence has, but not in the best passage."""
    numbers: Numbers
    copied: bool
    """The claim's words stand in the best sentence, one after the other."""
    windows: tuple[tuple[int, tuple[Sentence, ...]], ...]
    """The passages that cover most of the claim, each with the number of its text; best first."""


def compare(claim: Words, pages: Sequence[Page], rarity: Callable[[str], float]) -> Comparison:
    """Lay a claim with words beside pages of which at least one has words."""
    weights = _weights(claim, rarity)
    best, starts = _best(weights, pages)
    passage = frozenset().union(*(one.stems for one in best.passage))
    near = passage | pages[best.page].title
    missing = sorted((stem for stem in weights if stem not in near), key=lambda s: -weights[s])
    names = _names(claim, rarity)
    absent = tuple(name for name in names if not any(_known(name, page) for page in pages))
    return Comparison(
        best=best,
        weights=weights,
        near=nearness(
            claim.stems,
            weights,
            pages,
            starts=[(pages[number], at) for number, at in starts],
            near=passage,
        ),
        worded_cover=_worded(weights, best.sentence),
        order=in_order(claim.stems, [s for one in best.passage for s in one.words.stems]),
        missing=tuple(missing),
        missing_names=absent,
        far_names=tuple(name for name in names if name not in near and name not in absent),
        numbers=compare_numbers(claim, best.sentence, best.passage, pages),
        copied=_stands_in(claim.stems, best.sentence.words.stems),
        windows=tuple(
            (number, pages[number].sentences[at : pages[number].reach[at]]) for number, at in starts
        ),
    )


def _weights(claim: Words, rarity: Callable[[str], float]) -> dict[str, float]:
    """Weight of each content stem; a claim of common words only keeps them all."""
    every = {stem: rarity(stem) for stem in claim.stems}
    content = {
        stem: weight
        for stem, weight in every.items()
        if weight > _ORDINARY and stem not in FUNCTION_WORDS
    }
    return content or {stem: max(weight, 0.1) for stem, weight in every.items()}


def _names(claim: Words, rarity: Callable[[str], float]) -> tuple[str, ...]:
    """Capitalised stems of the claim that carry content, in order, each once."""
    inner = (
        s for s in claim.stems if s in claim.names and not is_number(s) and rarity(s) > _ORDINARY
    )
    return tuple(dict.fromkeys(inner))


def _known(stem: str, page: Page) -> bool:
    """Whether a page has a stem, or for a long one its beginning."""
    return stem in page.index or (len(stem) > 5 and stem[:5] in page.prefixes)


def _best(weights: dict[str, float], pages: Sequence[Page]) -> tuple[Best, list[tuple[int, int]]]:
    """Best sentence and passage over all pages, and where the next best start; earlier ones win."""
    total = sum(weights.values())
    ranked: list[tuple[float, float, int, int]] = []
    alone: dict[int, list[float]] = {}
    for number, page in enumerate(pages):
        if page.sentences:
            alone[number], together = _scores(weights, page)
            rows = ((-together[at], -alone[number][at], number, at) for at in range(len(together)))
            ranked = sorted([*ranked, *rows])[:_WINDOWS]
    if not ranked:
        raise ValueError("compare needs a page with words")
    worth, _, number, place = ranked[0]
    page = pages[number]
    inner = max(range(place, page.reach[place]), key=lambda at: (alone[number][at], -at))
    passage = page.sentences[place : page.reach[place]]
    covers = (alone[number][inner] / total, -worth / total)
    found = Best(number, page.sentences[inner], passage, *covers)
    return found, [(row[2], row[3]) for row in ranked]


def _scores(weights: dict[str, float], page: Page) -> tuple[list[float], list[float]]:
    """Weight found in each sentence, and in the passage that starts at each sentence."""
    count = len(page.sentences)
    alone, together = [0.0] * count, [0.0] * count
    for stem, weight in weights.items():
        hits, credit = page.index.get(stem, ()), weight
        if not hits and len(stem) > 5:
            hits, credit = page.prefixes.get(stem[:5], ()), weight * _SOFT
        last = -1
        for hit in hits:
            alone[hit] += credit
            for start in range(max(last + 1, hit - 2), hit + 1):
                if page.reach[start] > hit:
                    together[start] += credit
            last = hit
    return alone, together


def _worded(weights: dict[str, float], sentence: Sentence) -> float:
    worded = {stem: weight for stem, weight in weights.items() if not is_number(stem)}
    held = sum(weight for stem, weight in worded.items() if stem in sentence.stems)
    return held / sum(worded.values()) if worded else 0.0


def _stands_in(claim: Sequence[str], sentence: Sequence[str]) -> bool:
    """Whether one sequence is a part of the other."""
    size = len(claim)
    starts = (at for at, one in enumerate(sentence) if one == claim[0])
    return any(tuple(sentence[at : at + size]) == tuple(claim) for at in starts)
