"""Kappa of two annotators against statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from monitor.domain.estimate import NoEstimate
from monitor.statistics import Weighting, cohen_kappa

THEIRS = {"none": None, "linear": "linear", "quadratic": "quadratic"}


@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.parametrize("seed", range(3))
def test_kappa_agrees_with_statsmodels(weighting, seed):
    table = np.random.default_rng(seed).integers(1, 30, (4, 4)) + 20 * np.eye(4)
    oracle = cohens_kappa(table, wt=THEIRS[weighting])
    got = cohen_kappa(table, weighting)
    assert got.value == pytest.approx(oracle.kappa)
    assert got.standard_error == pytest.approx(oracle.std_kappa)
    assert got.interval.low == pytest.approx(oracle.kappa_low)


def test_kappa_by_hand():
    # observed 35/50, chance (25 * 30 + 25 * 20) / 50^2 = 0.5: (0.7 - 0.5) / 0.5
    assert cohen_kappa([[20, 5], [10, 15]]).value == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[0, 0], [0, 0]], NoEstimate.NO_PAIRS),
        ([], NoEstimate.NO_PAIRS),
        ([[9, 0], [0, 0]], NoEstimate.ONE_LABEL_ONLY),
    ],
)
def test_kappa_without_a_value_says_why(table, reason):
    got = cohen_kappa(table)
    assert (got.value, got.interval, got.reason) == (None, None, reason)
