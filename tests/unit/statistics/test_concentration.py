"""HHI, its bounds and the cross-prompt jackknife."""

import math

import numpy as np
import pytest
from scipy import stats

from monitor.domain.estimate import NoEstimate
from monitor.statistics import (
    cross_prompt_change,
    cross_prompt_hhi,
    effective,
    hhi,
    hhi_bounds,
)


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


def change_loop(a, b):
    """Paired jackknife of the log ratio by leaving prompts out one at a time."""

    def estimate(rows):
        total = rows.sum()
        same = (rows.sum(axis=0) ** 2).sum() - (rows**2).sum()
        return same / (total**2 - (rows.sum(axis=1) ** 2).sum())

    def moved(keep):
        return math.log(estimate(b[keep])) - math.log(estimate(a[keep]))

    p = len(a)
    every = np.arange(p)
    parts = np.array([moved(np.delete(every, i)) for i in range(p)])
    return moved(every), math.sqrt((p - 1) / p * ((parts - parts.mean()) ** 2).sum())


def two_months(seed, prompts=25):
    rng = np.random.default_rng(seed)
    lean = rng.gamma(1.5, [3, 2, 1, 1], (prompts, 4))
    return rng.poisson(lean).astype(float), rng.poisson(lean).astype(float)


def test_change_of_concentration_agrees_with_leaving_out_in_a_loop():
    a, b = two_months(6)
    difference, error = change_loop(a, b)
    got = cross_prompt_change(a, b)
    assert (got.difference, got.standard_error) == pytest.approx((difference, error))
    reach = stats.t.ppf(0.975, 24) * error
    assert (got.interval.low, got.interval.high) == pytest.approx(
        (math.exp(difference - reach), math.exp(difference + reach))
    )
    assert got.p_value == pytest.approx(2 * stats.t.sf(abs(difference) / error, 24))
    assert got.ratio == pytest.approx(got.after / got.before)


def test_concentration_of_each_month_is_the_level_s_own():
    a, b = two_months(8)
    got = cross_prompt_change(a, b)
    assert got.before == pytest.approx(cross_prompt_hhi(a).value)
    assert got.after == pytest.approx(cross_prompt_hhi(b).value)


def test_swapped_months_turn_the_ratio_over_and_keep_p():
    a, b = two_months(7)
    there, back = cross_prompt_change(a, b), cross_prompt_change(b, a)
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.p_value == pytest.approx(back.p_value)


def test_more_citations_of_the_same_kind_are_no_change_of_concentration():
    a, _ = two_months(9)
    got = cross_prompt_change(a, 3 * a)
    assert (got.ratio, got.p_value) == (pytest.approx(1), 1)


def test_prompts_that_never_cite_do_not_count():
    a, b = two_months(10)
    empty = np.zeros((5, 4))
    got = cross_prompt_change(np.vstack([a, empty]), np.vstack([b, empty]))
    assert got == cross_prompt_change(a, b)


SAME = [[1, 0], [1, 0], [1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (np.zeros((4, 2)), NoEstimate.NO_CITATIONS),
        ([[2, 1], [0, 0], [0, 0], [0, 0]], NoEstimate.FEW_PROMPTS),
        ([[1, 0], [0, 1], [0, 0], [0, 0]], NoEstimate.NO_SHARED_FAMILY),
        # Both pairs that share a family are pairs of the first prompt.
        ([[1, 1], [1, 0], [0, 1], [0, 0]], NoEstimate.ONE_PROMPT_CARRIES),
    ],
)
def test_concentration_without_an_estimate_has_no_change_and_says_why(after, reason):
    assert cross_prompt_change(SAME, after) is reason
    assert cross_prompt_change(after, SAME) is reason


def test_prompts_that_all_moved_alike_leave_no_error():
    before, after = np.tile([4.0, 1.0], (12, 1)), np.tile([2.0, 3.0], (12, 1))
    assert cross_prompt_change(before, after) is NoEstimate.NO_VARIATION
