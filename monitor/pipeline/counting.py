"""Which page a citation counts as, once its page was fetched."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from monitor.domain.page import FetchStatus
from monitor.domain.source import UrlIdentity
from monitor.pipeline.bench import Bench
from monitor.store import pages


def counted_page(bench: Bench, cited: str, fetch: pages.StoredFetch) -> UrlIdentity | None:
    """Identity a cited page counts under where it is not its own.

    The guarded rel=canonical decides. Without one, a redirect to another publisher does: a short
    link is not a source. A redirect to a home page does not: that is how dead articles end.
    """
    canonical = fetch.about.page_key if fetch.about else None
    if canonical is not None:
        return bench.identify(canonical) if canonical != cited else None
    final = fetch.fetched.final_url
    if fetch.fetched.status is not FetchStatus.OK or final is None:
        return None
    place = bench.identify(final)
    is_home = place.page_key is not None and place.page_key.count("/") <= 3
    moved = place.family not in {None, bench.identify(cited).family}
    return place if moved and not is_home else None


def mapped(bench: Bench, identities: Sequence[UrlIdentity]) -> Iterator[UrlIdentity]:
    """Stored identities with family and unit by the family map of now.

    A reading keeps those of the map it was parsed under, and scores name the map of now.
    """
    for one in identities:
        now = bench.identify(one.page_key) if one.page_key is not None else one
        if now.page_key == one.page_key and (now.family, now.unit) != (one.family, one.unit):
            yield replace(one, family=now.family, unit=now.unit)
        else:
            yield one
