"""A claim laid beside its evidence: coverage, order, and what is missing or turned round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from monitor.judge.embedded.numbers import Numbers, compare_numbers
from monitor.judge.embedded.passages import Page, Sentence
from monitor.judge.embedded.turns import HEDGES, NEGATORS, OPPOSITES, SWEEPING
from monitor.judge.embedded.units import wrong_units
from monitor.judge.embedded.words import Words, is_number

_ORDINARY = 2.2
"""Stems rarer than this (natural-log inverse document frequency) carry content."""
_SOFT = 0.6
"""Credit for a stem of which only the beginning is found."""


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
    whole_cover: float
    titled_cover: float
    """Passage and title together."""
    worded_cover: float
    """Cover by the best sentence of everything but numbers."""
    plain_cover: float
    pairs: float
    order: float
    rarest_missing: float
    missing: tuple[str, ...]
    """Content stems of the claim that are nowhere in the best passage, rarest first."""
    missing_names: tuple[str, ...]
    """Names of the claim that are nowhere in the evidence."""
    far_names: tuple[str, ...]
    """Names of the claim that the evidence has, but not in the best passage."""
    numbers: Numbers
    units: tuple[str, ...]
    """Numbers that the best passage has in another unit only."""
    negation: bool
    """One of claim and best sentence denies, the other does not."""
    lone_denial: bool
    """The claim denies, and nothing in the best passage does."""
    opposite: str | None
    """Pair of opposites met, `claim word / evidence word`."""
    hedge: str | None
    """Hedge of the best sentence that the claim lost."""
    sweeping: str | None
    """Sweeping word of the claim that the passage lacks."""
    copied: bool
    """The claim's words stand in the best sentence in this order, all of them."""


def compare(claim: Words, pages: Sequence[Page], rarity: Callable[[str], float]) -> Comparison:
    """Lay a claim with words beside pages of which at least one has words."""
    weights = _weights(claim, rarity)
    best = _best(weights, pages)
    passage = frozenset().union(*(one.stems for one in best.passage))
    near = passage | pages[best.page].title
    missing = sorted((stem for stem in weights if stem not in near), key=lambda s: -weights[s])
    names = _names(claim, rarity)
    absent = tuple(name for name in names if not any(_known(name, page) for page in pages))
    order = _order(claim.stems, [stem for one in best.passage for stem in one.words.stems])
    alone = _order(claim.stems, best.sentence.words.stems)
    return Comparison(
        best=best,
        whole_cover=_whole(weights, pages),
        titled_cover=1 - sum(weights[stem] for stem in missing) / sum(weights.values()),
        worded_cover=_worded(weights, best.sentence),
        plain_cover=sum(stem in passage for stem in claim.stems) / len(claim.stems),
        pairs=_pairs(claim.stems, best.passage),
        order=order,
        rarest_missing=weights[missing[0]] / max(weights.values()) if missing else 0.0,
        missing=tuple(missing),
        missing_names=absent,
        far_names=tuple(name for name in names if name not in near and name not in absent),
        numbers=compare_numbers(claim, best.sentence, best.passage, pages),
        units=wrong_units(claim, best.passage),
        negation=_negation(claim, best.sentence, weights),
        lone_denial=_own_denials(claim) % 2 == 1 and not passage & NEGATORS,
        opposite=_opposite(claim, best.sentence),
        hedge=_hedge(claim, best.sentence, weights),
        sweeping=_sweeping(claim, passage),
        copied=alone >= 1.0,
    )


def _weights(claim: Words, rarity: Callable[[str], float]) -> dict[str, float]:
    """Weight of each content stem; a claim of common words only keeps them all."""
    every = {stem: rarity(stem) for stem in claim.stems}
    content = {stem: weight for stem, weight in every.items() if weight > _ORDINARY}
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


