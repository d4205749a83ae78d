"""Units of a claim's numbers: the same number of another unit is another statement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from monitor.judge.embedded.passages import Sentence
from monitor.judge.embedded.words import Words, is_number, number_value, stem

_SIZES: Mapping[str, Mapping[str, float]] = {
    "time": {
        "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800,
        "fortnight": 1_209_600, "month": 2_629_800, "quarter": 7_889_400, "year": 31_557_600,
        "decade": 315_576_000, "century": 3_155_760_000,
    },
    "length": {
        "millimetre": 0.001, "centimetre": 0.01, "meter": 1, "km": 1000, "mile": 1609.344,
        "foot": 0.3048, "inch": 0.0254, "yard": 0.9144,
    },
    "mass": {
        "milligram": 0.001, "mcg": 0.000001, "gram": 1, "kilogram": 1000, "ton": 1_000_000,
        "ounce": 28.349523, "stone": 6350.29318,
    },
    "volume": {
        "millilitre": 0.001, "litre": 1, "gallon": 3.785411784, "pint": 0.473176473,
        "cup": 0.2365882,
    },
    "power": {"watt": 1, "kw": 1e3, "mw": 1e6, "gw": 1e9},
    "energy": {
        "kwh": 3.6e6, "mwh": 3.6e9, "joule": 1, "kj": 1e3, "calory": 4.184, "kcal": 4184,
    },
    "money": {
        "pound": 0,
        "dollar": 1, "euro": 2, "yen": 3, "franc": 4, "crown": 5, "krona": 6, "rupee": 7,
        "yuan": 8,
    },
    "memory": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "share": {"percent": 1, "permille": 0.1},
}  # fmt: skip
"""Dimension -> unit -> size; currencies are only told apart."""
_SPELLINGS = {
    "centimeter": "centimetre", "cm": "centimetre", "millimeter": "millimetre", "m": "meter",
    "mm": "millimetre", "feet": "foot", "ft": "foot", "liter": "litre", "milliliter": "millilitre",
    "ml": "millilitre", "microgram": "mcg", "kilowatt": "kw", "megawatt": "mw",
    "gigawatt": "gw", "kilojoule": "kj", "kilocalorie": "kcal", "kilobyte": "kb",
    "megabyte": "mb", "gigabyte": "gb", "terabyte": "tb", "tonne": "ton", "g": "gram",
    "mg": "milligram", "h": "hour", "l": "litre", "s": "second", "min": "minute",
}  # fmt: skip
_UNITS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {stem(unit): (dimension, unit) for dimension, sizes in _SIZES.items() for unit in sizes}
    | {
        stem(word): (dimension, unit)
        for word, unit in _SPELLINGS.items()
        for dimension, sizes in _SIZES.items()
        if unit in sizes
    }
)
"""Stem of a unit word -> its dimension and the unit it stands for."""

_REACH = 2
"""Tokens behind a number (and one before it, for currency signs) in which its unit stands."""
_BETWEEN = frozenset({"to", "and", "or"})
"""Words between two numbers of one unit."""
_ONES = frozenset({"a", "an", "per", "each", "every"})
"""Words that go before a unit without a number: `a week`, `per hour`."""


@dataclass(frozen=True, slots=True)
class WrongUnit:
    """A unit of a claim that the passage has in another kind only."""

    at: int
    """Place among the claim's words: of the unit, or of the number that another unit has."""
    number: str
    unit: str
    sentence: int
    """Sentence of the passage, and place of the other unit among its words."""
    place: int


def amounts(words: Words) -> Iterator[tuple[int, tuple[str, float]]]:
    """Numbers that have a unit: place of the number, dimension, and size in the base unit."""
    for at, _, dimension, unit in _measured(words):
        if dimension != "money":
            yield at, (dimension, number_value(words.stems[at]) * _SIZES[dimension][unit])


def wrong_units(claim: Words, passage: Sequence[Sentence]) -> tuple[WrongUnit, ...]:
    """Units of numbers the passage has only in other units of their kind.

    A number without a unit on either side says nothing, and neither does one of another
    dimension: it counts something else. `per hour` against `a day` counts where the number
    before them is the same.
    """
    found = []
    for measured in (_measured, _rates):
        for at, place, dimension, unit in measured(claim):
            value = claim.stems[at]
            there = [
                (number, where, other)
                for number, one in enumerate(passage)
                for first, where, kind, other in measured(one.words)
                if one.words.stems[first] == value and kind == dimension
            ]
            if there and all(other != unit for _, _, other in there):
                number, where, _ = there[0]
                found.append(WrongUnit(place, value[1:], unit, number, where))
    return tuple(found)


def other_amounts(claim: Words, passage: Sequence[Sentence]) -> tuple[WrongUnit, ...]:
    """Amounts whose number the passage has for something else, and whose unit with another number.

    `Ferry 5 costs 6 euros` does not bear out a price of 5 euros. Numbers of one range share a unit.
    """
    units = [list(_shared_units(one.words)) for one in passage]
    found = []
    for at, _, dimension, unit in _measured(claim):
        same = [
            (number, where, passage[number].words.stems[where])
            for number, measured in enumerate(units)
            for where, kind, other in measured
            if (kind, other) == (dimension, unit)
        ]
        value = claim.stems[at]
        counted = any(
            value == passage[number].words.stems[where]
            for number, measured in enumerate(units)
            for where, _, _ in measured
        )
        if same and not counted and any(value in one.stems for one in passage):
            number, where, _ = same[0]
            found.append(WrongUnit(at, value[1:], unit, number, where))
    return tuple(found)


def _shared_units(words: Words) -> Iterator[tuple[int, str, str]]:
    """Numbers with their units, those of ranges and lists included: place, dimension, unit."""
    for at, _, dimension, unit in _measured(words):
        yield at, dimension, unit
        before = at - 1 - (at > 0 and words.stems[at - 1] in _BETWEEN)
        if before >= 0 and is_number(words.stems[before]):
            yield before, dimension, unit


def _measured(words: Words) -> Iterator[tuple[int, int, str, str]]:
    """Numbers that have a unit beside them: both places, dimension and unit."""
    for at, one in enumerate(words.stems):
        if not is_number(one):
            continue
        behind = range(at + 1, min(len(words.stems), at + 1 + _REACH))
        for place in (*behind, *range(max(0, at - 1), at)):
            near = words.stems[place]
            if is_number(near) or near in _ONES:
                break
            if near in _UNITS:
                yield at, place, *_UNITS[near]
                break


def _rates(words: Words) -> Iterator[tuple[int, int, str, str]]:
    """Units of time behind `per`, `a` or `each`, with the nearest number before them."""
    last = -1
    for at, one in enumerate(words.stems):
        if is_number(one):
            last = at
        unit = _UNITS.get(one)
        if (
            unit
            and unit[0] == "time"
            and last >= 0
            and words.stems[at - 1] in _ONES
            and at - last <= 8
        ):
            yield last, at, *unit
