"""Canaries of the locale: questions whose answer tells the country an engine answers for.

An engine may be asked for en-GB and answer for the United States all the same: its address, not
the parameter, decides. So a run may ask, once per engine and locale, which number is dialled in an
emergency and which currency is paid with, without saying where. Numbers and currencies are shared
between countries: `confirmed` says that the answer is right there, not that it is right nowhere
else; `contradicted` says that it is right elsewhere and not there. An answer for several countries
at once, or for none we know, says nothing. Countries and questions lie in two TOML files.
"""

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from monitor.domain.locale import CANARY_ID, LocaleState
from monitor.domain.panel import Prompt

KINDS = ("emergency_number", "currency")

_DIGITS = re.compile(r"(?<![A-Za-z0-9.,-])[0-9]{3,5}(?![A-Za-z0-9-]|[.,][0-9])")
"""A number by itself; letters of scripts that write no spaces, such as Japanese, may touch it."""
_CODES = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")


def canary_prompts(kinds: Iterable[str], prompts: Iterable[Prompt]) -> tuple[Prompt, ...]:
    """One prompt per kind and locale of some prompts; locales without a country we know have none.

    ValueError on an unknown kind.
    """
    made: dict[tuple[str, str], Prompt] = {}
    wanted = tuple(kinds)
    for prompt in prompts:
        if prompt.country in _countries():
            for kind in wanted:
                text = _questions(kind).get(prompt.language, _questions(kind)["en"])
                made[kind, prompt.locale] = Prompt(CANARY_ID + kind, text, prompt.locale)
    return tuple(made.values())


def told_by(kind: str, country: str | None, answer: str) -> LocaleState:
    """What the answer to one canary says of the country that was asked for."""
    countries = _countries()
    if country is None or country not in countries:
        return LocaleState.REQUESTED
    own = _signs(countries[country], kind)
    others = {sign for one in countries.values() for sign in _signs(one, kind)}
    neutral = set(countries[country].get("also", ())) if kind == "emergency_number" else set()
    pattern = _DIGITS if kind == "emergency_number" else _CODES
    found = {sign for sign in pattern.findall(_plain(answer)) if sign in others | own}
    foreign = found - own - neutral
    if found & own:
        return LocaleState.REQUESTED if foreign else LocaleState.CONFIRMED
    return LocaleState.CONTRADICTED if foreign else LocaleState.REQUESTED


def state_of(told: Iterable[LocaleState]) -> LocaleState:
    """What several canaries of one engine and locale come to: one contradiction is enough."""
    states = set(told)
    for state in (LocaleState.CONTRADICTED, LocaleState.CONFIRMED):
        if state in states:
            return state
    return LocaleState.REQUESTED


def locale_states(
    answers: Iterable[tuple[str, Prompt, str]],
) -> Mapping[tuple[str, str], LocaleState]:
    """(engine, locale) -> what its answered canaries say; of (engine, prompt, answer)."""
    told: dict[tuple[str, str], list[LocaleState]] = defaultdict(list)
    for engine, prompt, answer in answers:
        kind = prompt.id.removeprefix(CANARY_ID)
        if kind in KINDS:
            told[engine, prompt.locale].append(told_by(kind, prompt.country, answer))
    return {key: state_of(several) for key, several in told.items()}


def _plain(answer: str) -> str:
    """An answer in common letters (NFKC), with the digits of any script as 0 to 9."""
    composed = unicodedata.normalize("NFKC", answer)
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in composed)


def _signs(country: Mapping[str, Any], kind: str) -> set[str]:
    """What a right answer says."""
    return set(country["numbers"]) if kind == "emergency_number" else {country["currency"]}


@lru_cache(maxsize=1)
def _countries() -> Mapping[str, Mapping[str, Any]]:
    return _file("countries.toml")


def _questions(kind: str) -> Mapping[str, str]:
    questions = _file("canaries.toml")
    if kind not in questions:
        raise ValueError(f"no canary {kind!r}; expected one of {', '.join(KINDS)}")
    asked: Mapping[str, str] = questions[kind]
    return asked


@lru_cache(maxsize=2)
def _file(name: str) -> dict[str, Any]:
    return tomllib.loads((files("monitor.panels") / name).read_text(encoding="utf-8"))
