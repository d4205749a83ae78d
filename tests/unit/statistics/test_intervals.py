"""Intervals of one level, by hand and against statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from monitor.statistics import clustered_interval, korn_graubard, wilson, wilson_interval


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (34, 41), (41, 41)])
def test_wilson_agrees_with_statsmodels(hits, n):
    got = wilson_interval(hits, n)
    low, high = proportion_confint(hits, n, method="wilson")
    assert (got.low, got.high) == pytest.approx((low, high), abs=1e-12)


def test_wilson_of_nothing_is_undefined():
    assert wilson(0, 0, 1.96) is None
    assert wilson_interval(0, 0) is None


def test_one_cluster_has_no_interval():
    assert clustered_interval([3], [10]) is None
    assert clustered_interval([3, 0], [10, 0]) is None


def test_two_clusters_by_hand():
    # S = 4/10; residuals 3 - .4*5 = 1 and 1 - .4*5 = -1; v = 2/1 * 2 / 100 = 0.04
    # n_eff = 0.24 / 0.04 = 6; design effect 10 / 6
    got = clustered_interval([3, 1], [5, 5])
    assert got.share == pytest.approx(0.4)
    assert got.standard_error == pytest.approx(0.2)
    assert got.n_eff == pytest.approx(6)
    assert got.design_effect == pytest.approx(10 / 6)


def test_effective_n_never_exceeds_the_trials():
    got = clustered_interval([2, 2, 2, 2.001], [10, 10, 10, 10])
    assert got.n_eff == 40


def test_share_of_zero_counts_prompts_not_citations():
    got = clustered_interval([0] * 12, [30] * 12)
    assert (got.n_eff, got.interval.low) == (12, 0)
    assert got.interval.high == pytest.approx(wilson(0, 12, got.quantile)[1])


def test_korn_graubard_reaches_one_for_a_share_of_one():
    got = korn_graubard(clustered_interval([5, 7, 6], [5, 7, 6]))
    assert got.high == 1
    assert 0 < got.low < 1


def test_interval_is_wider_with_clusters_than_without():
    rng = np.random.default_rng(4)
    n = rng.integers(5, 30, 40).astype(float)
    x = np.round(n * rng.beta(0.4, 1.6, 40))
    clustered = clustered_interval(x, n).interval
    naive = wilson_interval(float(x.sum()), float(n.sum()))
    assert clustered.high - clustered.low > 1.5 * (naive.high - naive.low)
