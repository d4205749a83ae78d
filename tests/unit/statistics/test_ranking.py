"""Figures of scores against two classes, each worked out by hand."""

import numpy as np
import pytest

from monitor.statistics import ranking

ONE = np.ones((1, 6))


def flags(text):
    return np.array([one == "y" for one in text])


def test_rank_probability_counts_ties_by_half():
    # 0.9 beats both, 0.5 beats 0.2 and ties with 0.5: (2 + 1.5) / 4.
    scores, high = np.array([0.9, 0.5, 0.2, 0.5]), flags("yynn")
    assert ranking.rank_probabilities(scores, high, ONE[:, :4]).tolist() == [0.875]


@pytest.mark.parametrize("high", ["n", "y"])
def test_rank_probability_needs_both_sides(high):
    assert np.isnan(ranking.rank_probabilities(np.array([0.1]), flags(high), ONE[:, :1])[0])


def test_weights_count_rows_as_often_as_they_are_drawn():
    scores, high = np.array([0.9, 0.1, 0.5]), flags("yyn")
    # Each row once: 1 of 2. The first twice, the second never: 1. The third never: no value.
    weights = np.array([[1.0, 1, 1], [2, 0, 1], [1, 1, 0]])
    found = ranking.rank_probabilities(scores, high, weights)
    assert found[:2] == pytest.approx([0.5, 1.0])
    assert np.isnan(found[2])


def test_macro_f1_is_the_mean_of_both_classes():
    # yes: 2 hits, 3 true, 3 told -> 4/6; no: 2 hits, 3 true, 3 told -> 4/6.
    assert ranking.macro_f1(flags("yyynnn"), flags("yynynn"), ONE)[0] == pytest.approx(2 / 3)
    # yes: 3 hits, 3 true, 6 told -> 6/9; no: never told -> 0.
    assert ranking.macro_f1(flags("yyynnn"), flags("yyyyyy"), ONE)[0] == pytest.approx(1 / 3)


def test_macro_f1_of_one_class_has_no_value():
    assert np.isnan(ranking.macro_f1(flags("yyyyyy"), flags("yyyyyy"), ONE)[0])


def test_kappa_takes_chance_away():
    # Observed 4/6, chance 1/2: (2/3 - 1/2) / (1/2) = 1/3.
    assert ranking.kappas(flags("yyynnn"), flags("yynynn"), ONE)[0] == pytest.approx(1 / 3)
    assert np.isnan(ranking.kappas(flags("yyyyyy"), flags("yyyyyy"), ONE)[0])


def test_shares_of_nothing_have_no_value():
    assert ranking.shares(flags("yyn"), np.array([[1.0, 1, 1]]))[0] == pytest.approx(2 / 3)
    assert np.isnan(ranking.shares(flags(""), np.ones((1, 0)))[0])


def test_calibration_bins_hold_every_row():
    scores, truth = np.array([0.0, 0.05, 0.15, 0.95, 1.0]), flags("nynyy")
    bins = ranking.calibration(scores, truth)
    assert [one.rows for one in bins] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert [one.hits for one in bins] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    assert bins[2].mean_score is None
    # |0.05 - 1| + |0.15 - 0| + |1.95 - 2| = 1.15 over 5 rows.
    assert ranking.calibration_error(bins) == pytest.approx(0.23)
    assert ranking.calibration_error(ranking.calibration(np.array([]), flags(""))) is None


def test_coverage_starts_with_the_surest_rows():
    sureness, right = np.array([0.1, 0.4, 0.3, 0.2]), flags("nyyn")
    found = ranking.by_coverage(sureness, right, steps=4)
    assert [(one.coverage, one.rows, one.right) for one in found] == [
        (0.25, 1, 1.0), (0.5, 2, 2.0), (0.75, 3, 2.0), (1.0, 4, 2.0),
    ]  # fmt: skip


def test_equally_sure_rows_count_by_their_mean():
    # Two of four rows tie, one of them right: the first two rows are right by 1/2 each.
    for order in ([0, 1, 2, 3], [1, 0, 3, 2]):
        right = flags("ynyy")[order]
        sureness = np.array([0.4, 0.4, 0.1, 0.1])[order]
        found = ranking.by_coverage(sureness, right, steps=4)
        assert [one.right for one in found] == [0.5, 1.0, 2.0, 3.0]
    assert ranking.by_coverage(np.array([]), flags("")) == ()
