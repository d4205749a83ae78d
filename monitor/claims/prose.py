"""Prose of a block: markup and markers removed, with the way back to the answer's offsets."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.claims.markers import Marker

_MARKUP = re.compile(
    r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`{1,3}|~~"
    r"|</?[a-zA-Z][^<>\n]{0,120}>|\\(?=[\\`*_{}\[\]()#+.!|>-])|[\ue000-\uf8ff]|\s+"
)
_PUNCTUATION = frozenset(".,;:!?)]}…。，、；：！？）」』%\"'”’")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af。，！？]")


@dataclass(frozen=True, slots=True)
class Placed:
    """A marker at its place in the prose: the text before `at` is what it stands behind."""

    at: int
    marker: Marker


@dataclass(frozen=True, slots=True)
class Prose:
    """Words of a block, its markers, and offsets back into the answer."""

    text: str
    placed: tuple[Placed, ...]
    pieces: tuple[tuple[int, int], ...]
    """Prose offset and answer offset of each run that was copied unchanged."""

    def origin(self, place: int) -> int:
        """Answer offset of a prose offset that lies on a character."""
        at = bisect_right(self.pieces, (place, 1 << 60)) - 1
        copied, source = self.pieces[max(at, 0)]
        return source + place - copied


class _Writer:
    """Collects runs of prose; lives only inside `prose`."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.pieces: list[tuple[int, int]] = []
        self.placed: list[Placed] = []
        self.length = 0

    def add(self, words: str, source: int) -> None:
        if words:
            self.pieces.append((self.length, source))
            self.parts.append(words)
            self.length += len(words)

    def last(self) -> str:
        return self.parts[-1][-1] if self.parts else ""

    def drop_space(self) -> None:
        while self.parts and self.parts[-1].isspace():
            self.length -= len(self.parts.pop())
            self.pieces.pop()

    def space(self, source: int) -> None:
        if self.parts and not self.parts[-1].isspace():
            self.add(" ", source)


def prose(text: str, bounds: tuple[int, int], marks: Sequence[Marker]) -> Prose:
    """Words between two offsets; runs of whitespace become one space, none at the ends."""
    writer = _Writer()
    place = bounds[0]
    for mark in marks:
        _copy(writer, text, place, mark.start)
        _cut(writer, text, mark, bounds[1])
        place = max(place, mark.end)
    _copy(writer, text, place, bounds[1])
    writer.drop_space()
    return Prose("".join(writer.parts), tuple(writer.placed), tuple(writer.pieces))


def _copy(writer: _Writer, text: str, start: int, end: int) -> None:
    place = start
    for cut in _MARKUP.finditer(text, start, end) if start < end else ():
        writer.add(text[place : cut.start()], place)
        if cut[0].isspace() or cut[0].lower().startswith("<br"):
            writer.space(cut.start())
        place = cut.end()
    writer.add(text[place:end], place)


def _cut(writer: _Writer, text: str, mark: Marker, end: int) -> None:
    """Leave a marker out (or only its label in) and close the gap it leaves."""
    if mark.keep is not None:
        _copy(writer, text, *mark.keep)
        writer.placed.append(Placed(writer.length, mark))
        return
    writer.drop_space()
    writer.placed.append(Placed(writer.length, mark))
    following = text[mark.end] if mark.end < end else ""
    before = writer.last()
    wide = bool(_WIDE.match(following) or _WIDE.match(before))
    if before and following and not wide and following not in _PUNCTUATION:
        writer.space(mark.end)
