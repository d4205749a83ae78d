"""What pydantic found wrong, in words and with the line it stands on."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from monitor.config.words import nearest
from monitor.config.yaml import Document, Place, Problem

_EXPECTED = {
    "string_type": "text",
    "string_too_short": "longer text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "date_type": "a day such as 2026-11-30",
    "date_from_datetime_parsing": "a day such as 2026-11-30",
    "date_from_datetime_inexact": "a day such as 2026-11-30",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
}
"""Kinds of pydantic errors -> what should stand there."""

_HUSHED = {
    "base_url", "database", "artifacts",
    "ping_url", "ping_url_file", "panel_ping_urls", "alive_ping_url", "alive_ping_url_file",
    "links",
}  # fmt: skip
"""Addresses that may hold a password or are one: never printed back."""

_CHANNELS: Place = ("alerts", "channels")
SHOWN_OF_CHANNELS = {
    "kind", "least", "panels", "engines", "private", "port", "security", "unguarded",
}  # fmt: skip
"""Settings of a channel that hold no secret; whatever else stands there is never printed back."""


def in_the_file(place: Place) -> str | None:  # noqa: ARG001 - the signature of `elsewhere`
    """Most values come from the file itself."""
    return None


def problems_of(
    error: ValidationError,
    document: Document,
    model: type[BaseModel],
    elsewhere: Callable[[Place], str | None] = in_the_file,
) -> tuple[Problem, ...]:
    """Every validation error as a problem with its line and, for a typo, the nearest key.

    `elsewhere` names what set a value that does not come from the file.
    """
    found = []
    for one in error.errors(include_url=False):
        place, typed = _place_of(one), _typed_place(one["loc"])
        if document.is_broken(place) or _follows(one):
            continue
        message, source = _said_of(one, place, _keys_at(model, typed[:-1])), elsewhere(place)
        found.append(Problem(source, None, message) if source else document.problem(place, message))
    return tuple(found)


def _follows(one: Mapping[str, Any]) -> bool:
    """Whether a list only seems too short because its items are wrong; those are told already."""
    found = one.get("input")
    least = one.get("ctx", {}).get("min_length", 0)
    return one["type"] == "too_short" and isinstance(found, list | tuple) and len(found) >= least


def _typed_place(loc: Sequence[Any]) -> Place:
    """Keys and indexes of an error's location; where there are kinds, the kind is one of them."""
    return tuple(part for part in loc if isinstance(part, int) or part != "[key]")


def _place_of(one: Mapping[str, Any]) -> Place:
    """The place in the file: without the kind of a channel, and with the key that is wrong."""
    place = _typed_place(one["loc"])
    if one["type"] in _TAG_ERRORS:
        return (*place, "kind")
    if place[:2] == _CHANNELS and len(place) > 3:
        return (*place[:3], *place[4:])
    return place


_TAG_ERRORS = {"union_tag_invalid", "union_tag_not_found"}


def _is_hushed(place: Place) -> bool:
    """Whether what stands at a place may be a secret."""
    if place[:2] == _CHANNELS:
        return SHOWN_OF_CHANNELS.isdisjoint(place[3:])
    return not _HUSHED.isdisjoint(place)


def _said_of(one: Mapping[str, Any], place: Place, keys: Sequence[str]) -> str:
    """What is wrong, what was found and what is expected; `keys` could stand beside it."""
    where = ".".join(map(_key_shown, place))
    if one["type"] in _TAG_ERRORS:
        return _kind_said(one, where)
    if one["type"] == "extra_forbidden":
        return f"unknown key {where!r}{nearest(str(place[-1]), keys)}"
    if one["type"] == "missing":
        return f"{where} is missing"
    found = one.get("input")
    hushed = _is_hushed(place)
    if not place:
        return f"expected {_EXPECTED.get(one['type'], 'keys with values')}, found {shown(found)}"
    if one["type"] in _EXPECTED:
        kept = "something else" if hushed else shown(found)
        return f"{where}: expected {_EXPECTED[one['type']]}, found {kept}"
    if one["type"] == "too_short":
        return f"{where}: expected {one['ctx']['min_length']} or more, found {shown(found)}"
    if one["type"] == "too_long" and hushed:
        return f"{where}: expected {one['ctx']['max_length']} or fewer"
    if one["type"] == "enum":
        words = re.findall(r"'([^']*)'", str(one["ctx"]["expected"]))
        return f"{where}: {shown(found)} is not known{nearest(str(found), words)}"
    text = one["msg"].removeprefix("Value error, ").replace("Input should be", "expected a value")
    if hushed:
        return f"{where}: {text}"
    return f"{where}: {text}, found {shown(found)}"


def _kind_said(one: Mapping[str, Any], where: str) -> str:
    """That a kind is missing or unknown, with those there are."""
    if one["type"] == "union_tag_not_found":
        return f"{where} is missing"
    words = re.findall(r"'([^']*)'", str(one["ctx"]["expected_tags"]))
    return (
        f"{where}: {shown(one['ctx']['tag'])} is not known{nearest(str(one['ctx']['tag']), words)}"
    )


def _key_shown(key: str | int) -> str:
    """A key, unless an address was written in its place."""
    return "(an address)" if "://" in str(key) else str(key)


def shown(found: Any) -> str:
    """What stands in the file, short enough for one line; an address may be a secret."""
    if isinstance(found, str) and "://" in found:
        return "an address"
    if found is None:
        return "nothing"
    if isinstance(found, Mapping):
        return "keys with values"
    if isinstance(found, list | tuple):
        return f"a list of {len(found)}"
    text = repr(found)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _keys_at(model: type[BaseModel], place: Place) -> tuple[str, ...]:
    """Field names of the model at a place, as far as the types tell."""
    kind: Any = model
    for part in place:
        kind = _kind_below(kind, part)
    fields = getattr(_without_none(kind), "model_fields", {})
    return tuple(field.alias or name for name, field in fields.items())


def _kind_below(kind: Any, part: str | int) -> Any:
    """Type of what stands under a key or an index of a type, or None."""
    plain = _without_none(kind)
    if get_origin(plain) is Annotated:
        plain = get_args(plain)[0]
    tagged = [one for one in get_args(plain) if _has_kind(one, part)]
    if tagged:
        return tagged[0]
    if isinstance(plain, type) and issubclass(plain, BaseModel):
        named = (f.annotation for n, f in plain.model_fields.items() if part in {n, f.alias})
        return next(named, None)
    inside = get_args(plain)
    if get_origin(plain) is dict:
        return inside[1]
    return inside[0] if inside else None


def _has_kind(model: Any, kind: str | int) -> bool:
    """Whether a model is the one of a kind."""
    field = getattr(model, "model_fields", {}).get("kind")
    return field is not None and kind in get_args(field.annotation)


def _without_none(kind: Any) -> Any:
    """`M` of `M | None`; every other type as it is."""
    choices = [one for one in get_args(kind) if one is not type(None)]
    return choices[0] if type(None) in get_args(kind) and len(choices) == 1 else kind
