"""Passages: stretches of about a hundred words that end where sentences end."""

import re
from collections.abc import Iterator

from monitor.domain.page import Passage

SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces: Thai, Lao, Burmese, Khmer, kana and Han, as a regex class."""

_CHARACTERS_A_WORD = 2
"""Characters of a spaceless script that count as one word."""

_LONGEST_WORD = 64
_TOKEN = re.compile(
    rf"[{SPACELESS}]{{1,{_CHARACTERS_A_WORD}}}|[^\s{SPACELESS}]{{1,{_LONGEST_WORD}}}"
)
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”’）]*|\n")
_SLACK = 0.25
"""Share of the wanted length by which a passage may run over to end with its sentence."""


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of sentences, end marks included; a line end ends a sentence too."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _pieces(text: str, words: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and words of sentences, those longer than a passage cut at words."""
    for start, end in _sentences(text):
        tokens = [match.span() for match in _TOKEN.finditer(text, start, end)]
        for at in range(0, len(tokens), words):
            part = tokens[at : at + words]
            yield part[0][0], part[-1][1], len(part)


def passages(text: str, words: int = 100) -> tuple[Passage, ...]:
    """Passages of a text in order, none overlapping; offsets count code points."""
    found: list[Passage] = []
    start, end, count = 0, 0, 0

    def close() -> None:
        found.append(Passage(len(found), start, end, text[start:end]))

    for first, last, size in _pieces(text, words):
        if count and count + size > words * (1 + _SLACK):
            close()
            count = 0
        if not count:
            start = first
        end, count = last, count + size
        if count >= words:
            close()
            count = 0
    if count:
        close()
    return tuple(found)
