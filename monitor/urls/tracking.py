"""Query parameters that do not select a page: one table of names, scopes and values."""

import re
import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from monitor.urls.family import publisher
from monitor.urls.hosts import has_known_suffix, host_facts

_HEX32 = re.compile(r"[0-9a-fA-F]{32,}")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")


class Part(Enum):
    """What a query parameter does for the identity of its page."""

    CONTENT = "content"
    TRACKER = "tracker"
    """Says who came from where, or in which session; never opens anything."""
    RENDERING = "rendering"
    """Selects the print or AMP rendering of the same page."""


class _Table(NamedTuple):
    names: frozenset[str]
    prefixes: tuple[str, ...]
    checked: Mapping[str, str]
    referrers: frozenset[str]
    forges: frozenset[str]
    rendering: Mapping[str, frozenset[str]]
    scoped: Mapping[str, frozenset[str]]


@cache
def _table() -> _Table:
    text = files("monitor.urls").joinpath("tracking.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)
    return _Table(
        names=frozenset(rows["everywhere"]["names"]),
        prefixes=tuple(rows["everywhere"]["prefixes"]),
        checked={name: kind for kind, names in rows["tracker_if"].items() for name in names},
        referrers=frozenset(rows["referrers"]["names"]),
        forges=frozenset(rows["referrers"]["kept_on"]),
        rendering={name: frozenset(values) for name, values in rows["rendering"].items()},
        scoped={host: frozenset(names) for host, names in rows["scoped"].items()},
    )


@lru_cache(maxsize=32_768)
def scope(host: str) -> frozenset[str]:
    """Parameter names that are trackers on this host only, lower case."""
    bare = host_facts(host).bare
    labels = bare.split(".")
    keys = {".".join(labels[i:]) for i in range(len(labels))} | {publisher(bare)}
    return frozenset().union(*(names for key, names in _table().scoped.items() if key in keys))


def part_of(name: str, value: str, host: str) -> Part:
    """Role of one parameter, given its lower-case name and its decoded value."""
    table = _table()
    if name in table.names or name.startswith(table.prefixes) or name in scope(host):
        return Part.TRACKER
    renderings = table.rendering.get(name)
    if renderings is not None and value.lower() in renderings:
        return Part.RENDERING
    kind = table.checked.get(name)
    if kind is not None and _is_tracker_value(kind, value, host):
        return Part.TRACKER
    return Part.CONTENT


def _is_tracker_value(kind: str, value: str, host: str) -> bool:
    if kind == "hex32":
        return _HEX32.fullmatch(value) is not None
    if kind == "twitter":
        return value.startswith("twsrc")
    return _is_referrer(value.lower(), host)


def _is_referrer(value: str, host: str) -> bool:
    if host_facts(host).domain in _table().forges:
        return False
    if value in _table().referrers:
        return True
    return _HOST.fullmatch(value) is not None and has_known_suffix(value)
