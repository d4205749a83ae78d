"""Source families: the publisher a host belongs to, with a user's own map before ours.

First match wins: user override; unresolved redirect (no family); IP literal (itself); alias
table; tenants of a platform; registrable domain.
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import ada_url

from monitor.errors import ConfigError
from monitor.urls.hosts import host_facts, is_google

FAMILIES_VERSION: int = 1
"""Version of the shipped alias, tenant and redirect tables."""


class Override(NamedTuple):
    """One line of a user's family map."""

    host: str
    """Bare host; with `below` also every host under it."""
    below: bool
    path: str
    """Start of the path, lower case; empty for the whole host."""
    family: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class FamilyMap:
    """A user's family overrides, most specific first, with their version."""

    overrides: tuple[Override, ...] = ()
    version: str = str(FAMILIES_VERSION)
    """Version of the shipped tables, plus a hash of the overrides where there are any."""


NO_OVERRIDES = FamilyMap()


class _Table(NamedTuple):
    aliases: Mapping[str, str]
    countries: Mapping[str, str]
    tenants: frozenset[str]
    redirectors: frozenset[str]
    redirect_paths: Mapping[str, tuple[str, ...]]


@cache
def _table() -> _Table:
    text = files("monitor.urls").joinpath("families.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)
    paths: dict[str, tuple[str, ...]] = {}
    for row in rows["unresolved"]["paths"]:
        host, _, path = row.partition("/")
        paths[host] = (*paths.get(host, ()), f"/{path}")
    return _Table(
        aliases={row["host"]: row["family"] for row in rows["alias"]},
        countries={
            f"{label}.{suffix}": f"{label}.com"
            for label, suffixes in rows["country_domains"].items()
            for suffix in suffixes
        },
        tenants=frozenset(rows["tenants"]["hosts"]),
        redirectors=frozenset(rows["unresolved"]["hosts"]),
        redirect_paths=paths,
    )


@lru_cache(maxsize=32_768)
def publisher(host: str) -> str:
    """Shipped family of a host: alias, tenant, or registrable domain."""
    bare, domain, _ = host_facts(host)
    table = _table()
    known = table.aliases.get(bare) or table.aliases.get(domain) or table.countries.get(domain)
    if known is not None:
        return known
    if is_google(domain):
        return "google.com"
    if domain in table.tenants and bare != domain:
        return f"{bare[: -len(domain) - 1].rpartition('.')[2]}.{domain}"
    return domain


def is_redirector(host: str, path: str) -> bool:
    """Whether only fetching can tell which publisher is behind a bare host and path."""
    table = _table()
    if host in table.redirectors or _parent(host) in table.redirectors:
        return path != "/"
    below = table.redirect_paths.get(f"*.{host_facts(host).domain}", ())
    return f"{path}/".startswith((*table.redirect_paths.get(host, ()), *below))


def _parent(host: str) -> str:
    return host.partition(".")[2]


def overridden(families: FamilyMap, host: str, path: str) -> Override | None:
    """The most specific override that covers a bare host and path."""
    for override in families.overrides:
        if _covers(override, host, path.lower()):
            return override
    return None


def _covers(override: Override, host: str, path: str) -> bool:
    below = override.below and host.endswith(f".{override.host}")
    if host != override.host and not below:
        return False
    start = override.path
    return not start or path == start or path.startswith(f"{start}/")


def family_map(overrides: Mapping[str, str | Mapping[str, str]]) -> FamilyMap:
    """Family map of `pattern: family` or `pattern: {family, unit}` lines of a user.

    A pattern is a host (`acme.com`), a host and all below it (`*.acme.com`), or a host with
    the start of a path (`docs.acme.com/guide`). The longest path, then the exact host, then
    the longest suffix wins.
    """
    rows = sorted((_override(pattern, label) for pattern, label in overrides.items()), key=_rank)
    if not rows:
        return NO_OVERRIDES
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]
    return FamilyMap(tuple(rows), f"{FAMILIES_VERSION}+{digest}")


def _rank(override: Override) -> tuple[int, bool, int, str]:
    return -len(override.path), override.below, -len(override.host), override.host


def _override(pattern: str, label: str | Mapping[str, str]) -> Override:
    below = pattern.startswith("*.")
    host, _, path = pattern.removeprefix("*.").partition("/")
    if not host or "*" in host or ":" in host:
        raise ConfigError(
            f"families: pattern {pattern!r} is no host; expected 'acme.com', '*.acme.com' "
            "or 'acme.com/path'"
        )
    family, unit = (label, None) if isinstance(label, str) else _labels(pattern, label)
    path = f"/{path.strip('/').lower()}" if path.strip("/") else ""
    return Override(host_facts(_ascii(host)).bare, below, path, family, unit)


def _labels(pattern: str, label: Mapping[str, str]) -> tuple[str, str | None]:
    if "family" not in label or set(label) - {"family", "unit"}:
        raise ConfigError(
            f"families: {pattern!r} has the keys {sorted(label)}; expected family and, "
            "if wanted, unit"
        )
    return label["family"], label.get("unit")


def _ascii(host: str) -> str:
    return ada_url.idna_to_ascii(host.strip(".").lower()).decode()
