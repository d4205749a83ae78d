"""Fetched pages -> which of them are copies of one another, and the evidence groups they form."""

from collections.abc import Iterator, Mapping

from monitor.domain.page import Copy, PageText
from monitor.pages.copies import GroupMember, evidence_groups, find_copies, known_original
from monitor.pages.text import PAGES_VERSION
from monitor.pipeline.bench import Bench
from monitor.pipeline.counting import counted_page
from monitor.pipeline.removed import text_of
from monitor.store import pages, runs


def group_run(bench: Bench, run: runs.Run) -> int:
    """Find copied pages among a run's fetches and store the evidence groups.

    Where retention removed a text, the groups stay that were found while it was there.
    """
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id))
    places: dict[str, tuple[str, str]] = {}
    about: dict[str, PageText] = {}
    for page_key in sorted(fetches):
        stored = fetches[page_key]
        if stored.text_sha256 is None or stored.about is None:
            continue
        place = counted_page(bench, page_key, stored)
        key = place.page_key if place and place.page_key else page_key
        family = bench.identify(key).family or key
        places.setdefault(key, (family, stored.text_sha256))
        about.setdefault(key, stored.about)
    try:
        copies: tuple[Copy, ...] = find_copies(_Texts(bench, places))
    except _RemovedError:
        return 0
    groups: dict[str, list[str]] = {}
    for key, group in evidence_groups(tuple(places), copies).items():
        groups.setdefault(group, []).append(key)
    stored_groups = tuple(
        pages.EvidenceGroup(
            key=group,
            pages=tuple(sorted(members)),
            original=known_original(_member(bench, key, about[key]) for key in members),
        )
        for group, members in sorted(groups.items())
        if len(members) > 1
    )
    bench.write(
        lambda c: pages.save_groups(c, run.id, stored_groups, copies, version=PAGES_VERSION)
    )
    return len(stored_groups)


class _RemovedError(Exception):
    """Retention removed a text."""


class _Texts(Mapping[str, tuple[str, str]]):
    """Page key -> its family and its text, which is read when it is looked at and not kept."""

    def __init__(self, bench: Bench, places: Mapping[str, tuple[str, str]]) -> None:
        """`places` are the family and the hash of the text of each page."""
        self._bench = bench
        self._places = places

    def __getitem__(self, page_key: str) -> tuple[str, str]:
        """Family and text of a page."""
        family, sha256 = self._places[page_key]
        text = text_of(self._bench, sha256)
        if text is None:
            raise _RemovedError
        return family, text

    def __iter__(self) -> Iterator[str]:
        """Keys, in order."""
        return iter(self._places)

    def __len__(self) -> int:
        """How many pages there are."""
        return len(self._places)


def _member(bench: Bench, key: str, about: PageText) -> GroupMember:
    """What a page says about where its text comes from."""
    source = bench.identify(about.syndicated_from).page_key if about.syndicated_from else None
    return GroupMember(key, about.published, source)
