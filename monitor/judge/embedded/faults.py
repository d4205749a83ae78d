"""Faults of a claim: a part of it, and what its evidence has in that place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.claim import Gap, GapKind
from monitor.judge.embedded.passages import Sentence
from monitor.judge.embedded.words import Words

_BREAK = re.compile(r"[,;:.!?()\n\u2013\u2014]")
RELATED = 0.45
"""Cover of the best sentence below which words that differ say nothing."""
CLOSE = 0.6
"""Cover of the best sentence from which it is about the same."""
NEARBY = 0.6
"""Cover of the passage below which what stands there may be about something else."""


@dataclass(frozen=True, slots=True)
class Side:
    """Words of a claim or of a passage, with the text they stand in."""

    text: str
    words: Words
    breaks: frozenset[int]
    """Words before which a comma, a stop or a bracket stands."""

    def written(self, at: int, last: int | None = None) -> str:
        """The text from one word to another, verbatim."""
        return self.text[self.words.starts[at] : self.words.ends[at if last is None else last]]


def side_of(text: str, words: Words) -> Side:
    """A claim, or one sentence, as a side."""
    places = zip(words.ends, words.starts[1:], strict=False)
    breaks = (at for at, (end, start) in enumerate(places, 1) if _BREAK.search(text, end, start))
    return Side(text, words, frozenset(breaks))


def joined(text: str, passage: Sequence[Sentence]) -> Side:
    """A passage as one side."""
    parts = [one.words for one in passage]
    return side_of(
        text,
        Words(
            tuple(stem for one in parts for stem in one.stems),
            tuple(at for one in parts for at in one.starts),
            tuple(at for one in parts for at in one.ends),
            frozenset().union(*(one.names for one in parts)),
        ),
    )


@dataclass(frozen=True, slots=True)
class Case:
    """A claim and its best evidence, as the rules see them."""

    claim: Side
    sentence: Side
    """The sentence with most of the claim."""
    passage: Side
    """That sentence with its neighbours."""
    weights: Mapping[str, float]
    """Weight of each content stem of the claim."""
    cover: float
    """Share of the weights that the sentence has."""
    nearby: float
    """Share of the weights that the passage has."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A gap as a rule finds it, in words of the claim; `gaps_of` gives it its place in the text."""

    kind: GapKind
    first: int
    """Words of the claim, the last one included; last = first - 1 where a word is lacking there."""
    last: int
    reason: str
    source: str | None = None
    turned: bool = False
    """Whether the evidence says the contrary."""
    firm: bool = False
    """Whether it is of a kind that readers rarely forgive."""


def gaps_of(faults: Sequence[Fault], claim: Side) -> tuple[Gap, ...]:
    """Gaps in text order; one place has one gap, that of the first fault found there."""
    taken: set[int] = set()
    found: list[Gap] = []
    for fault in faults:
        places = set(range(fault.first, fault.last + 1)) or {-1 - fault.first}
        if places & taken:
            continue
        taken |= places
        found.append(_gap(fault, claim))
    return tuple(sorted(found, key=lambda gap: (gap.start, gap.end)))


def _gap(fault: Fault, claim: Side) -> Gap:
    words = claim.words
    if fault.last < fault.first:
        at = words.starts[fault.first] if fault.first < len(words.starts) else len(claim.text)
        return Gap(fault.kind, at, at, "", fault.source)
    start, end = words.starts[fault.first], words.ends[fault.last]
    return Gap(fault.kind, start, end, claim.text[start:end], fault.source)


def runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbouring places."""
    first = last = -2
    for at in sorted(set(places)):
        if at != last + 1:
            if first >= 0:
                yield first, last
            first = at
        last = at
    if first >= 0:
        yield first, last
