"""How engines, repeats and months relate: overlap, shared sources, bounded recall."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from monitor.domain.assessment import AssessedCapture, CitedPage
from monitor.domain.baseline import Baseline
from monitor.domain.engine import Access
from monitor.domain.score import Tally, Undefined
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.tallying import Scored, by_engine, engine_tallies
from monitor.report.view import BoundedView, OverlapView, SharedView
from monitor.scoring.bounded import (
    BoundedRecall,
    PoolCounts,
    Separation,
    higher_recall,
    pool,
    pooled_recall,
)
from monitor.scoring.overlaps import (
    family_overlap,
    panel_wide_overlap,
    repeat_overlap,
    shared_families,
    shared_groups,
)


def overlaps(after: Scored, before: Scored | None) -> tuple[OverlapView, ...]:
    """Overlap between repeats, between engines of one access, and between months.

    An engine that was reached in another way before has none with itself.
    """
    now = engine_tallies(after)
    then = engine_tallies(before) if before else {}
    months = [
        _overlap("months", engine, engine, then[engine], now[engine])
        for engine in now.keys() & then.keys()
        if before is not None and before.access[engine] is after.access[engine]
    ]
    return tuple(sorted((*run_overlaps(now, after.access), *months), key=_order))


def run_overlaps(
    now: Mapping[str, Sequence[Tally]], access: Mapping[str, Access]
) -> tuple[OverlapView, ...]:
    """Overlap of one run, by the tallies of its engines: of repeats, then of engines of a kind."""
    found = []
    for engine, tallies in now.items():
        one = repeat_overlap(tallies)
        found.append(OverlapView("repeats", engine, engine, one.mean, one.prompts))
    for a, b in combinations(now, 2):
        if access[a] is access[b]:
            found.append(_overlap("engines", a, b, now[a], now[b]))
    return tuple(found)


def _order(one: OverlapView) -> tuple[str, str, str]:
    return one.kind, one.a, one.b


def _overlap(
    kind: str, a: str, b: str, left: Sequence[Tally], right: Sequence[Tally]
) -> OverlapView:
    """Mean and panel-wide overlap of two samples."""
    one = family_overlap(left, right)
    return OverlapView(kind, a, b, one.mean, one.prompts, panel_wide_overlap(left, right))


def shared_sources(after: Scored) -> tuple[SharedView, ...]:
    """Families and copied texts that at least two engines of one access cite."""
    every = engine_tallies(after)
    return tuple(
        shared
        for access in Access
        for shared in _shared(
            after, {name: every[name] for name in every if after.access[name] is access}
        )
    )


def _shared(after: Scored, tallies: Mapping[str, Sequence[Tally]]) -> tuple[SharedView, ...]:
    """What at least two of some engines cite."""
    texts = {
        engine: [one for one in captures if one.pages]
        for engine, captures in by_engine(after).items()
        if engine in tallies
    }
    copied = {p.group for c in after.assessed for p in c.pages if p.group != p.page_key}
    families = shared_families(tallies)
    groups = {k: v for k, v in shared_groups(texts).items() if k in copied}
    cited = _cited_copies(after, texts)
    return (
        *(SharedView("family", key, engines) for key, engines in families.items()),
        *(
            SharedView(
                "evidence group",
                key,
                engines,
                tuple(sorted(page.page_key for page in cited[key].values())),
                tuple(sorted({page.family or page.page_key for page in cited[key].values()})),
            )
            for key, engines in groups.items()
        ),
    )


def _cited_copies(after: Scored, engines: Collection[str]) -> dict[str, dict[str, CitedPage]]:
    """Evidence group -> its cited pages by key, over some engines."""
    found: dict[str, dict[str, CitedPage]] = defaultdict(dict)
    for page in (page for one in after.assessed if one.engine in engines for page in one.pages):
        if page.group is not None:
            found[page.group].setdefault(page.page_key, page)
    return found


def bounded_recalls(after: Scored) -> tuple[BoundedView, ...]:
    """Bounded visible citation recall per engine; engines of one access pool their pages."""
    pooled = pools(after.assessed, after.access, after.baseline)
    return tuple(view for counts in pooled for view in recalls_of(counts))


Pool = Mapping[str, Sequence[PoolCounts]]
"""Engine -> its counts of every prompt, of engines that share one pool."""


def pools(
    assessed: Sequence[AssessedCapture], access: Mapping[str, Access], baseline: Baseline | None
) -> Iterator[Pool]:
    """What each engine cites of the pages that engines of its access cite together."""
    for kind in Access:
        yield _pooled([one for one in assessed if access[one.engine] is kind], baseline)


def _pooled(captures: Sequence[AssessedCapture], baseline: Baseline | None) -> Pool:
    prompts: dict[str, list[AssessedCapture]] = defaultdict(list)
    for one in captures:
        prompts[one.prompt.id].append(one)
    counts: dict[str, list[PoolCounts]] = defaultdict(list)
    for same in prompts.values():
        pooled = pool(same, baseline_for(baseline, same[0].prompt))
        if not isinstance(pooled, Undefined):
            for engine, part in pooled.items():
                counts[engine].append(part)
    return counts


def recalls_of(counts: Pool) -> list[BoundedView]:
    """Recalls of the engines that share one pool; none where it holds one engine's pages only."""
    if len(counts) == 1:
        return [BoundedView(e, None, None, None, None, (), is_alone=True) for e in counts]
    recalls = {engine: pooled_recall(parts) for engine, parts in sorted(counts.items())}
    return [_bounded(engine, one, recalls) for engine, one in recalls.items()]


def _bounded(engine: str, one: BoundedRecall, others: Mapping[str, BoundedRecall]) -> BoundedView:
    """One engine's recall and the engines it lies above for certain."""
    return BoundedView(
        engine=engine,
        bounds=one.bounds,
        point=one.point,
        judged_share=one.judged_share,
        widened=one.widened,
        higher_than=tuple(
            name
            for name, other in others.items()
            if name != engine and higher_recall(one, other) is Separation.A
        ),
    )
