"""Bounded recall, closed and pooled, by hand."""

from monitor.domain.engine import Outcome
from monitor.domain.score import Bounds, Rate, Undefined, UndefinedReason
from monitor.domain.source import Grade
from monitor.scoring import (
    BoundedRecall,
    PoolCounts,
    closed_recall,
    higher_recall,
    pool,
    pooled_recall,
)
from tests.assessed import baseline, capture, page, source

WANTED = baseline(
    [source(f"{n}.example") for n in "abc"] + [source("x.example", Grade.OUT_OF_SCOPE)]
)


def pages(*names):
    return [page(f"{name}.example/1") for name in names]


def test_closed_recall_lies_between_its_bounds():
    # found 3, missing 1, unresolved 2: 3/6 .. 5/6, judged only 3/4, judged share 4/6 < 70 %
    got = closed_recall([Rate(2, 2, {"pending": 1}), Rate(1, 2, {"paywalled": 1})])
    assert got.bounds == Bounds(3 / 6, 5 / 6)
    assert (got.judged_only, got.judged_share) == (0.75, 4 / 6)
    assert got.point is None


def test_point_is_shown_from_seventy_percent_judged():
    assert closed_recall([Rate(3, 7, {"pending": 3})]).point == 3 / 7
    assert closed_recall([]).bounds is None


def test_pool_counts_a_page_once_over_repeats():
    # pool a b c u x; alpha cites a u x, beta a b c
    captures = [
        capture(pages("a", "u")), capture(pages("a", "x"), repeat=2),
        capture(pages("a", "b", "c"), engine="beta"),
        capture(pages("z"), engine="gamma", outcome=Outcome.TRUNCATED),
    ]  # fmt: skip
    got = pool(captures, WANTED)
    assert got == {"alpha": PoolCounts(1, 1, 2, 0, 1), "beta": PoolCounts(3, 0, 0, 1, 1)}


def test_pooled_recall_bounds_by_hand():
    # Rc 1, Uc 1, Re 2, Ue 0: lower 1/3, upper 2/4; judged 4 of 5 pages
    got = pooled_recall([PoolCounts(1, 1, 2, 0, 1)])
    assert got.bounds == Bounds(1 / 3, 2 / 4)
    assert (got.judged_only, got.judged_share, got.widened) == (1 / 3, 4 / 5, None)


def test_pool_without_a_relevant_page_is_undetermined():
    got = pooled_recall([PoolCounts(0, 3, 0, 2)])
    assert (got.bounds, got.judged_only, got.point) == (None, None, None)


def test_pool_needs_a_baseline_and_an_answer():
    stale = Undefined(UndefinedReason.BASELINE_STALE)
    assert pool([capture(pages("a"))], stale) == stale
    assert pool([], WANTED) == Undefined(UndefinedReason.NO_ANSWERED)


def test_engines_differ_only_outside_widened_bounds():
    high = pooled_recall([PoolCounts(9, 0, 1, 0)] * 30)
    low = pooled_recall([PoolCounts(2, 0, 8, 0)] * 30)
    near = pooled_recall([PoolCounts(8, 0, 2, 0)] * 15 + [PoolCounts(9, 0, 1, 0)] * 15)
    assert (higher_recall(high, low), higher_recall(low, high)) == ("a", "b")
    assert higher_recall(high, near) == "not separated"


def test_few_prompts_separate_nothing():
    high = BoundedRecall(Bounds(0.9, 0.9), 0.9, 1.0)
    low = BoundedRecall(Bounds(0.1, 0.1), 0.1, 1.0)
    assert higher_recall(high, low) == "not separated"
