"""HHI, its bounds and the cross-prompt jackknife."""

import math

import numpy as np
import pytest
from scipy import stats

from monitor.statistics import cross_prompt_hhi, effective, hhi, hhi_bounds


def test_six_and_two_citations():
    # 0.75^2 + 0.25^2 = 0.625; 1 / 0.625 = 1.6
    assert hhi([6, 2]) == 0.625
    assert effective(0.625) == 1.6


def test_no_citations_have_no_concentration():
    assert hhi([]) is None
    assert hhi([0, 0]) is None
    assert effective(None) is None
    assert hhi_bounds([], 0) is None


def test_unresolved_citations_give_bounds():
    # 6, 2 and one unresolved: (36 + 4 + 1) / 81 and (49 + 4) / 81
    got = hhi_bounds([6, 2], 1)
    assert (got.low, got.high) == pytest.approx((41 / 81, 53 / 81))


def test_only_unresolved_citations_could_be_anything():
    got = hhi_bounds([], 4)
    assert (got.low, got.high) == (0.25, 1)


def jackknife_loop(x):
    """Leave each prompt out in turn, on the log scale."""

    def estimate(rows):
        total = rows.sum()
        same = (rows.sum(axis=0) ** 2).sum() - (rows**2).sum()
        return same / (total**2 - (rows.sum(axis=1) ** 2).sum())

    logs = np.array([math.log(estimate(np.delete(x, i, axis=0))) for i in range(len(x))])
    p = len(x)
    error = math.sqrt((p - 1) / p * ((logs - logs.mean()) ** 2).sum())
    reach = stats.t.ppf(0.975, p - 1) * error
    return estimate(x), estimate(x) * math.exp(-reach), estimate(x) * math.exp(reach)


def test_jackknife_agrees_with_leaving_out_in_a_loop():
    x = np.random.default_rng(6).poisson([6, 3, 1, 1], (25, 4)).astype(float)
    value, low, high = jackknife_loop(x)
    got = cross_prompt_hhi(x)
    assert got.value == pytest.approx(value)
    assert (got.interval.low, got.interval.high) == pytest.approx((low, high))


def test_cross_prompt_needs_two_citing_prompts():
    assert cross_prompt_hhi([[3, 1], [0, 0]]) is None


def test_prompts_without_a_common_family_have_no_interval():
    got = cross_prompt_hhi([[3, 0, 0], [0, 2, 0], [0, 0, 4]])
    assert (got.value, got.interval) == (0, None)
