"""A run's own counts for measures that no scorecard has: overlap and visible citation recall."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

from monitor.domain.assessment import AssessedCapture
from monitor.domain.engine import Access, Outcome
from monitor.domain.locale import LocaleState
from monitor.domain.score import Tally
from monitor.pipeline.assessing import bare_capture
from monitor.pipeline.bench import Bench
from monitor.pipeline.cited import visible_pages
from monitor.pipeline.relations import Pool, pools, recalls_of, run_overlaps
from monitor.pipeline.run_pages import load_pages
from monitor.pipeline.stored_view import view_baseline
from monitor.report.screens.measure_examples import AnswerPair, OverlapExample, RecallExample
from monitor.report.view import BoundedView, OverlapView, ReportView
from monitor.scoring.bounded import PoolCounts
from monitor.scoring.shares import by_prompt
from monitor.store import captures, citations, run_captures, runs

Tallies = Mapping[str, Sequence[Tally]]
"""Engine -> counts of its captures."""


def overlap_examples(bench: Bench, run: runs.Run, view: ReportView) -> tuple[OverlapExample, ...]:
    """Overlap of repeats and of engines, from the stored tallies of a view."""
    asked = bench.read(lambda c: run_captures.engines_of(c, run.id))
    now: dict[str, list[Tally]] = {one.name: [] for one in view.engines}
    for capture, tally in view.tallies.items():
        if asked.get(capture) in now:
            now[asked[capture]].append(tally)
    found = run_overlaps(now, _access(view))
    return tuple(OverlapExample(one, _first_pair(one, now)) for one in found)


def _access(view: ReportView) -> dict[str, Access]:
    return {one.name: one.access for one in view.engines}


def _first_pair(one: OverlapView, now: Tallies) -> AnswerPair | None:
    """The first two answers to one prompt of which one cites a family."""
    for prompt, a, b in _pairs(one, now):
        either = a.cited_families | b.cited_families
        if either:
            both = a.cited_families & b.cited_families
            return AnswerPair(prompt, (a.repeat, b.repeat), len(both), len(either))
    return None


def _pairs(one: OverlapView, now: Tallies) -> Iterator[tuple[str, Tally, Tally]]:
    left, right = by_prompt(now[one.a]), by_prompt(now[one.b])
    for prompt in left:
        if one.kind == "repeats":
            yield from ((prompt, *pair) for pair in combinations(left[prompt], 2))
        else:
            yield from ((prompt, *pair) for pair in product(left[prompt], right.get(prompt, ())))


def recall_examples(bench: Bench, run: runs.Run, view: ReportView) -> tuple[RecallExample, ...]:
    """Visible citation recall of a run's engines, from what they cite and the view's baseline."""
    baseline = bench.read(lambda c: view_baseline(c, view))
    access = _access(view)
    cited = [one for one in _citing(bench, run) if one.engine in access]
    pooled = pools(cited, access, baseline)
    return tuple(_recall(one, counts) for counts in pooled for one in recalls_of(counts))


def _citing(bench: Bench, run: runs.Run) -> Iterator[AssessedCapture]:
    """Captures of a run with what they cite; no statement of theirs is judged."""
    readings = bench.read(lambda c: citations.load_readings(c, run.id))
    pages = load_pages(bench, run)
    for capture in bench.read(lambda c: captures.load_captures(c, run.id)):
        stored = readings.get(capture.id)
        if stored is None or capture.locale_state is LocaleState.CONTRADICTED:
            continue
        bare = bare_capture(capture, stored)
        answered = bare.outcome is Outcome.ANSWERED
        yield replace(bare, pages=visible_pages(bench, stored, pages)) if answered else bare


def _recall(one: BoundedView, counts: Pool) -> RecallExample:
    total = sum(counts[one.engine], PoolCounts())
    return RecallExample(
        one,
        total.relevant_cited,
        total.unresolved_cited,
        total.relevant_elsewhere,
        total.unresolved_elsewhere,
    )
