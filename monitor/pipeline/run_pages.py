"""The pages of a run as assessing needs them: fetches, groups of copies, and texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from monitor.domain.page import FetchStatus
from monitor.domain.source import UrlIdentity
from monitor.errors import LostBytesError
from monitor.pipeline.bench import Bench
from monitor.pipeline.book import Evidence
from monitor.pipeline.counting import counted_page
from monitor.pipeline.removed import text_of
from monitor.store import pages, runs

_TEXTS = 2_000
"""Texts that are remembered: some ten kilobytes each, however many pages a run has."""


Moved = Mapping[str, Sequence[str]]
"""Page key -> cited pages of a run that count as this one and are another."""


@dataclass(frozen=True, slots=True)
class RunPages:
    """The pages of a run: fetches by cited key, evidence groups by page key, texts by hash."""

    fetches: Mapping[str, pages.StoredFetch]
    group_of: Mapping[str, pages.EvidenceGroup]
    texts: Mapping[str, Evidence]
    """Counted page key -> its text, for readable pages only."""
    places: Mapping[str, UrlIdentity]
    """Cited page key -> identity of the page it is counted as, where that is another one."""


def load_pages(bench: Bench, run: runs.Run) -> RunPages:
    """Fetches and groups of a run; texts are read when they are wanted, and some remembered."""
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id))
    groups = bench.read(lambda c: pages.load_groups(c, run.id))
    return _run_pages(partial(text_of, bench), fetches, groups, _places(bench, fetches))


def load_pages_of(bench: Bench, run: runs.Run, keys: Iterable[str], moved: Moved) -> RunPages:
    """The same for some cited pages alone: as the whole run has them, at the cost of these."""
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id, keys))
    counted = {_counted(key, place) for key, place in _places(bench, fetches).items()}
    alike = {one for key in (*fetches, *counted) for one in (key, *moved.get(key, ()))}
    if alike - fetches.keys():
        fetches |= bench.read(lambda c: pages.load_fetches(c, run.id, alike - fetches.keys()))
    places = _places(bench, fetches)
    wanted = {*keys, *fetches, *(_counted(key, place) for key, place in places.items())}
    groups = bench.read(lambda c: pages.load_groups(c, run.id, wanted))
    return _run_pages(partial(_text_at_hand, bench), fetches, groups, places)


def _text_at_hand(bench: Bench, sha256: str) -> str | None:
    """A page's text; None where it is not to be had, for whatever reason."""
    try:
        return text_of(bench, sha256)
    except LostBytesError:
        return None


def moved_pages(bench: Bench, run_id: int) -> Moved:
    """Which cited pages of a run count as another one each."""
    found: dict[str, list[str]] = {}
    fetches = bench.read(lambda c: pages.load_moved(c, run_id))
    for key, place in _places(bench, fetches).items():
        found.setdefault(_counted(key, place), []).append(key)
    return {counted: tuple(keys) for counted, keys in found.items()}


def _places(bench: Bench, fetches: Mapping[str, pages.StoredFetch]) -> dict[str, UrlIdentity]:
    """Cited page key -> identity of the page it counts as, where that is another one."""
    places = ((key, counted_page(bench, key, fetch)) for key, fetch in fetches.items())
    return {key: place for key, place in places if place is not None}


def _counted(key: str, place: UrlIdentity | None) -> str:
    """Key that a cited page counts under."""
    return place.page_key if place and place.page_key else key


def _run_pages(
    text: Callable[[str], str | None],
    fetches: Mapping[str, pages.StoredFetch],
    groups: Sequence[pages.EvidenceGroup],
    places: Mapping[str, UrlIdentity],
) -> RunPages:
    read = lru_cache(_TEXTS)(text)
    texts: dict[str, Evidence] = {}
    for key in sorted(fetches):
        fetch = fetches[key]
        if fetch.text_sha256 is not None and fetch.fetched.status is FetchStatus.OK:
            texts.setdefault(_counted(key, places.get(key)), Evidence(fetch.text_sha256, read))
    return RunPages(fetches, {key: g for g in groups for key in g.pages}, texts, places)
