"""The crawlers of answer engines: who they are, and for which engines they decide."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from monitor.domain.eligibility import Crawler


@dataclass(frozen=True, slots=True)
class Crawlers:
    """Every crawler of the file, and the engines that have none."""

    every: tuple[Crawler, ...]
    """Those that decide for an engine first."""
    without: Mapping[str, str]
    """Engine -> why no crawler decides for it."""

    @property
    def seen_on(self) -> date:
        """Newest day on which any of it was looked up."""
        return max(one.seen_on for one in self.every)

    @property
    def engines(self) -> tuple[str, ...]:
        """Engines for which a crawler decides, in the order of the file."""
        return tuple(dict.fromkeys(name for one in self.every for name in one.engines))

    def deciding(self, engine: str) -> tuple[Crawler, ...]:
        """Crawlers that all must be let in for an engine; empty where none is known."""
        return tuple(one for one in self.every if engine in one.engines)


@lru_cache(maxsize=1)
def load_crawlers() -> Crawlers:
    """Crawlers of `crawlers.toml`, which comes with the program."""
    text = (files("monitor.pages") / "crawlers.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    every = [
        Crawler(**{**one, "engines": tuple(one.get("engines", ()))}) for one in document["crawler"]
    ]
    ordered = sorted(every, key=lambda one: not one.engines)
    return Crawlers(tuple(ordered), MappingProxyType(document["without"]))
