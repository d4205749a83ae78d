"""Units of a claim's numbers: the same number of another unit is another statement."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from monitor.judge.embedded.passages import Sentence
from monitor.judge.embedded.words import Words, is_number, stem

_DIMENSIONS = {
    "time": "second minute hour day week fortnight month quarter year decade century",
    "length": "millimetre millimeter mm centimetre centimeter cm kilometre mile foot feet inch"
    " yard",
    "mass": "milligram microgram mcg gram kilogram tonne ton ounce stone",
    "volume": "millilitre milliliter ml litre liter gallon pint cup",
    "power": "watt kilowatt kw megawatt mw gigawatt gw",
    "energy": "kwh mwh joule kilojoule kj calorie kilocalorie kcal",
    "money": "dollar euro pound yen franc crown krona rupee yuan",
    "memory": "kilobyte kb megabyte mb gigabyte gb terabyte tb",
}
_SPELLINGS = {
    "centimeter": "centimetre", "cm": "centimetre", "millimeter": "millimetre",
    "mm": "millimetre", "feet": "foot", "liter": "litre", "milliliter": "millilitre",
    "ml": "millilitre", "microgram": "mcg", "kilowatt": "kw", "megawatt": "mw",
    "gigawatt": "gw", "kilojoule": "kj", "kilocalorie": "kcal", "kilobyte": "kb",
    "megabyte": "mb", "gigabyte": "gb", "terabyte": "tb", "tonne": "ton",
}  # fmt: skip
_UNITS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        stem(word): (dimension, _SPELLINGS.get(word, word))
        for dimension, words in _DIMENSIONS.items()
        for word in words.split()
    }
)
"""Stem of a unit word -> its dimension and the unit it stands for."""

_REACH = 2
"""Tokens behind a number (and one before it, for currency signs) in which its unit stands."""


def wrong_units(claim: Words, passage: Sequence[Sentence]) -> tuple[str, ...]:
    """`number unit / unit of the evidence`, for numbers the passage has only in other units.

    A number without a unit on either side says nothing, and neither does one of another
    dimension: it counts something else.
    """
    found = []
    for number, (dimension, unit) in _measured(claim):
        there = {
            other
            for one in passage
            for value, (kind, other) in _measured(one.words)
            if value == number and kind == dimension
        }
        if there and unit not in there:
            found.append(f"{number[1:]} {unit} / {min(there)}")
    return tuple(dict.fromkeys(found))


def _measured(words: Words) -> Iterator[tuple[str, tuple[str, str]]]:
    """Numbers that have a unit beside them, with its dimension and name."""
    for at, one in enumerate(words.stems):
        if not is_number(one):
            continue
        behind = words.stems[at + 1 : at + 1 + _REACH]
        for near in (*behind, *words.stems[max(0, at - 1) : at]):
            if is_number(near):
                break
            if near in _UNITS:
                yield one, _UNITS[near]
                break
