"""How close the words of a claim stand in the evidence; shares in [0,1], none grows with length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from monitor.judge.embedded.passages import Page, Sentence

_WINDOWS = 8
"""Passages looked at closely: those that cover most of the claim."""
_FAR = 4.0
"""Words between two that halve their closeness."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """What covers do not say: is the worst part there, do neighbours stay neighbours?"""

    third: float
    """Cover, by the best passage, of the worst covered third of the claim."""
    gap: float
    """Longest run of content words that the best passage lacks, over all content words."""
    together: float
    """Share of neighbouring content words that some sentence has both of."""
    closeness: float
    """Mean over neighbouring content words of 1 / (1 + words between them / 4)."""
    order: float
    """Longest common subsequence of content words over their number, in the best passage for it."""
    triples: float
    """Share of three words in a row that stand so in the evidence."""
    rare: float
    """Share of the rarest third of the content words that the evidence has."""


def nearness(
    stems: Sequence[str],
    weights: Mapping[str, float],
    pages: Sequence[Page],
    *,
    starts: Sequence[tuple[Page, int]],
    near: frozenset[str],
) -> Nearness:
    """Read off the passages that start at the given sentences; `near` are stems of the best one."""
    content = [stem for stem in stems if stem in weights]
    windows = [page.sentences[at : page.reach[at]] for page, at in starts[:_WINDOWS]]
    texts = [[stem for one in window for stem in one.words.stems] for window in windows]
    neighbours = list(pairwise(content))
    return Nearness(
        third=min(_cover(part, weights, near) for part in _thirds(content)),
        gap=_longest_gap(content, near) / len(content),
        together=_mean([_met(a, b, pages) for a, b in neighbours], _found(content[0], pages)),
        closeness=_closeness(neighbours, texts, _found(content[0], pages)),
        order=max(in_order(content, text) for text in texts),
        triples=_triples(stems, windows, pages),
        rare=_rare(content, weights, pages),
    )


def in_order(claim: Sequence[str], evidence: Sequence[str]) -> float:
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


def _mean(values: Sequence[float], alone: float) -> float:
    """Mean; a claim of one content word has no neighbours and counts as found or not."""
    return sum(values) / len(values) if values else alone


def _found(stem: str, pages: Sequence[Page]) -> float:
    return float(any(stem in page.index for page in pages))


def _thirds(content: Sequence[str]) -> list[Sequence[str]]:
    count = len(content)
    parts = [content[at * count // 3 : (at + 1) * count // 3] for at in range(3)]
    return [part for part in parts if part]


def _cover(part: Sequence[str], weights: Mapping[str, float], near: frozenset[str]) -> float:
    return sum(weights[stem] for stem in part if stem in near) / sum(weights[stem] for stem in part)


def _longest_gap(content: Sequence[str], near: frozenset[str]) -> int:
    longest = run = 0
    for stem in content:
        run = 0 if stem in near else run + 1
        longest = max(longest, run)
    return longest


def _met(one: str, other: str, pages: Sequence[Page]) -> float:
    return float(
        any(
            not set(page.index.get(one, ())).isdisjoint(page.index.get(other, ())) for page in pages
        )
    )


def _closeness(
    neighbours: Sequence[tuple[str, str]], texts: Sequence[Sequence[str]], alone: float
) -> float:
    wanted = {stem for pair in neighbours for stem in pair}
    placed: list[dict[str, list[int]]] = []
    for text in texts:
        places: dict[str, list[int]] = {}
        for at, stem in enumerate(text):
            if stem in wanted:
                places.setdefault(stem, []).append(at)
        placed.append(places)
    return _mean([max(_close(a, b, places) for places in placed) for a, b in neighbours], alone)


def _close(one: str, other: str, places: Mapping[str, Sequence[int]]) -> float:
    """Closeness of the nearest occurrences of two stems in one passage; 0 without both."""
    firsts, seconds = places.get(one, ()), places.get(other, ())
    gaps = [abs(a - b) for a in firsts for b in seconds if a != b]
    return 1 / (1 + max(0, min(gaps) - 2) / _FAR) if gaps else 0.0


def _triples(
    stems: Sequence[str], windows: Sequence[Sequence[Sentence]], pages: Sequence[Page]
) -> float:
    if len(stems) < 3:
        return sum(_found(stem, pages) for stem in stems) / len(stems)
    wanted = set(zip(stems, stems[1:], stems[2:], strict=False))
    held: set[tuple[str, str, str]] = set()
    for sentence in {id(one): one for window in windows for one in window}.values():
        read = sentence.words.stems
        held.update(wanted.intersection(zip(read, read[1:], read[2:], strict=False)))
    return len(held) / len(wanted)


def _rare(content: Sequence[str], weights: Mapping[str, float], pages: Sequence[Page]) -> float:
    rarest = sorted(dict.fromkeys(content), key=lambda stem: -weights[stem])
    wanted = rarest[: max(1, len(content) // 3)]
    return sum(_found(stem, pages) for stem in wanted) / len(wanted)
