"""Selectors as data: each with the day it was last seen to work, where, and how sure we are.

A file `selectors/SURFACE.toml` has one table per selector:

    [[selector]]
    role = "answer"              what it finds; several selectors may serve one role
    css = "[data-testid=answer]"
    verified_on = 2026-09-26     the day somebody saw it work
    seen_in = "sample"           sample (a real saved page) | notes (somebody's) | own (our page)
    confidence = "high"          high | medium | low

and, at the top, `terms` (name, address and day of the terms a person must acknowledge). A wall
that has an address of its own is a table of the kind

    [[address]]
    role = "captcha"             which wall stands there
    host = "www.example.*"       a pattern
    path = "/sorry"              how the path begins
    verified_on, seen_in, confidence as above

and `[driver]` has what else a live capture must know: `turn_id`, the attribute that names a turn,
and `ends_quietly = true` where a finished answer may come without its `end_mark`.
All selectors of a role are tried and what they find is united: the first that fits would hide
what it no longer finds. Where they differ, that is reported.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from monitor.domain.keys import content_key
from monitor.errors import MonitorError
from monitor.markup.select import in_document_order, select_all


@dataclass(frozen=True, slots=True)
class Selector:
    """One way to find something on a page."""

    role: str
    css: str
    verified_on: date
    seen_in: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Address:
    """Where a wall of its own address stands."""

    role: str
    host: str
    """Pattern of the host, as of file names."""
    path: str
    """How the path begins."""
    verified_on: date
    seen_in: str
    confidence: str

    def fits(self, url: str) -> bool:
        """Whether a page's address is one of these; one that cannot be read is none."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").lower()
        except ValueError:
            return False
        return fnmatchcase(host, self.host) and parts.path.startswith(self.path)


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of use that somebody who captures a surface must know."""

    name: str
    url: str
    read_on: date
    says: str
    """What they say of automated use, in our words."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the selectors of one role found in a tree."""

    role: str
    elements: tuple[HtmlElement, ...]
    """United, in document order."""
    hits: Mapping[str, int]
    """Selector -> elements it found."""

    @property
    def disagreement(self) -> str | None:
        """That selectors which found something found different things, in words; else None."""
        counts = [count for count in self.hits.values() if count]
        if all(count == len(self.elements) for count in counts):
            return None
        told = ", ".join(f"{css} {count}" for css, count in self.hits.items() if count)
        return f"{self.role}: {len(self.elements)} elements, by selector {told}"


@dataclass(frozen=True, slots=True)
class Selectors:
    """All selectors of a surface."""

    surface: str
    selectors: tuple[Selector, ...]
    terms: Terms | None
    version: str
    """Hash of them all: stored with every capture that used them."""
    addresses: tuple[Address, ...] = ()
    """Walls that are told by the address of the page."""
    turn_id: str | None = None
    """Attribute by which the surface names a turn; None where it has none."""
    ends_quietly: bool = False
    """Whether a finished answer may lack its end mark: then it must have been still for longer."""

    def of(self, role: str) -> tuple[Selector, ...]:
        """Selectors of a role, in file order; empty where there is none."""
        return tuple(one for one in self.selectors if one.role == role)

    def css(self, role: str) -> str | None:
        """One selector that finds what any of a role does; None where there is none."""
        return ", ".join(one.css for one in self.of(role)) or None

    def find(self, tree: HtmlElement, role: str) -> Found:
        """What a tree has for a role."""
        by_css = {one.css: select_all(tree, one.css) for one in self.of(role)}
        united = in_document_order(one for several in by_css.values() for one in several)
        return Found(role, united, {css: len(several) for css, several in by_css.items()})


@lru_cache(maxsize=32)
def load_selectors(surface: str) -> Selectors:
    """Selectors of a surface from its file; MonitorError where the file is not as it should be."""
    place = files("monitor.engines.surfaces") / "selectors" / f"{surface}.toml"
    return read_selectors(surface, place.read_text(encoding="utf-8"))


def read_selectors(surface: str, text: str) -> Selectors:
    """Selectors from the text of a file; MonitorError where it is not as it should be."""
    document = tomllib.loads(text)
    driver = document.get("driver", {})
    try:
        several = tuple(Selector(**one) for one in document["selector"])
        terms = Terms(**document["terms"]) if "terms" in document else None
        addresses = tuple(Address(**one) for one in document.get("address", ()))
    except (KeyError, TypeError) as error:
        raise MonitorError(f"selectors of {surface}: {error}; see selectors.py") from error
    return Selectors(
        surface,
        several,
        terms,
        content_key(_plain([*document["selector"], *document.get("address", ()), driver]), 12),
        addresses,
        turn_id=driver.get("turn_id"),
        ends_quietly=bool(driver.get("ends_quietly", False)),
    )


def _plain(tables: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{key: str(value) for key, value in one.items()} for one in tables if one]
