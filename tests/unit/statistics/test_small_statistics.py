"""False discovery rate, overlap, bounds and planning."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from monitor.domain.score import Bounds
from monitor.statistics import (
    benjamini_hochberg,
    is_separated,
    jaccard,
    mean_bounds,
    mean_overlap,
    smallest_detectable,
    weighted_bounds,
)


def test_benjamini_hochberg_agrees_with_statsmodels():
    p = np.random.default_rng(3).random(57) ** 2
    expected = multipletests(p, method="fdr_bh")[1]
    assert benjamini_hochberg(list(p)) == pytest.approx(tuple(expected), abs=1e-14)


def test_no_tests_give_no_adjusted_values():
    assert benjamini_hochberg([]) == ()


def test_jaccard_of_two_empty_sets_is_undefined():
    assert jaccard(set(), set()) is None
    assert jaccard({"a"}, set()) == 0
    assert jaccard({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)


def test_mean_overlap_counts_what_it_rests_on():
    got = mean_overlap([0.5, None, 1.0])
    assert (got.mean, got.prompts, got.undefined) == (0.75, 2, 1)
    assert mean_overlap([None]).mean is None


def test_touching_bounds_are_not_separated():
    assert is_separated(Bounds(0.2, 0.4), Bounds(0.4, 0.6)) is False
    assert is_separated(Bounds(0.5, 0.6), Bounds(0.2, 0.4)) is True


def test_bounds_of_nothing_are_undefined():
    assert mean_bounds([]) is None
    assert weighted_bounds([]) is None


def test_smallest_detectable_change_is_unknown_where_nothing_varies():
    assert smallest_detectable(0.0) is None
    assert smallest_detectable(0.01) == pytest.approx(0.028)
