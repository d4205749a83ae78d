"""Spans that Google counts in UTF-8 bytes, turned into code points of the answer's text.

The bytes are those of the text as sent, so a NUL counts one byte although we show U+FFFD for it.
A stated range is believed only where it shows the stated words; else the words are looked up near
it: real payloads exist in which every range begins one byte late (seen 2026-01).
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from monitor.engines.shapes.payload import clean_text

WINDOW = 200
"""Code points around a stated place in which repeated words are still taken for the same ones."""


def _width(character: str) -> int:
    point = ord(character)
    return 1 + (point > 0x7F) + (point > 0x7FF) + (point > 0xFFFF)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's visible text and where each of its parts begins."""

    text: str
    """Cleaned text; as many code points as were sent."""
    bounds: tuple[int, ...]
    """Byte offset of every code point, and of the end."""
    starts: Mapping[int, int] = field(default_factory=dict)
    """Index of a part in the payload -> code point where its text begins."""

    def code_points(self, start: int, end: int) -> tuple[int, int] | None:
        """Code points of a byte range; None outside the text or inside a character."""
        if not 0 <= start < end <= self.bounds[-1]:
            return None
        first, last = bisect_left(self.bounds, start), bisect_left(self.bounds, end)
        exact = self.bounds[first] == start and self.bounds[last] == end
        return (first, last) if exact else None


def answer_of(parts: Mapping[int, str]) -> Answer:
    """Answer of visible parts by their index in the payload, joined without a separator."""
    raw = "".join(parts.values())
    ends = tuple(accumulate(len(part) for part in parts.values()))
    starts = dict(zip(parts, (0, *ends), strict=False))
    return Answer(clean_text(raw), (0, *accumulate(map(_width, raw))), starts)


def _nearest(text: str, words: str, near: int) -> tuple[int, int] | None:
    left = text.rfind(words, 0, near + len(words))
    right = text.find(words, near)
    found = [at for at in (left, right) if at >= 0]
    if not found:
        return None
    best = min(found, key=lambda at: abs(at - near))
    alone = text.find(words) == text.rfind(words)
    return (best, best + len(words)) if alone or abs(best - near) <= WINDOW else None


def locate(
    answer: Answer, stated: tuple[int, int], words: str | None, part: int = 0
) -> tuple[int, int] | None:
    """Code points of a stated byte range of a part; None where its words are not to be found.

    Part 0 is also tried as the whole text: payloads leave the index out and count from there.
    """
    bases = dict.fromkeys((answer.bounds[answer.starts.get(part, 0)], 0))
    ranges = [answer.code_points(base + stated[0], base + stated[1]) for base in bases]
    exact = [r for r in ranges if r and (not words or answer.text[r[0] : r[1]] == words)]
    if exact or not words:
        return exact[0] if exact else None
    near = bisect_left(answer.bounds, min(max(stated[0], 0), answer.bounds[-1]))
    return _nearest(answer.text, words, near)