def _best(weights: dict[str, float], pages: Sequence[Page]) -> Best:
    """Best sentence and passage over all pages; the earliest wins a tie."""
    total = sum(weights.values())
    found: Best | None = None
    for number, page in enumerate(pages):
        if not page.sentences:
            continue
        alone, together = _scores(weights, page)
        place = max(range(len(together)), key=lambda at: (together[at], alone[at], -at))
        passage = page.sentences[place : page.reach[place]]
        if found is not None and together[place] / total <= found.passage_cover:
            continue
        inner = max(range(place, page.reach[place]), key=lambda at: (alone[at], -at))
        covers = (alone[inner] / total, together[place] / total)
        found = Best(number, page.sentences[inner], passage, *covers)
    if found is None:
        raise ValueError("compare needs a page with words")
    return found


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


def _whole(weights: dict[str, float], pages: Sequence[Page]) -> float:
    found = sum(
        weight for stem, weight in weights.items() if any(stem in page.index for page in pages)
    )
    return found / sum(weights.values())


def _worded(weights: dict[str, float], sentence: Sentence) -> float:
    worded = {stem: weight for stem, weight in weights.items() if not is_number(stem)}
    held = sum(weight for stem, weight in worded.items() if stem in sentence.stems)
    return held / sum(worded.values()) if worded else 0.0


def _pairs(stems: Sequence[str], passage: Sequence[Sentence]) -> float:
    """Share of the claim's neighbouring words that are neighbours in the passage too."""
    wanted = set(pairwise(stems))
    if not wanted:
        return 1.0 if any(stems[0] in one.stems for one in passage) else 0.0
    held = {pair for one in passage for pair in pairwise(one.words.stems)}
    return len(wanted & held) / len(wanted)


def _order(claim: Sequence[str], evidence: Sequence[str]) -> float:
    """Longest common subsequence over the claim's length (Lin 2004; bits after Hyyrö 2004)."""
    masks: dict[str, int] = {}
    for place, stem in enumerate(claim):
        masks[stem] = masks.get(stem, 0) | 1 << place
    full = (1 << len(claim)) - 1
    row = full
    for stem in evidence:
        mask = masks.get(stem)
        if mask is not None:
            met = row & mask
            row = ((row + met) | (row - met)) & full
    return (len(claim) - row.bit_count()) / len(claim)


def _negation(claim: Words, sentence: Sentence, weights: dict[str, float]) -> bool:
    """A denial of the sentence counts where it stands just before a word that both share."""
    stems = sentence.words.stems
    denials = sum(_denies(stems, place, weights) for place in range(len(stems)))
    return denials % 2 != _own_denials(claim) % 2


def _own_denials(claim: Words) -> int:
    """Denials of a claim; `not only` is none."""
    return sum(
        stem in NEGATORS and claim.stems[place + 1 : place + 2] != ("only",)
        for place, stem in enumerate(claim.stems)
    )


def _denies(stems: Sequence[str], place: int, weights: dict[str, float]) -> bool:
    """Whether the word there denies a shared word that the sentence has only once."""
    if stems[place] not in NEGATORS or stems[place + 1 : place + 2] == ("only",):
        return False
    after = (stem for stem in stems[place + 1 : place + 4] if stem in weights)
    target = next(after, None)
    return target is not None and stems.count(target) == 1


def _opposite(claim: Words, sentence: Sentence) -> str | None:
    """A claim word that the sentence lacks while it has its opposite, which the claim lacks."""
    mine = frozenset(claim.stems)
    for stem in claim.stems:
        others = OPPOSITES.get(stem, frozenset())
        met = (others & sentence.stems) - mine
        if met and stem not in sentence.stems:
            return f"{stem} / {min(met)}"
    return None


def _hedge(claim: Words, sentence: Sentence, weights: dict[str, float]) -> str | None:
    """First hedge of the sentence just before shared words, when the claim has none at all."""
    if any(stem in HEDGES for stem in claim.stems):
        return None
    stems = sentence.words.stems
    for place, stem in enumerate(stems):
        if stem in HEDGES and any(after in weights for after in stems[place + 1 : place + 4]):
            return stem
    return None


def _sweeping(claim: Words, passage: frozenset[str]) -> str | None:
    return next((s for s in claim.stems if s in SWEEPING and s not in passage), None)
