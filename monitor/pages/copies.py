"""Copies of one text on several families, and the evidence groups they form.

Word 4-gram shingles sampled by crc32 (Broder, 1997, resemblance and containment): two pages of
different families are copies when the smaller shares at least half of its shingles with the larger.
Shingles seen on more than twelve pages of one family are site furniture and are left out. A
paraphrase is not found; by design, since no surface method finds it without false pairs.
"""

import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from monitor.domain.page import Copy
from monitor.pages.passages import SPACELESS

Numbers = NDArray[np.uint32]
"""Shingles as sorted numbers without repetition: four bytes each, where a set takes eighty."""

LEAST_CONTAINMENT = 0.5
LEAST_SHARED = 6

_WORDS = 4
_CHARACTERS = 5
_KEPT_OF = 4
_SHORT_WORDS = 60
_SHORT_CHARACTERS = 120
_FURNITURE_PAGES = 12
_ANCHORS = 48
"""Pages per shingle that later ones are paired with: keeps the work near-linear where hundreds of
families carry one text; the group stays whole because all of them share the same first pages."""

_SPACELESS = re.compile(f"[{SPACELESS}]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A page of an evidence group as far as it tells who was first."""

    key: str
    published: date | None = None
    syndicated_from: str | None = None
    """Page key of the canonical on another family, where the page names one."""


@dataclass(frozen=True, slots=True)
class _Shingles:
    """Sampled shingles of a page; all of them too where the page is short."""

    family: str
    sampled: Numbers
    every: Numbers | None


def _grams(text: str) -> tuple[Iterator[str], bool]:
    """Shingles of a text as strings, and whether the text is short."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    spaceless = len(_SPACELESS.findall(plain))
    letters = "".join(_WORD.findall(plain))
    if spaceless * 2 > len(letters):
        starts = range(len(letters) - _CHARACTERS + 1)
        grams = (letters[at : at + _CHARACTERS] for at in starts)
        return grams, len(letters) < _SHORT_CHARACTERS
    words = _WORD.findall(plain)
    starts = range(len(words) - _WORDS + 1)
    return (" ".join(words[at : at + _WORDS]) for at in starts), len(words) < _SHORT_WORDS


def _shingles(family: str, text: str) -> _Shingles:
    grams, short = _grams(text)
    hashes = (zlib.crc32(gram.encode("utf-8", "replace")) for gram in grams)
    every = np.unique(np.fromiter(hashes, np.uint32))
    return _Shingles(family, every[every % _KEPT_OF == 0], every if short else None)


def _on_more_than(pages: int, shingles: Iterable[Numbers]) -> Numbers:
    """Shingles that more than so many pages have."""
    found = np.concatenate([_NONE, *shingles])
    found.sort()
    # Sorted, what stands that many places apart and is the same is there once more than that.
    return np.unique(found[pages:][found[pages:] == found[:-pages]])


_NONE: Numbers = np.empty(0, np.uint32)


def _inside(shingles: Numbers, known: Numbers) -> NDArray[np.bool_]:
    """Which shingles are among the known ones."""
    if not len(known):
        return np.zeros(len(shingles), np.bool_)
    places = np.minimum(np.searchsorted(known, shingles), len(known) - 1)
    return np.asarray(known[places] == shingles)


def _furniture(pages: Iterable[tuple[str, Numbers]]) -> dict[str, Numbers]:
    """By family, shingles on more than twelve of its pages; none for smaller families."""
    found: dict[str, list[Numbers]] = defaultdict(list)
    for family, shingles in pages:
        found[family].append(shingles)
    return {
        family: _on_more_than(_FURNITURE_PAGES, members)
        for family, members in found.items()
        if len(members) > _FURNITURE_PAGES
    }


def _pairs(pages: Mapping[str, tuple[str, Numbers]]) -> Iterator[Copy]:
    """Copies among pages given as key -> (family, shingles); keys in sorted order.

    Of a shingle that only one page has, nothing is remembered: most are such.
    """
    furniture = _furniture(pages.values())
    kept = {
        key: shingles[~_inside(shingles, furniture[family])] if family in furniture else shingles
        for key, (family, shingles) in pages.items()
    }
    families = {key: family for key, (family, _) in pages.items()}
    repeated = _on_more_than(1, kept.values())
    anchors: dict[int, list[str]] = defaultdict(list)
    for key in sorted(kept):
        shared: Counter[str] = Counter()
        for value in kept[key][_inside(kept[key], repeated)].tolist():
            known = anchors[value]
            shared.update(known)
            if len(known) < _ANCHORS:
                known.append(key)
        for other, count in sorted(shared.items()):
            smaller = min(len(kept[key]), len(kept[other]))
            if count < LEAST_SHARED or families[key] == families[other]:
                continue
            if count / smaller >= LEAST_CONTAINMENT:
                yield Copy(other, key, count / smaller, count)


def find_copies(pages: Mapping[str, tuple[str, str]]) -> tuple[Copy, ...]:
    """Copies among pages given as key -> (family, text), across families only, in key order.

    Of a text on very many families not every pair is listed, but always enough to join them.
    """
    read = {key: _shingles(family, text) for key, (family, text) in pages.items()}
    sampled = {key: (page.family, page.sampled) for key, page in read.items()}
    short = {key: (page.family, page.every) for key, page in read.items() if page.every is not None}
    found = {(copy.a, copy.b): copy for copy in _pairs(sampled)}
    for pair in [pair for pair in found if pair[0] in short and pair[1] in short]:
        del found[pair]
    found.update(((copy.a, copy.b), copy) for copy in _pairs(short))
    return tuple(found[pair] for pair in sorted(found))


def evidence_groups(keys: Iterable[str], copies: Iterable[Copy]) -> Mapping[str, str]:
    """Group of each page: the smallest key of its connected component of copies."""
    parent = {key: key for key in keys}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for copy in copies:
        first, second = sorted((root(copy.a), root(copy.b)))
        parent[second] = first
    return {key: root(key) for key in parent}


def known_original(members: Iterable[GroupMember]) -> str | None:
    """Key of the page a group was copied from; None where nothing says so, never a guess.

    The canonical that copies name decides; else the earliest date, if every member has one and no
    two share the earliest.
    """
    group = {member.key: member for member in members}
    roots = {_canonical_root(key, group) for key, member in group.items() if member.syndicated_from}
    if roots:
        return roots.pop() if len(roots) == 1 else None
    dated = [(member.published, key) for key, member in group.items() if member.published]
    if not dated or len(dated) < len(group):
        return None
    first = min(day for day, _ in dated)
    earliest = [key for day, key in dated if day == first]
    return earliest[0] if len(earliest) == 1 else None


def _canonical_root(key: str, group: Mapping[str, GroupMember]) -> str | None:
    """Where the chain of canonicals from a page ends; None in a circle or outside the group."""
    seen = {key}
    target = group[key].syndicated_from
    while target is not None:
        if target in seen or target not in group:
            return None
        seen.add(target)
        key, target = target, group[target].syndicated_from
    return key
