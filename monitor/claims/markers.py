"""Citation markers in an answer's text: where they stand and what they point at.

Engines write `[1]`, `[1, 2]`, `[1-3]`, `[^2_1]` (the first of turn 2), superscripts,
`【1†source】`, `[[1]](url)`, `([domain](url))` or bare links. Spans of the reading say which
citation a marker means; where a group has fewer spans than numbers, other markers of the answer
tell what a number stands for.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.engine import VISIBLE, Reading, SpanKind

_PLACE = r"[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500}){0,3}"
_URL = rf"\(\s{{0,2}}(?P<%s>{_PLACE})(?:\s+\"[^\"\n]{{0,200}}\")?\s{{0,2}}\)"
_LINK = rf"\[[^\[\]\n]{{0,200}}\]\({_PLACE}\)"
_TOKEN = re.compile(
    r"(?P<image>!\[[^\[\]\n]{0,300}\]\([^()\n]{0,2000}\))"
    r"|(?P<boxed>\[\[(?P<box>\d{1,3})\]\]" + _URL % "box_url" + ")"
    rf"|(?P<round>[(（]{_LINK}(?:\s?[,;·]?\s?{_LINK}){{0,9}}[)）])"
    r"|(?P<link>\[(?P<label>[^\[\]\n]{0,200})\]" + _URL % "link_url" + ")"
    r"|(?P<corner>【(?P<corners>\d{1,3})(?::\d{1,4})?†[^【】\n]{0,120}】)"
    r"|(?P<note>\[\^(?P<turn>\d{1,3})_(?P<in_turn>\d{1,3})\])"
    r"|(?P<group>\[\^?(?P<numbers>\d{1,3}(?:\s?[,;–—-]\s?\^?\d{1,3}){0,40})\])"
    r"|(?P<sup><sup>\s?\[?(?P<sups>\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20})\]?\s?</sup>)"
    r"|(?P<raised>(?:(?<=[^\W\d_]{4})|(?<=[.,;:!?)\]”’\"]))[⁰¹²³⁴-⁹]{1,3}"
    r"(?:[,⁻˒ ][⁰¹²³⁴-⁹]{1,3}){0,9})"
    r"|(?P<private>\ue200[^\ue200\ue201\n]{0,300}\ue201)"
)
_URLS_IN_ROUND = re.compile(r"\]\(([^()\s]{1,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500}){0,3})\)")
_NUMBER = re.compile(r"(\d{1,3})(?:\s?[–—-]\s?\^?(\d{1,3}))?")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒", "0123456789-,")
_DOMAIN = re.compile(r"(?:[\w-]{1,63}\.){1,5}[a-zA-Z]{2,12}(?:/\S*)?|\d{1,3}|\[\d{1,3}\]|")
_INLINE_CODE = re.compile(r"`[^`\n]{1,200}`")
_WIDEST_RANGE = 30
"""More numbers than this in one `[a-b]` is no list of citations."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: its range, what it points at, and the part that stays in the prose."""

    start: int
    end: int
    citations: tuple[int, ...]
    unmapped: int = 0
    keep: tuple[int, int] | None = None
    """Range of the link label that belongs to the sentence; None where all is removed."""


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    numbers: tuple[int, ...] = ()
    urls: tuple[str, ...] = ()
    keep: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """A marker as it is written: its range, and the numbers and URLs in it."""

    start: int
    end: int
    numbers: tuple[int, ...]
    urls: tuple[str, ...]


def pointers(text: str) -> tuple[Pointer, ...]:
    """Markers of a text that came without spans, in order; for texts whose sources are numbered."""
    return tuple(Pointer(one.start, one.end, one.numbers, one.urls) for one in _tokens(text))


