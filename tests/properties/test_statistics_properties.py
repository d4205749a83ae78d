"""What holds of intervals, tests and comparisons whatever the counts are."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from monitor import statistics
from monitor.changes import compare
from monitor.domain.change import ChangeRules
from monitor.domain.score import Rate
from monitor.scoring import measure
from monitor.scoring.shares import family_shares
from tests.assessed import tally

QUICK = settings(max_examples=60, deadline=None)
totals = st.lists(st.integers(1, 30), min_size=2, max_size=30)


def months(before, after, **options):
    names = {"engine": "alpha", "panel_version": "p@1", "before_id": "A", "after_id": "B"}
    return compare(before, after, **(names | options))


@QUICK
@given(totals)
def test_nothing_of_something_has_an_upper_end_above_zero(n):
    none = statistics.clustered_interval(np.zeros(len(n)), n)
    assert none.interval.low == 0 < none.interval.high < 1
    every = statistics.clustered_interval(n, n)
    assert 0 < every.interval.low < every.interval.high == 1


@pytest.mark.parametrize("trials", [1, 5, 10, 1_000])
def test_no_hit_in_independent_trials_has_an_upper_end_above_zero(trials):
    assert statistics.wilson_interval(0, trials).high > 0
    assert statistics.wilson_interval(trials, trials).low < 1


def repeated(hits, repeats, prompts=12):
    """Prompts answered so often; in so many of the answers the measure is met, and `a` cited."""
    return [
        tally(
            f"p{p:02}",
            {"a" if r < hits else "b": 1},
            repeat=r + 1,
            measures={"met": Rate(int(r < hits), 1)},
        )
        for p in range(prompts)
        for r in range(repeats)
    ]


@QUICK
@given(st.integers(0, 5), st.integers(1, 5))
def test_one_of_five_repeats_is_a_fifth_at_every_place(hits, repeats):
    assume(hits <= repeats)
    sample = repeated(hits, repeats)
    got = months(sample, sample)
    share = {f.family: f.rate.value for f in family_shares(sample)}.get("a", 0)
    change = next((c for c in got.families if c.name == "a"), None)
    values = [measure(sample, "met").rate.value, share, got.measures[0].before.pooled.value]
    values += [got.measures[0].before.share]
    values += [change.before.share, change.before.pooled.value] if change else []
    assert values == pytest.approx([hits / repeats] * len(values))


counts = st.integers(0, 6)
pairs = st.lists(st.tuples(counts, counts, counts, counts), min_size=3, max_size=9)


def columns(rows):
    """x and n of both months: hits, and hits with misses."""
    a, b, c, d = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assume((a + b).sum() > 0)
    assume((c + d).sum() > 0)
    return a, a + b, c, c + d


@QUICK
@given(pairs)
def test_swapped_months_turn_the_change_round_and_keep_p(rows):
    xa, na, xb, nb = columns(rows)
    there = statistics.paired_change(xa, na, xb, nb, seed=1)
    back = statistics.paired_change(xb, nb, xa, na, seed=1)
    assert there.difference[0] == pytest.approx(-back.difference[0])
    assert there.p_value[0] == back.p_value[0]


@QUICK
@given(pairs)
def test_a_share_and_its_complement_get_the_same_p(rows):
    xa, na, xb, nb = columns(rows)
    share = statistics.paired_change(xa, na, xb, nb, seed=1)
    complement = statistics.paired_change(na - xa, na, nb - xb, nb, seed=1)
    assert share.p_value[0] == pytest.approx(complement.p_value[0])
    assert share.standard_error[0] == pytest.approx(complement.standard_error[0])


@QUICK
@given(pairs, st.sampled_from([2, 3, 10]))
def test_more_answers_of_the_same_kind_change_no_p(rows, volume):
    xa, na, xb, nb = columns(rows)
    once = statistics.paired_change(xa, na, xb, nb, seed=1)
    more = statistics.paired_change(xa, na, volume * xb, volume * nb, seed=1)
    assert once.p_value[0] == pytest.approx(more.p_value[0])


@QUICK
@given(pairs)
def test_an_exact_p_is_at_least_that_of_the_months_as_they_are_and_all_swapped(rows):
    xa, na, xb, nb = columns(rows)
    got = statistics.paired_change(xa, na, xb, nb, seed=1)
    assert 2 / 2 ** len(rows) <= got.p_value[0] <= 1


def drawn(seed, prompts=30):
    rng = np.random.default_rng(seed)
    return [
        tally(
            f"p{p:02}",
            {f"f{n}": int(c) for n, c in enumerate(rng.poisson(2, 4)) if c},
            repeat=r,
            measures={"met": Rate(int(rng.integers(0, 4)), 3)},
        )
        for p in range(prompts)
        for r in (1, 2)
    ]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.randoms(use_true_random=False))
def test_the_order_of_captures_changes_no_number(seed, shuffler):
    rules = ChangeRules(resamples=199, bootstraps=50)
    before, after = drawn(seed), drawn(seed + 1)
    first = months(before, after, rules=rules)
    for side in (before, after):
        shuffler.shuffle(side)
    second = months(before, after, rules=rules)
    assert [c.test.p_value for c in first.families] == [c.test.p_value for c in second.families]
    assert [c.name for c in first.families] == [c.name for c in second.families]
    assert first.concentration.test.p_value == pytest.approx(second.concentration.test.p_value)
    assert first.stability.interval.low == pytest.approx(second.stability.interval.low)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99))
def test_the_same_comparison_has_the_same_p_and_another_has_not(seed):
    before, after = drawn(seed), drawn(seed + 1)
    first, again = months(before, after), months(before, after)
    assert first == again
    assert months(before, after, before_id="Z").seed != first.seed
