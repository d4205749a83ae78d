"""Source measures: which visible citations the baseline accepts, and which it wanted.

A page meets at most one baseline source: the most specific match (page, then unit, then family)
decides its grade and what it satisfies, so an out_of_scope page never satisfies a family item.
A known copy keeps the grade of its match but satisfies no unit or family item, unless its
original is seen in the same capture in the same family: a copy is no evidence of the publisher
that repeats it. The very page that an item names always satisfies it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from monitor.domain.assessment import AssessedCapture, CitedPage
from monitor.domain.baseline import BaselineSource, Match, PromptBaseline
from monitor.domain.claim import NotAssessable
from monitor.domain.engine import Retrieval
from monitor.domain.score import Measured, Rate, Undefined, UndefinedReason
from monitor.domain.source import Grade

PRECISE = frozenset({Grade.REQUIRED, Grade.ACCEPTABLE, Grade.OPTIONAL})
"""Grades that count as hits in source precision and as relevant in pooled recall."""

WANTED = frozenset({Grade.REQUIRED, Grade.ACCEPTABLE})
"""Grades whose sources can meet a baseline claim in acceptable-set recall."""

NOT_EXPOSED = Undefined(UndefinedReason.NOT_EXPOSED)
NO_REQUIRED = Undefined(UndefinedReason.NO_REQUIRED)
NO_VISIBLE = Undefined(UndefinedReason.NO_VISIBLE)


def _key(page: CitedPage, match: Match) -> str | None:
    """What of a page is compared at a match level."""
    keys = {Match.PAGE: page.page_key, Match.UNIT: page.unit, Match.FAMILY: page.family}
    return keys[match]


def best_match(page: CitedPage, sources: Iterable[BaselineSource]) -> BaselineSource | None:
    """Baseline source that most specifically matches a page; the first one among equals."""
    order = (Match.PAGE, Match.UNIT, Match.FAMILY)
    met = [s for s in sources if s.key == _key(page, s.match)]
    return min(met, key=lambda s: order.index(s.match), default=None)


def grade_of(page: CitedPage, sources: Iterable[BaselineSource]) -> Grade:
    """Grade of a page's best match; ungraded without one."""
    met = best_match(page, sources)
    return met.grade if met else Grade.UNGRADED


def ungraded_reason(page: CitedPage) -> str:
    """Why a page has no grade: `unresolved` where its family is unknown, else `ungraded`."""
    reason = NotAssessable.UNRESOLVED if page.family is None else NotAssessable.UNGRADED
    return reason.value


def grade_counts(pages: Iterable[CitedPage], baseline: PromptBaseline) -> Mapping[Grade, int]:
    """Pages per grade; grades that no page has are absent."""
    return Counter(grade_of(page, baseline.sources) for page in pages)


def independent_pages(pages: Sequence[CitedPage]) -> tuple[CitedPage, ...]:
    """One page per evidence group: its original where cited, else the first cited."""
    chosen: dict[str, CitedPage] = {}
    for page in pages:
        held = chosen.get(page.group)
        if held is None or (page.group_original and not held.group_original):
            chosen[page.group] = page
    return tuple(chosen.values())


def _is_copy_of_others(page: CitedPage, seen: Iterable[CitedPage]) -> bool:
    """Whether a known copy lacks an original of its own family among the pages seen."""
    if page.group_original is not False:
        return False
    return not any(
        other.group == page.group and other.group_original and other.family == page.family
        for other in seen
    )


def satisfied_sources(
    pages: Iterable[CitedPage], sources: Sequence[BaselineSource], seen: Sequence[CitedPage]
) -> frozenset[int]:
    """Indexes of the baseline sources that `pages` meet; `seen` tells copies from originals."""
    met: set[int] = set()
    for page in pages:
        best = best_match(page, sources)
        if best is None:
            continue
        if best.match is Match.PAGE or not _is_copy_of_others(page, seen):
            met.add(sources.index(best))
    return frozenset(met)


def cited_sources(capture: AssessedCapture, baseline: PromptBaseline) -> frozenset[int]:
    """Indexes of the baseline sources that a capture cites visibly, as every recall counts them."""
    seen = (*capture.pages, *capture.retrieved)
    return satisfied_sources(capture.pages, baseline.sources, seen)


def is_absence_a_miss(capture: AssessedCapture) -> bool:
    """Whether citing nothing tells something: sources are shown here and a search was made."""
    return capture.shows_citations and capture.retrieval is Retrieval.USED


def source_precision(pages: Sequence[CitedPage], baseline: PromptBaseline) -> Measured:
    """Visible citations graded required, acceptable or optional / visible citations graded.

    Ungraded and unresolved pages are not assessable. Undefined(no_visible) without pages.
    """
    if not pages:
        return NO_VISIBLE
    return sum((_graded(page, baseline.sources) for page in pages), Rate(0, 0))


def _graded(page: CitedPage, sources: Sequence[BaselineSource]) -> Rate:
    """One page as a hit, a miss or not assessable."""
    grade = grade_of(page, sources)
    if grade is Grade.UNGRADED:
        return Rate(0, 0, {ungraded_reason(page): 1})
    return Rate(int(grade in PRECISE), 1)


