"""Citations of one answer -> the pages that count, each once, with what is known of them."""

from collections.abc import Iterable
from dataclasses import replace

from monitor.domain.assessment import CitedPage
from monitor.domain.engine import ROLE_ORDER, VISIBLE, Role
from monitor.domain.page import FetchStatus
from monitor.domain.source import UrlIdentity
from monitor.pipeline.bench import Bench
from monitor.pipeline.counting import mapped
from monitor.pipeline.run_pages import RunPages
from monitor.store import citations


def visible_pages(
    bench: Bench, stored: citations.StoredReading, run_pages: RunPages
) -> tuple[CitedPage, ...]:
    """Pages that an answer cites visibly, each once."""
    cited = zip(stored.reading.citations, mapped(bench, stored.identities), strict=True)
    return cited_pages(
        (
            (index, one.role, one.marks, bool(one.spans), identity)
            for index, (one, identity) in enumerate(cited)
            if one.role in VISIBLE
        ),
        run_pages,
    )


def cited_pages(
    rows: Iterable[tuple[int, Role, int, bool, UrlIdentity]], run_pages: RunPages
) -> tuple[CitedPage, ...]:
    """One counted citation per page: marks add up, the strongest role wins."""
    made: dict[str, CitedPage] = {}
    for index, role, marks, has_span, identity in rows:
        key, page = _page(identity, run_pages)
        before = made.get(key)
        if before is None:
            made[key] = replace(page, role=role, marks=marks, citations=(index,), has_span=has_span)
            continue
        made[key] = replace(
            before,
            role=min(before.role, role, key=ROLE_ORDER.index),
            marks=before.marks + marks,
            citations=(*before.citations, index),
            has_span=before.has_span or has_span,
            fetch_status=FetchStatus.OK if page.readable else before.fetch_status,
        )
    return tuple(made.values())


def _page(identity: UrlIdentity, run_pages: RunPages) -> tuple[str, CitedPage]:
    """Counted page of one citation, before its role and marks are known."""
    cited = identity.page_key or identity.raw
    fetch = run_pages.fetches.get(cited)
    place = run_pages.places.get(cited, identity)
    key = place.page_key or cited
    group = run_pages.group_of.get(key)
    original = None
    if group is not None and group.original is not None:
        original = group.original == key
    return key, CitedPage(
        page_key=key,
        clean_url=identity.clean_url,
        family=place.family,
        unit=place.unit,
        role=Role.DISPLAYED,
        marks=0,
        citations=(),
        has_span=False,
        group=group.key if group else key,
        group_original=original,
        fetch_status=fetch.fetched.status if fetch else None,
    )
