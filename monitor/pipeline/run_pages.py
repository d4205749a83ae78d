"""The pages of a run as assessing needs them: fetches, groups of copies, and texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from monitor.domain.page import FetchStatus
from monitor.domain.source import UrlIdentity
from monitor.pipeline.bench import Bench
from monitor.pipeline.book import Evidence
from monitor.pipeline.counting import counted_page
from monitor.pipeline.removed import text_of
from monitor.store import pages, runs

_TEXTS = 2_000
"""Texts that are remembered: some ten kilobytes each, however many pages a run has."""


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
    read = lru_cache(_TEXTS)(partial(text_of, bench))
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id))
    groups = bench.read(lambda c: pages.load_groups(c, run.id))
    texts: dict[str, Evidence] = {}
    places = {
        key: place
        for key, fetch in fetches.items()
        if (place := counted_page(bench, key, fetch)) is not None
    }
    for key in sorted(fetches):
        fetch = fetches[key]
        if fetch.text_sha256 is not None and fetch.fetched.status is FetchStatus.OK:
            place = places.get(key)
            counted = place.page_key if place and place.page_key else key
            texts.setdefault(counted, Evidence(fetch.text_sha256, read))
    return RunPages(fetches, {key: g for g in groups for key in g.pages}, texts, places)
