"""Evidence texts cut into windows of whole sentences, and how much each is about a claim."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from monitor.claims import sentences
from monitor.judge.nli.network import Network

_WORD = re.compile(r"\w+")
_LINE = re.compile(r"[^\n]+")
_OVERLAP = 0.25
"""Share of a window's room that its end lends to the next one."""
_LONGEST_TEXT = 400_000
"""Code points of a text that are read; what lies behind them is not searched."""
_LEAST_LETTERS = 3
"""Letters of a word that says what a text is about; numbers count at any length."""


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of an evidence text, or a piece of one that is too long to be read at once."""

    evidence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of one evidence text that are read together."""

    spans: tuple[Span, ...]

    def text(self, evidence: Sequence[str]) -> str:
        """The words from its first sentence to its last."""
        first, last = self.spans[0], self.spans[-1]
        return evidence[first.evidence][first.start : last.end]


def windows(evidence: Sequence[str], room: int, network: Network) -> tuple[Window, ...]:
    """Windows over all texts in order; each fits into `room` tokens, and each overlaps the next."""
    return tuple(
        window
        for number, text in enumerate(evidence)
        for window in _windows_of(number, text[:_LONGEST_TEXT], room, network)
    )


def _windows_of(number: int, text: str, room: int, network: Network) -> Iterator[Window]:
    spans = [Span(number, start, end) for start, end in _sentences(text)]
    sizes = network.sizes([text[one.start : one.end] for one in spans]) if spans else []
    held: list[tuple[Span, int]] = []
    for span, size in _fitted(text, spans, sizes, (room, network)):
        if held and sum(s for _, s in held) + size > room:
            yield Window(tuple(one for one, _ in held))
            held = _kept(held, min(room - size, int(room * _OVERLAP)))
        held.append((span, size))
    if held:
        yield Window(tuple(one for one, _ in held))


def _fitted(
    text: str, spans: Sequence[Span], sizes: Sequence[int], fit: tuple[int, Network]
) -> Iterator[tuple[Span, int]]:
    """Sentences with their size; one that is longer than the room comes in pieces."""
    room, network = fit
    for span, size in zip(spans, sizes, strict=True):
        if size <= room:
            yield span, size
        else:
            for start, end in network.pieces(text[span.start : span.end], room):
                yield Span(span.evidence, span.start + start, span.start + end), room


def _kept(held: Sequence[tuple[Span, int]], room: int) -> list[tuple[Span, int]]:
    """The last sentences that fit into so many tokens."""
    kept: list[tuple[Span, int]] = []
    for one in reversed(held):
        if sum(size for _, size in kept) + one[1] > room:
            break
        kept.insert(0, one)
    return kept


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of sentences; a line end always ends one."""
    for line in _LINE.finditer(text):
        for start, end in sentences(line[0]):
            if _WORD.search(line[0], start, end):
                yield line.start() + start, line.start() + end


def about(claim: str, texts: Sequence[str]) -> list[float]:
    """How much each text is about a claim: share of the claim's words in it, rare ones first.

    A word weighs ln(1 + texts / texts with it), so that what all of them share says little.
    """
    wanted = _words(claim)
    found = [wanted & _words(text) for text in texts]
    having = Counter(word for words in found for word in words)
    weight = {word: math.log1p(len(texts) / having[word]) for word in having}
    unseen = math.log1p(max(len(texts), 1))
    total = sum(weight.get(word, unseen) for word in wanted)
    return [sum(weight[word] for word in words) / total if total else 0.0 for words in found]


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word
        for word in _WORD.findall(text.casefold())
        if len(word) >= _LEAST_LETTERS or word.isdigit() or not word.isascii()
    )
