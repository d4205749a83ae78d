"""Agreement by hand."""

import pytest

from monitor.statistics import (
    Level,
    gwet,
    krippendorff_alpha,
    label_counts,
    raw_agreement,
    resampled_interval,
)

RARE = label_counts([[1] * 118 + [1] * 5 + [0] * 2, [1] * 118 + [0] * 5 + [1] * 2])


def test_rare_labels_sink_alpha_but_not_ac1():
    # raw 118/125; AC1: prevalence 243/250, chance 2 * .972 * .028 = 0.054432
    assert raw_agreement(RARE) == pytest.approx(0.944)
    assert krippendorff_alpha(RARE) < 0
    assert gwet(RARE) == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))


def test_full_agreement_on_two_labels_is_one():
    same = label_counts([[0, 1, 1], [0, 1, 1]])
    assert krippendorff_alpha(same) == 1
    assert gwet(same) == 1


@pytest.mark.parametrize("ratings", [[[1, 1], [1, 1]], [[1, None], [None, 2]], [[], []], []])
def test_coefficients_without_a_value_are_none(ratings):
    given = label_counts(ratings)
    assert krippendorff_alpha(given) is None
    assert gwet(given) is None


def test_alpha_of_four_subjects_by_hand():
    # pairs (0,0) (0,1) (1,1) (1,1): 2 of 8 coincidences disagree; n0 = 3, n1 = 5
    # alpha = 1 - 7 * 2 / (2 * 3 * 5)
    given = label_counts([[0, 0, 1, 1], [0, 1, 1, 1]])
    assert krippendorff_alpha(given) == pytest.approx(1 - 14 / 30)


def test_near_misses_cost_less_by_rank_than_by_name():
    given = label_counts([[1, 2, 3, 4, 4], [1, 2, 3, 3, 4]])
    assert krippendorff_alpha(given, Level.ORDINAL) > krippendorff_alpha(given)
    assert gwet(given, quadratic=True) > gwet(given)


def test_subjects_of_one_answer_are_drawn_together():
    # all subjects in one answer: every resample is the sample itself
    given = label_counts([[0, 0, 1, 1], [0, 1, 1, 1]])
    got = resampled_interval(given, krippendorff_alpha, [7, 7, 7, 7], seed=1, resamples=50)
    assert (got.interval.low, got.interval.high) == pytest.approx((16 / 30, 16 / 30))


def test_resamples_without_a_value_are_counted():
    given = label_counts([[0, 1], [0, 1]])
    got = resampled_interval(given, krippendorff_alpha, [1, 2], seed=1, resamples=200)
    assert 60 < got.undefined < 140
    assert resampled_interval(given, lambda _: None, [1, 2], seed=1, resamples=9).undefined == 9
