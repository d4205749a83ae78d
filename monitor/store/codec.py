"""Domain values as JSON documents and back, driven by their type hints.

A mapping becomes a list of [key, value] pairs, so that its order and its non-text keys survive
JSONB. Fields that a stored document lacks take their default; fields it has too many are ignored:
old rows stay readable.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from monitor.errors import StoreError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Codec:
    """Two functions: a value to its JSON form, and a JSON form to its value."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def encode(kind: Any, value: Any) -> Any:
    """JSON form of a value of type `kind`."""
    return codec_of(kind).encode(value)


def decode(kind: type[T], document: Any) -> T:
    """Value of type `kind` from its JSON form; StoreError when the document does not fit."""
    try:
        value: T = codec_of(kind).decode(document)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"stored {kind.__name__} cannot be read ({type(error).__name__}: {error}): "
            "it was written by another version of the monitor; run `monitor db check`"
        ) from error
    return value


def _same(value: Any) -> Any:
    return value


def codec_of(kind: Any) -> Codec:
    """Codec of a type: plain values, enums, dates, tuples, mappings, unions and dataclasses."""
    made: Codec = _make(kind)
    return made


@lru_cache(maxsize=512)
def _make(kind: Any) -> Codec:
    if kind in {Any, str, int, bool, object, type(None)}:
        return Codec(_same, _same)
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _union(get_args(kind))
    if origin in {tuple, Sequence, frozenset}:
        return _sequence(get_args(kind))
    if origin is Mapping:
        return _mapping(*get_args(kind))
    return _class(kind)


def _class(kind: Any) -> Codec:
    if kind is float:
        return Codec(_same, float)
    if is_dataclass(kind):
        return _dataclass(kind)
    if issubclass(kind, Enum):
        return Codec(lambda value: value.value, kind)
    if issubclass(kind, (date, datetime)):
        return Codec(lambda value: value.isoformat(), kind.fromisoformat)
    raise StoreError(f"no JSON form for {kind!r}: expected a domain type; add it to store/codec.py")


def _sequence(parts: tuple[Any, ...]) -> Codec:
    if len(parts) == 2 and parts[1] is not Ellipsis:
        return _pair(codec_of(parts[0]), codec_of(parts[1]))
    part = codec_of(parts[0])
    return Codec(
        lambda value: [part.encode(one) for one in value],
        lambda document: tuple(part.decode(one) for one in document),
    )


def _pair(first: Codec, second: Codec) -> Codec:
    return Codec(
        lambda value: [first.encode(value[0]), second.encode(value[1])],
        lambda document: (first.decode(document[0]), second.decode(document[1])),
    )


def _mapping(key: Any, value: Any) -> Codec:
    keys, values = codec_of(key), codec_of(value)
    return Codec(
        lambda mapping: [[keys.encode(k), values.encode(v)] for k, v in mapping.items()],
        lambda pairs: MappingProxyType({keys.decode(k): values.decode(v) for k, v in pairs}),
    )


def _union(kinds: tuple[Any, ...]) -> Codec:
    solid = [kind for kind in kinds if kind is not type(None)]
    inner = codec_of(solid[0]) if len(solid) == 1 else _either(solid)
    return Codec(
        lambda value: None if value is None else inner.encode(value),
        lambda document: None if document is None else inner.decode(document),
    )


def _either(kinds: Sequence[type[Any]]) -> Codec:
    """Tell dataclasses of a union apart by the field names of the document."""
    names = {kind: {part.name for part in fields(kind)} for kind in kinds}

    def decode_one(document: Mapping[str, Any]) -> Any:
        kind = next((k for k in kinds if set(document) == names[k]), None)
        if kind is None:
            raise TypeError(f"keys {sorted(document)} fit none of {[k.__name__ for k in kinds]}")
        return codec_of(kind).decode(document)

    return Codec(lambda value: codec_of(type(value)).encode(value), decode_one)


def _dataclass(kind: Any) -> Codec:
    hints = get_type_hints(kind)
    parts = {part.name: codec_of(hints[part.name]) for part in fields(kind)}
    return Codec(
        lambda value: {name: part.encode(getattr(value, name)) for name, part in parts.items()},
        lambda document: kind(
            **{
                name: part.decode(document[name])
                for name, part in parts.items()
                if name in document
            }
        ),
    )
