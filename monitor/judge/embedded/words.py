"""Words as a judge compares them: crude English stems, numbers as values, names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(
    r"(?P<mark>\[\s?(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,20}|edit|note \d{1,3})\s?\]"
    r"|^\s*\d{1,2}[.)]\s)"
    r"|(?P<dotted>(?:[^\W\d_]\.){2,8})"
    r"|(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)"
    r"|(?P<number>\d{1,15}(?:[.,]\d{1,9}){0,5})"
    r"(?P<suffix>st\b|nd\b|rd\b|th\b|s\b|k\b|bn\b|mn\b|%|m\b)?"
    r"|(?P<word>[^\W\d_](?:[^\W_]|['’](?=[^\W\d_])){0,60})"
    r"|(?P<sign>[%$€£¥])",
)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SCALES = {
    "k": 1e3, "thousand": 1e3, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9,
    "trillion": 1e12, "hundred": 1e2, "dozen": 12.0,
}  # fmt: skip
_SMALL = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED = {word: float(value) for value, word in enumerate(_SMALL.split(), 2)} | {
    word: float(value * 10) for value, word in enumerate(_TENS.split(), 2)
}
_SIGNS = {"%": "percent", "$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
_IRREGULAR = """
    pct:percent percentage:percent noting:note noted:note usd:dollar eur:euro gbp:pound
    kilometre:km kilometer:km
    kg:kilogram metre:meter mg:milligram us:usa u.s:usa won:win rose:rise risen:rise fell:fall
    fallen:fall grew:grow grown:grow began:begin begun:begin made:make led:lead found:find
    said:say gave:give took:take wrote:write written:write held:hold became:become went:go
    goes:go does:do sold:sell built:build bought:buy born:birth died:die dead:die death:die men:man
    women:woman children:child kept:keep lost:lose left:leave met:meet paid:pay ran:run
    shown:show spent:spend metres:meter kilometres:km kilometers:km
    taught:teach told:tell thought:think known:know knew:know
