"""The text of one ChatGPT message without its marks, and where each mark stood in it."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from monitor.domain.engine import Span, SpanKind
from monitor.engines.shapes.tokens import without_tokens
from monitor.engines.surfaces.chatgpt_references import Reference

_MARK = re.compile(
    "\ue200[^\ue200\ue201]{0,4000}\ue201"
    "|\ue200[a-z_]{1,20}(?:\ue202[^\\s\ue200-\ue206]{0,200}){0,50}\\Z|[\ue200-\ue206]"
    "|【[^【】\n]{0,200}†[^【】\n]{0,200}】"
    r"|:?contentReference\[oaicite:\d{1,6}\](?:\{index=\d{1,6}\})?"
)
_CITES = re.compile("\ue200cite\ue202|【\\d+†|:?contentReference")
_OLD = re.compile("【\\d+†")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_CLOSING = frozenset(".,;:!?)]»”’")
_MOST_SEARCHED = 200
"""References with plain words that are looked for in a text; more of them have no place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A reference and where it stands in the text; None where that cannot be told."""

    reference: Reference
    at: int | None
    end: int | None
    """Where the words end that stand for it."""
    exact: bool
    """Whether its own offsets told the place."""
    claim: Span | None = None
    """The words that the message itself marks as what is cited."""


@dataclass(frozen=True, slots=True)
class Words:
    """A message as a reader sees it."""

    text: str
    standing: tuple[Standing, ...]
    unresolved: int
    """Marks of citations in the raw text that no reference explains."""


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    exact: bool
    number: int
    """Of its reference."""


def read_words(raw: str, references: Sequence[Reference]) -> Words:
    """Text and standing references of a message's raw text."""
    writer = _Writer(raw)
    known = set()
    for place in _apart(_placed(raw, references)):
        writer.replace(place, references[place.number])
        known.add(place.number)
    writer.plain(len(raw))
    lost = (one for number, one in enumerate(references) if number not in known)
    standing = (*writer.standing, *(Standing(one, None, None, False) for one in lost))
    return Words("".join(writer.parts), standing, writer.unresolved)


def _placed(raw: str, references: Sequence[Reference]) -> list[_Place]:
    """Places of references: by their offsets where these fit, else by search."""
    found = [
        _Place(one.start, one.end, True, number)
        for number, one in enumerate(references)
        if one.start is not None and one.end is not None and _fits(raw, one)
    ]
    exact = {place.number for place in found}
    marks = _marks(raw, {place.start for place in found})
    others = [
        (number, one)
        for number, one in enumerate(references)
        if number not in exact and one.matched.strip()
    ]
    plain = [(number, one) for number, one in others if _key(one.matched) is None]
    for number, one in others:
        several = marks.get(_key(one.matched) or "")
        if several:
            found.append(_Place(*several.popleft(), False, number))
    for number, one in plain[:_MOST_SEARCHED]:
        at = raw.find(one.matched) if one.words is not None else -1
        if at >= 0:
            found.append(_Place(at, at + len(one.matched), False, number))
    return found + _again(references, marks)


def _again(
    references: Sequence[Reference], marks: Mapping[str, deque[tuple[int, int]]]
) -> list[_Place]:
    """Marks that repeat one which a reference explains."""
    by_key = {_key(one.matched): number for number, one in enumerate(references) if one.matched}
    return [
        _Place(start, end, False, by_key[key])
        for key, several in marks.items()
        if key in by_key
        for start, end in several
    ]


def _fits(raw: str, one: Reference) -> bool:
    start, end = one.start or 0, one.end or 0
    if not 0 <= start <= end <= len(raw):
        return False
    if one.kind == "citation":
        return _OLD.match(raw[start:end]) is not None
    return raw[start:end] == one.matched and (one.words is not None or _is_mark(one.matched))


def _is_mark(words: str) -> bool:
    return _MARK.fullmatch(words) is not None


def _key(matched: str) -> str | None:
    """What tells the same mark again: the whole of a token, the number of an old marker."""
    old = _OLD.match(matched)
    if old is not None:
        return old[0]
    return matched if _is_mark(matched) else None


def _marks(raw: str, taken: set[int]) -> Mapping[str, deque[tuple[int, int]]]:
    """Marks of a raw text that no offsets explain, in order, by their words."""
    found: dict[str, deque[tuple[int, int]]] = {}
    for match in _MARK.finditer(raw):
        key = _key(match[0])
        if key is not None and match.start() not in taken:
            found.setdefault(key, deque()).append(match.span())
    return found


def _apart(places: list[_Place]) -> Iterator[_Place]:
    """Places in order that share no words: of two that overlap, the first stays."""
    done = 0
    for place in sorted(places, key=lambda one: (one.start, one.end)):
        if place.start >= done:
            yield place
            done = place.end


@dataclass(slots=True)
class _Writer:
    """Writes what a reader sees, mark by mark."""

    raw: str
    parts: list[str] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)
    length: int = 0
    done: int = 0
    opened: int | None = None
    claim: Span | None = None
    unresolved: int = 0

    def replace(self, place: _Place, one: Reference) -> None:
        """Write up to a reference, then what a reader sees in its place."""
        self.plain(place.start)
        covered = self.raw[place.start : place.end]
        words = one.words if one.words is not None else without_tokens(covered).text
        if not words:
            self._close_up(place.end)
        at = self.length
        self._add(words)
        self.done = place.end
        claim = self.claim if self.claim and at - self.claim.end <= 1 else None
        if claim is not None and claim.end > at:
            claim = Span(claim.start, at, claim.kind)
        self.standing.append(Standing(one, at, self.length, place.exact, claim))

    def plain(self, end: int) -> None:
        """Write up to a place of the raw text, without marks that nothing explains."""
        for match in _MARK.finditer(self.raw, self.done, end):
            self._add(self.raw[self.done : match.start()])
            self.done = match.end()
            self._strip(match[0])
        self._add(self.raw[self.done : end])
        self.done = max(self.done, end)

    def _strip(self, mark: str) -> None:
        if mark == "\ue203":
            self.opened = self.length
        elif mark == "\ue204" and self.opened is not None and self.opened < self.length:
            self.claim, self.opened = Span(self.opened, self.length, SpanKind.CLAIM), None
        self.unresolved += _CITES.match(mark) is not None
        words = without_tokens(mark).text if mark.endswith("\ue201") else ""
        if not words:
            self._close_up(self.done)
        self._add(words)

    def _close_up(self, end: int) -> None:
        """Drop the space before a mark where a sentence's end follows it."""
        follows = self.raw[end : end + 1] in _CLOSING and end < len(self.raw)
        if follows and self.parts and self.parts[-1].endswith(" "):
            self.parts[-1] = self.parts[-1][:-1]
            self.length -= 1

    def _add(self, words: str) -> None:
        kept = _PRIVATE.sub("", words)
        if kept:
            self.parts.append(kept)
            self.length += len(kept)
