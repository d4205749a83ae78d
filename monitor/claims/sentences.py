"""Sentence boundaries in prose, by rule: terminators, abbreviations, quotations, what follows.

Own rules instead of a library: behind the same markers they cut at least as many of our cases right
as pysbd, sentencex and nupunkt, without being told the language of an answer.
"""

import re
from collections.abc import Iterable

from monitor.claims.abbreviations import (
    BEFORE_NUMBER,
    LETTERED,
    MAY_END,
    NAMES_WITH_MARK,
    NEVER_END,
    ORDINAL,
    STARTERS,
)

_TERMINATOR = re.compile(r"(?P<latin>[.!?…]{1,6}|[।؟۔։]{1,3})|(?P<wide>[。！？｡]{1,4})")
_CLOSERS = "\"'”’»)]」』）"
_MOST_CLOSERS = 3
_WORD_BEFORE = re.compile(r"[\w.&’'-]+$")
_LETTERED_BEFORE = re.compile(r"(\w+) [A-Z]$")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[]*([^\s,.;:!?)\"'”’]+)")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_ORDINAL = re.compile(r"\d{1,2}")
_DAY_OR_MONTH = re.compile(r"\d{1,2}\.(?=\s)")
_GLUED_BEFORE = re.compile(r"(?:^|\s)[\"“(]?[^\W\d_A-Z]{3,40}$")
_GLUED_AFTER = re.compile(r"([A-Z][a-z]*)\s")
_ROMAN = {"II", "III", "IV"}
_SAID = re.compile(r"と|って|の|が|を|は|に|など|[,，、。；;]|[说問问道喊答称然就地的后時时]")
"""What goes on behind a quotation in Japanese or Chinese."""

_QUOTES = {"“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", '"': '"'}
_QUOTE = re.compile('[“”„«»「」『』"]')
_BRACKET = re.compile(r"(?P<opening>[(（])|[)）]")
_REACH = 240
"""Longest quotation or parenthesis, in code points, that keeps its sentences together."""

Range = tuple[int, int]


def sentences(prose: str) -> tuple[Range, ...]:
    """Half-open ranges of the sentences of one block, whitespace trimmed; none when blank."""
    found: list[Range] = []
    start = 0
    enclosed = _outermost([*_parentheses(prose), *_quotations(prose)])
    for mark in _TERMINATOR.finditer(prose):
        end = _end(prose, start, mark, enclosed) if mark.start() >= start else None
        if end:
            found.append((start, end))
            start = end
    found.append((start, len(prose)))
    trimmed = (_trim(prose, one) for one in found)
    return tuple(one for one in trimmed if one[0] < one[1])


def _trim(prose: str, bounds: Range) -> Range:
    start, end = bounds
    while start < end and prose[start].isspace():
        start += 1
    while end > start and prose[end - 1].isspace():
        end -= 1
    return start, end


def _parentheses(prose: str) -> list[Range]:
    """Ranges of short parentheses."""
    ranges: list[Range] = []
    opened: list[int] = []
    for found in _BRACKET.finditer(prose):
        if found["opening"]:
            opened.append(found.start())
        elif opened:
            ranges.append((opened.pop(), found.start()))
    return [one for one in ranges if one[1] - one[0] <= _REACH]


def _quotations(prose: str) -> list[Range]:
    """Ranges of short quotations; a straight mark opens one only where a word begins."""
    ranges: list[Range] = []
    first, closers = -1, ""
    for found in _QUOTE.finditer(prose):
        place, char = found.start(), found[0]
        if closers and place - first > _REACH:
            closers = ""
        if closers:
            if char in closers:
                ranges.append((first, place))
                closers = ""
        elif char in _QUOTES and (char != '"' or _opens(prose, place)):
            first, closers = place, _QUOTES[char]
    return ranges


def _opens(prose: str, place: int) -> bool:
    before = prose[place - 1 : place]
    return not before or before.isspace() or before in "([{—–:：，。"


def _outermost(ranges: Iterable[Range]) -> list[Range]:
    """Ranges that lie in no other, last one first."""
    kept: list[Range] = []
    for one in sorted(ranges):
        if not kept or one[0] > kept[-1][1]:
            kept.append(one)
        elif one[0] == kept[-1][0] or one[1] > kept[-1][1]:
            kept[-1] = (kept[-1][0], max(kept[-1][1], one[1]))
    kept.reverse()
    return kept