def markers(reading: Reading) -> tuple[Marker, ...]:
    """All markers of an answer in text order, none overlapping; code blocks included."""
    spans = _marker_spans(reading)
    tokens = _with_bare_spans(_tokens(reading.text), spans)
    code = [found.span() for found in _INLINE_CODE.finditer(reading.text)]
    tokens = [one for one in tokens if _covering(spans, one) or not _within(code, one)]
    covered = [_covering(spans, token) for token in tokens]
    known = _learn(tokens, covered)
    by_url = {c.url: i for i, c in enumerate(reading.citations) if c.role in VISIBLE}
    return tuple(
        _resolve(token, hit, known, by_url) for token, hit in zip(tokens, covered, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Spans:
    rows: tuple[tuple[int, int, int], ...]
    """Start, end, citation index; sorted."""
    longest: int


def _marker_spans(reading: Reading) -> _Spans:
    rows = sorted(
        (span.start, span.end, index)
        for index, citation in enumerate(reading.citations)
        if citation.role in VISIBLE
        for span in citation.spans
        if span.kind is SpanKind.MARKER
    )
    return _Spans(tuple(rows), max((end - start for start, end, _ in rows), default=0))


def _covering(spans: _Spans, token: _Token) -> tuple[int, ...]:
    """Citations whose marker span overlaps the token, in text order, each once."""
    at = bisect_left(spans.rows, (token.start - spans.longest, -1, -1))
    found: dict[int, None] = {}
    for start, end, index in (spans.rows[place] for place in range(at, len(spans.rows))):
        if start > token.end:
            break
        if (start < token.end and end > token.start) or start == end == token.end:
            found[index] = None
    return tuple(found)


def _within(ranges: Sequence[tuple[int, int]], token: _Token) -> bool:
    """Whether a token lies in one of the ranges, which are sorted: `row[1]` is no marker."""
    at = bisect_left(ranges, (token.start, token.start)) - 1
    return at >= 0 and token.end <= ranges[at][1]


def _tokens(text: str) -> list[_Token]:
    return [_read(match) for match in _TOKEN.finditer(text)]


def _read(match: re.Match[str]) -> _Token:
    start, end = match.span()
    match match.lastgroup and _shape(match):
        case "boxed":
            return _Token(start, end, (int(match["box"]),), (match["box_url"],))
        case "round":
            return _Token(start, end, (), tuple(_URLS_IN_ROUND.findall(match[0])))
        case "link":
            return _Token(start, end, (), (match["link_url"],), _label(match))
        case "image" | "private":
            return _Token(start, end)
        case "note":
            return _Token(start, end, (1000 * int(match["turn"]) + int(match["in_turn"]),))
        case _:
            return _Token(start, end, _numbers(_digits(match)))


def _shape(match: re.Match[str]) -> str:
    names = ("image", "boxed", "round", "link", "private", "note")
    return next((name for name in names if match[name] is not None), "numbers")


def _digits(match: re.Match[str]) -> str:
    written: str = match["corners"] or match["numbers"] or match["sups"] or match["raised"]
    return written.translate(_RAISED)


def _numbers(written: str) -> tuple[int, ...]:
    """Numbers of `1, 2` and `1-3` in order; a range that runs wild counts by its ends."""
    found: list[int] = []
    for first, last in _NUMBER.findall(written):
        low, high = int(first), int(last or first)
        wild = not low <= high <= low + _WIDEST_RANGE
        found.extend((low, high) if wild else range(low, high + 1))
    return tuple(dict.fromkeys(found))


def _label(match: re.Match[str]) -> tuple[int, int] | None:
    """Range of a link's words; None for labels that are only a domain, a number or nothing."""
    words = match["label"].strip()
    after_stop = match.string[max(0, match.start() - 2) : match.start()].rstrip()[-1:]
    closes = match.string[match.end() : match.end() + 1] in {"", "\n"}
    if _DOMAIN.fullmatch(words) or (closes and after_stop and after_stop in ".!?。！？"):
        return None
    return match.span("label")


def _with_bare_spans(tokens: list[_Token], spans: _Spans) -> list[_Token]:
    """Tokens plus marker spans that no token touches, such as the chip of a web page."""
    edges = [token.start for token in tokens]
    added: list[_Token] = []
    for start, end, _ in spans.rows:
        at = bisect_left(edges, end)
        touched = at > 0 and tokens[at - 1].end >= start
        if not touched and (not added or added[-1].end <= start) and end - start <= 200:
            added.append(_Token(start, end))
    return sorted([*tokens, *added], key=lambda token: (token.start, token.end))


def _learn(tokens: Iterable[_Token], covered: Iterable[tuple[int, ...]]) -> Mapping[int, int]:
    """What each number stands for in this answer, from markers of one number and one citation."""
    known: dict[int, int] = {}
    for token, hit in zip(tokens, covered, strict=True):
        if len(token.numbers) == 1 and len(hit) == 1:
            known.setdefault(token.numbers[0], hit[0])
    return known


def _resolve(
    token: _Token, hit: tuple[int, ...], known: Mapping[int, int], by_url: Mapping[str, int]
) -> Marker:
    """The marker with its citations; numbers that nothing explains are unmapped."""
    named = [by_url[url] for url in token.urls if url in by_url and token.keep is None]
    learned = [known[number] for number in token.numbers if number in known]
    strangers = sum(number not in known for number in token.numbers)
    explained = len(set(hit) - set(learned))
    unmapped = 0 if token.urls else max(0, strangers - explained)
    points_at = tuple(dict.fromkeys([*hit, *learned, *named]))
    return Marker(token.start, token.end, points_at, unmapped, token.keep)
