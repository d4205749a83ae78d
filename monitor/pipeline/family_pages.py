"""Pages of one source family that captures cite, as scoring counts them."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.assessment import CitedPage
from monitor.domain.score import UNRESOLVED_FAMILY
from monitor.pipeline.bench import Bench
from monitor.pipeline.cited import cited_pages
from monitor.pipeline.counting import mapped
from monitor.pipeline.run_pages import RunPages, load_pages_of
from monitor.store import run_captures, runs


@dataclass(frozen=True, slots=True)
class FamilyPage:
    """A counted page, by the address and the title that a capture shows."""

    url: str
    title: str
    cited: CitedPage
    """What scoring knows of it."""


def family_pages(
    bench: Bench, run: runs.Run, capture_ids: Sequence[int], family: str
) -> dict[int, tuple[FamilyPage, ...]]:
    """Pages of a family by capture id; captures that cite none of it are left out."""
    cited = bench.read(lambda c: run_captures.visible_citations(c, capture_ids))
    keys = {one.identity.page_key for every in cited.values() for one in every}
    pages = load_pages_of(bench, run, [key for key in keys if key is not None], {})
    found = {one: _pages(bench, every, pages, family) for one, every in cited.items()}
    return {one: mine for one, mine in found.items() if mine}


def _pages(
    bench: Bench, every: Sequence[run_captures.Cited], pages: RunPages, family: str
) -> tuple[FamilyPage, ...]:
    identities = mapped(bench, [one.identity for one in every])
    rows = (
        (place, one.role, one.marks, False, identity)
        for place, (one, identity) in enumerate(zip(every, identities, strict=True))
    )
    return tuple(
        FamilyPage(page.clean_url or page.page_key, every[page.citations[0]].title or "", page)
        for page in cited_pages(rows, pages)
        if (page.family or UNRESOLVED_FAMILY) == family
    )
