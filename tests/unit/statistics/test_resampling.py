"""Bootstrap over prompts against scipy, exact enumeration and hand computation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from monitor.domain.estimate import NoEstimate
from monitor.statistics import ClusterDraws, resampled_difference, resampled_mean


def ends(found):
    return found.interval.low, found.interval.high


def drawn(draws):
    return np.vstack(list(draws.weights()))


def overlaps(prompts, seed):
    return np.random.default_rng(seed).beta(2, 3, prompts)


def test_every_row_of_weights_draws_as_many_prompts_as_there_are():
    weights = drawn(ClusterDraws(7, 1, 50))
    assert weights.shape == (50, 7)
    assert set(weights.sum(axis=1)) == {7}


def test_plain_percentiles_of_a_mean_agree_with_scipy():
    values = overlaps(60, 1)
    got = resampled_mean(values, np.ones(60), ClusterDraws(60, 1, 20_000), expanded=False)
    oracle = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert got.value == pytest.approx(values.mean())
    assert ends(got) == pytest.approx((oracle.low, oracle.high), abs=0.003)


def test_plain_percentiles_of_a_paired_difference_agree_with_scipy():
    before = overlaps(50, 3)
    after = np.clip(before + np.random.default_rng(4).normal(0.05, 0.1, 50), 0, 1)
    one = np.ones(50)
    got = resampled_difference(
        (before, one), (after, one), ClusterDraws(50, 1, 20_000), expanded=False
    )
    oracle = stats.bootstrap(
        (before, after), lambda a, b, axis: b.mean(axis=axis) - a.mean(axis=axis), paired=True,
        n_resamples=20_000, method="percentile", rng=np.random.default_rng(2),
    ).confidence_interval  # fmt: skip
    assert got.value == pytest.approx(after.mean() - before.mean())
    assert ends(got) == pytest.approx((oracle.low, oracle.high), abs=0.003)


def test_pairing_makes_the_interval_of_a_difference_narrow():
    # every prompt moved by 0.1: whatever is drawn, the difference is 0.1
    before, one = overlaps(30, 5), np.ones(30)
    got = resampled_difference((before, one), (before + 0.1, one), ClusterDraws(30, 1))
    assert ends(got) == pytest.approx((0.1, 0.1))


def test_few_prompts_widen_the_percentiles():
    values, one, draws = overlaps(10, 6), np.ones(10), ClusterDraws(10, 1, 20_000)
    wide, plain = (
        resampled_mean(values, one, draws, expanded=choice).interval for choice in (True, False)
    )
    assert wide.low < plain.low < plain.high < wide.high
    # expanded: the tail below -sqrt(10/9) t(0.975, 9) of a normal, 0.86 %
    reach = np.sqrt(10 / 9) * stats.t.ppf(0.975, 9)
    means = drawn(draws) @ values / 10
    assert wide.low == pytest.approx(np.quantile(means, stats.norm.cdf(-reach)), abs=1e-9)


def test_prompts_without_a_value_are_left_out_whatever_stands_there():
    draws = ClusterDraws(4, 1)
    got = resampled_mean([0.2, np.nan, 0.6, 0.4], [1, 0, 1, 1], draws)
    assert (got.value, got.prompts) == (pytest.approx(0.4), 3)
    # a resample has no value where only the second prompt is drawn: 1 in 256
    assert got.dropped == int((drawn(draws)[:, 1] == 4).sum())


def test_resamples_without_a_value_are_dropped_and_counted():
    draws = ClusterDraws(3, 9)
    got = resampled_difference(([1, 0, 0], [1, 1, 0]), ([0, 1, 0], [1, 1, 0]), draws)
    assert got.dropped == int((drawn(draws)[:, 2] == 3).sum()) > 30
    assert got.value == 0


@pytest.mark.parametrize(
    ("x", "n", "value"), [([0.5, 0.0], [1, 0], 0.5), ([0.0, 0.0], [0, 0], None), ([], [], None)]
)
def test_fewer_than_two_prompts_have_no_interval(x, n, value):
    draws = ClusterDraws(len(x), 1)
    level = resampled_mean(x, n, draws)
    change = resampled_difference((x, n), (x, n), draws)
    assert (level.value, level.interval, level.reason) == (value, None, NoEstimate.FEW_PROMPTS)
    assert (change.interval, change.reason) == (None, NoEstimate.FEW_PROMPTS)


def test_a_level_that_never_varies_promises_no_certainty():
    got = resampled_mean(np.ones(30), np.ones(30), ClusterDraws(30, 1))
    assert (got.value, got.interval, got.reason) == (1, None, NoEstimate.NO_VARIATION)


def test_seed_makes_the_weights_repeatable():
    first, second, other = (drawn(ClusterDraws(9, seed)) for seed in (4, 4, 5))
    assert (first == second).all()
    assert (first != other).any()


def test_many_prompts_are_drawn_in_blocks():
    weights = list(ClusterDraws(3_000, 1).weights())
    assert len(weights) > 1
    assert drawn(ClusterDraws(3_000, 1)).shape == (2_000, 3_000)
    assert {float(block.sum(axis=1).min()) for block in weights} == {3_000}


@settings(max_examples=60, deadline=None)
@given(some.lists(some.floats(0, 1), min_size=2, max_size=25), some.integers(0, 99))
def test_an_interval_of_fractions_stays_among_the_values(values, seed):
    got = resampled_mean(values, np.ones(len(values)), ClusterDraws(len(values), seed, 200))
    low, high = ends(got) if got.interval else (got.value, got.value)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