def required_source_recall(capture: AssessedCapture, baseline: PromptBaseline) -> Measured:
    """Required baseline sources cited visibly / required baseline sources.

    Unresolved = required sources not found while the capture has unresolved citations, at most
    as many as those. Without any visible citation they are missing where the surface shows
    citations and a search was made, else not_assessable(no_citations).
    """
    wanted = _graded_indexes(baseline, {Grade.REQUIRED})
    if not wanted:
        return NO_REQUIRED
    found = len(wanted & cited_sources(capture, baseline))
    open_pages = _unresolved(capture.pages, baseline)
    return _recall(capture, found, len(wanted), min(open_pages, len(wanted) - found))


def required_sources(capture: AssessedCapture, baseline: PromptBaseline) -> Mapping[str, Rate]:
    """Key of each required baseline source -> whether this capture cites it visibly.

    The parts of `required_source_recall`: 1 of 1, 0 of 1, or not assessable where an unresolved
    citation may be it, or where citing nothing tells nothing.
    """
    cited = cited_sources(capture, baseline)
    absent = _absent(capture, baseline)
    return {
        baseline.sources[index].key: Rate(1, 1) if index in cited else absent
        for index in sorted(_graded_indexes(baseline, {Grade.REQUIRED}))
    }


def _absent(capture: AssessedCapture, baseline: PromptBaseline) -> Rate:
    """What is said of a source that was not found among a capture's citations."""
    if not capture.pages and not is_absence_a_miss(capture):
        return Rate(0, 0, {NotAssessable.NO_CITATIONS.value: 1})
    if _unresolved(capture.pages, baseline):
        return Rate(0, 0, {NotAssessable.UNRESOLVED.value: 1})
    return Rate(0, 1)


def _graded_indexes(baseline: PromptBaseline, grades: Collection[Grade]) -> frozenset[int]:
    return frozenset(i for i, source in enumerate(baseline.sources) if source.grade in grades)


def _unresolved(pages: Iterable[CitedPage], baseline: PromptBaseline) -> int:
    """Pages of unknown family that match nothing either."""
    return sum(p.family is None and best_match(p, baseline.sources) is None for p in pages)


def _recall(capture: AssessedCapture, found: int, total: int, unresolved: int) -> Rate:
    """Found of all, with the unresolved ones or a silent surface taken out."""
    if not capture.pages and not is_absence_a_miss(capture):
        return Rate(0, 0, {NotAssessable.NO_CITATIONS.value: total})
    reasons = {NotAssessable.UNRESOLVED.value: unresolved} if unresolved else {}
    return Rate(found, total - unresolved, reasons)


def acceptable_set_recall(capture: AssessedCapture, baseline: PromptBaseline) -> Measured:
    """Baseline claims with a required or acceptable source cited / claims that have one.

    Ten interchangeable pages are one obligation. A claim not met is unresolved while unresolved
    citations could be its source: each of them can be one source and meet that source's claims.
    """
    ids = {claim.id for claim in baseline.claims}
    supports = {
        index: ids & set(baseline.sources[index].supports)
        for index in _graded_indexes(baseline, WANTED)
    }
    total = set().union(*supports.values()) if supports else set()
    if not total:
        return NO_REQUIRED
    met = cited_sources(capture, baseline)
    found = set().union(*(claims for index, claims in supports.items() if index in met))
    reach = sorted((len(claims - found) for claims in supports.values()), reverse=True)
    unresolved = sum(reach[: _unresolved(capture.pages, baseline)])
    return _recall(capture, len(found), len(total), min(unresolved, len(total - found)))


def retrieved_source_recall(capture: AssessedCapture, baseline: PromptBaseline) -> Measured:
    """Required baseline sources among everything searched / required baseline sources.

    Undefined(not_exposed) where the payload does not tell what was searched; not assessable
    where no search is known to have been made.
    """
    if not capture.exposes_retrieved:
        return NOT_EXPOSED
    wanted = _graded_indexes(baseline, {Grade.REQUIRED})
    if not wanted:
        return NO_REQUIRED
    if not capture.retrieved and capture.retrieval is not Retrieval.USED:
        return Rate(0, 0, {NotAssessable.NO_CITATIONS.value: len(wanted)})
    seen = (*capture.pages, *capture.retrieved)
    found = len(wanted & satisfied_sources(capture.retrieved, baseline.sources, seen))
    open_pages = min(_unresolved(capture.retrieved, baseline), len(wanted) - found)
    reasons = {NotAssessable.UNRESOLVED.value: open_pages} if open_pages else {}
    return Rate(found, len(wanted) - open_pages, reasons)


def selection_rate(capture: AssessedCapture, eligible: Collection[str]) -> Measured:
    """Retrieved eligible pages that are visibly cited / retrieved eligible pages.

    `eligible` holds the page keys that the engine's crawler may fetch and read.
    """
    if not capture.exposes_retrieved:
        return NOT_EXPOSED
    searched = {page.page_key for page in capture.retrieved} & set(eligible)
    return Rate(len(searched & {page.page_key for page in capture.pages}), len(searched))
