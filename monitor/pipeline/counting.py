"""Which page a citation counts as, once its page was fetched."""

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