def _around(enclosed: list[Range], place: int) -> Range | None:
    """The quotation or parenthesis a place lies in; those that lie behind are dropped."""
    while enclosed and enclosed[-1][1] < place:
        enclosed.pop()
    return enclosed[-1] if enclosed and enclosed[-1][0] < place else None


def _end(prose: str, start: int, mark: re.Match[str], enclosed: list[Range]) -> int | None:
    """Where the sentence of this terminator ends, closers included; None where it goes on."""
    stop = mark.end()
    around = _around(enclosed, mark.start())
    if around:
        if prose[stop : around[1]].strip(_CLOSERS + " \u00a0\u202f"):
            return None
        stop = around[1] + 1
    most = stop + _MOST_CLOSERS
    while stop < most and prose[stop : stop + 1] and prose[stop] in _CLOSERS:
        stop += 1
    closed = stop > mark.end()
    if mark["wide"]:
        return None if closed and _SAID.match(prose, stop) else stop
    if stop < len(prose) and not prose[stop].isspace():
        return stop if not closed and _is_glued(prose, mark) else None
    return stop if _ends(prose, start, mark, stop) else None


def _is_glued(prose: str, mark: re.Match[str]) -> bool:
    """Whether the writer forgot the space behind a stop: `ten euros.The form`."""
    following = _GLUED_AFTER.match(prose, mark.end())
    before = _GLUED_BEFORE.search(prose, max(0, mark.start() - 42), mark.start())
    return bool(before and following and following[1].lower() in STARTERS)


def _ends(prose: str, start: int, mark: re.Match[str], stop: int) -> bool:
    """Whether this terminator ends a sentence, by the words on both sides."""
    following = _NEXT_WORD.match(prose, _skip_space(prose, stop))
    if following is None:
        return True
    word = following[1]
    if word[0].islower() and not _is_brand(word):
        return False
    if stop > mark.end():
        return True
    before = _WORD_BEFORE.search(prose, max(start, mark.start() - 24), mark.start())
    if before is None:
        return True
    if mark["latin"] == "!":
        return before[0].lower() not in NAMES_WITH_MARK
    return mark["latin"] != "." or _period_ends(prose, start, before, following)


def _is_brand(word: str) -> bool:
    """Whether a lower-case word is a name such as iPhone or eBay."""
    return len(word) > 2 and word[1].isupper()


def _skip_space(prose: str, place: int) -> int:
    while place < len(prose) and prose[place].isspace():
        place += 1
    return place


def _period_ends(prose: str, start: int, before: re.Match[str], following: re.Match[str]) -> bool:
    """Whether one period ends a sentence rather than an abbreviation or an ordinal."""
    word = re.split(r"['’]", before[0])[-1] or before[0]
    lowered, after = word.lower(), following[1]
    begins, numbered = after.lower() in STARTERS, after[0].isdigit()
    if _ORDINAL.fullmatch(word):
        counts = after.lower() in ORDINAL or _DAY_OR_MONTH.match(prose, following.start())
        return not counts and not _is_list_number(prose, start, before)
    if lowered in NEVER_END:
        return False
    if lowered in BEFORE_NUMBER or (lowered.endswith("str") and len(lowered) > 3):
        return not (numbered or after in _ROMAN)
    if len(word) == 1 and word.islower() and lowered not in MAY_END:
        return not (numbered or len(after) == 1)
    if prose[before.start() - 1 : before.start()] == "°":
        return True
    if len(word) == 1 and word.isupper():
        initial = len(after) == 1 and prose[following.end() : following.end() + 1] == "."
        return not initial and (begins or _is_lettered(prose, before))
    return begins if lowered in MAY_END or _DOTTED.fullmatch(word) else True


def _is_lettered(prose: str, before: re.Match[str]) -> bool:
    """Whether a single letter belongs to a word such as `vitamin`."""
    named = _LETTERED_BEFORE.search(prose, max(0, before.start() - 16), before.end())
    return named is not None and named[1].lower() in LETTERED


def _is_list_number(prose: str, start: int, before: re.Match[str]) -> bool:
    """Whether a number such as `1` of `1. First` begins the sentence or follows a colon."""
    ahead = prose[start : before.start()].rstrip(" (")
    return not ahead or ahead.endswith(":")