"""
_SAME = dict(pair.split(":") for pair in _IRREGULAR.split())
"""Irregular forms and spellings, and the stem they count as."""
_CACHED_WORDS = 65_536


@dataclass(frozen=True, slots=True)
class Words:
    """Tokens of a text in order: stems (numbers as `#value`), offsets, and which are names."""

    stems: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    names: frozenset[str]
    """Stems written with a capital (or in capitals) elsewhere than at the very start."""


def read_words(text: str, start: int = 0, end: int | None = None) -> Words:
    """Tokens between two offsets of a text."""
    limit = len(text) if end is None else end
    rows = _joined(_rows(text, start, limit))
    names = frozenset(
        stem for place, (stem, first, _) in enumerate(rows) if place and _is_name(text[first], stem)
    )
    stems, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
    return Words(stems, starts, ends, names)


def is_number(stem: str) -> bool:
    """Whether a stem stands for a number."""
    return stem[0] == "#"


def is_wide(stem: str) -> bool:
    """Whether a stem is a character pair of a script without spaces."""
    return "\u3040" <= stem[0] <= "\ud7af"


def number_value(stem: str) -> float:
    """Value of a number stem."""
    return float(stem[1:])


def _is_name(first: str, stem: str) -> bool:
    return first.isupper() and len(stem) > 1


_Row = tuple[str, int, int]


def _rows(text: str, start: int, end: int) -> Iterator[_Row]:
    """Tokens; citation marks, `[edit]` and the number of a list item are no words."""
    for match in _TOKEN.finditer(text, start, end):
        kind = match.lastgroup
        if kind == "mark":
            continue
        if kind == "dotted":
            yield _stem_of(match[0].replace(".", "")), match.start(), match.end()
        elif kind == "word":
            yield _stem_of(match[0]), match.start(), match.end()
        elif kind == "cjk":
            yield from _pairs(match)
        elif kind == "sign":
            yield _SIGNS[match[0]], match.start(), match.end()
        else:
            yield from _number(match)


def _pairs(match: re.Match[str]) -> Iterator[_Row]:
    """Character pairs of a run without spaces."""
    run, start = match[0], match.start()
    for place in range(max(1, len(run) - 1)):
        yield run[place : place + 2], start + place, start + min(len(run), place + 2)


def _number(match: re.Match[str]) -> Iterator[_Row]:
    written, suffix = match["number"], match["suffix"]
    value = _value(written)
    if value is None:
        yield written, match.start(), match.end()
        return
    scaled = value * _SCALES.get(suffix or "", 1.0)
    yield _key(scaled), match.start(), match.end()
    if suffix == "%":
        yield "percent", match.start(), match.end()


def _value(written: str) -> float | None:
    """Value of a written number; None for versions, addresses and the like."""
    if _GROUPED.fullmatch(written):
        return float(written.replace(",", ""))
    if written.count(".") + written.count(",") > 1:
        return None
    return float(written.replace(",", "."))


def _key(value: float) -> str:
    return f"#{value:.9g}"


def _joined(rows: Iterator[_Row]) -> list[_Row]:
    """Scale words multiply the number before them; `twenty-five` is one number."""
    found: list[_Row] = []
    for stem, start, end in rows:
        near = bool(found) and is_number(found[-1][0]) and start - found[-1][2] <= 1
        if near and stem in _SCALES:
            before = found.pop()
            found.append((_key(number_value(before[0]) * _SCALES[stem]), before[1], end))
        elif near and _completes(found[-1], stem):
            before = found.pop()
            found.append((_key(number_value(before[0]) + number_value(stem)), before[1], end))
        else:
            found.append((stem, start, end))
    return found


def _completes(before: _Row, stem: str) -> bool:
    """Whether a spelled unit follows spelled tens: `twenty` and `five`."""
    if not is_number(stem) or before[2] - before[1] < 5:
        return False
    tens, unit = number_value(before[0]), number_value(stem)
    return tens in {20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0} and 1 < unit < 10


@lru_cache(maxsize=_CACHED_WORDS)
def _stem_of(word: str) -> str:
    return stem(word.lower().replace("’", "'"))


def stem(word: str) -> str:
    """Crude English stem of a lower-case word; spelled numbers become `#value`."""
    if word in _SPELLED:
        return _key(_SPELLED[word])
    word = word.removesuffix("'s")
    if word in _SAME:
        return _SAME[word]
    return _SAME.get(_cut(word), _cut(word))


def _cut(word: str) -> str:
    """Word without a common English ending; short words keep theirs."""
    size = len(word)
    if size > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if size > 3 and word.endswith("s") and word[-2] not in "sui'":
        word = word[:-1]
    for ending, least in (("ingly", 8), ("edly", 7), ("ing", 6), ("ed", 5), ("ly", 6)):
        if len(word) >= least and word.endswith(ending):
            word = _undoubled(word[: -len(ending)])
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _undoubled(word: str) -> str:
    """Stem whose last letter was doubled before the ending, such as `stopp`."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word


_FUNCTION = """
    a an the this that these those there here of in to for on at by with from into onto upon as
    than then and or but nor so if because since while when where whereas whether who whom whose
    which what why how is are was were be been being am do does did done doing has have had
    having will would shall should can could may might must ought i you he she it we they me him
    her us them my your his its our their mine yours myself himself herself itself ourselves
    themselves one ones oneself such same very too also just even still yet ever again about
    between among through during within across along around toward towards via per each both
    either any some other another own up down out off over under back away get gets got getting
    go goes going went come comes came coming make makes made making take takes took taken
    taking let lets put like though although however therefore thus hence whoever whatever
    whichever whenever wherever
"""
FUNCTION_WORDS = frozenset(stem(word) for word in _FUNCTION.split())
"""Stems that carry no content of their own, however rare a table of rarity holds them."""
