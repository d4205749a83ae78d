"""Agreement by hand, against statsmodels, and against brute force."""

import itertools

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from monitor.domain.estimate import NoEstimate
from monitor.statistics import (
    Coefficient,
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
    assert raw_agreement(RARE).value == pytest.approx(0.944)
    assert krippendorff_alpha(RARE).value < 0
    assert gwet(RARE).value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))


def test_full_agreement_on_two_labels_is_one():
    same = label_counts([[0, 1, 1], [0, 1, 1]])
    assert krippendorff_alpha(same) == Coefficient(1, None, 3, 3)
    assert gwet(same) == Coefficient(1, None, 3, 3)


def test_coefficients_tell_what_they_rest_on():
    # three, two and one label: 3 + 1 + 0 pairs in two subjects
    given = label_counts([[1, 2, 1], [1, 1, None], [2, None, None]])
    for found in (raw_agreement(given), krippendorff_alpha(given), gwet(given)):
        assert (found.subjects, found.pairs, found.reason) == (2, 4, None)


@pytest.mark.parametrize(
    ("ratings", "reason", "raw"),
    [
        ([[1, 1], [1, 1]], NoEstimate.ONE_LABEL_ONLY, 1),
        ([[1, None], [None, 2]], NoEstimate.NO_PAIRS, None),
        ([[], []], NoEstimate.NO_PAIRS, None),
        ([], NoEstimate.NO_PAIRS, None),
    ],
)
def test_coefficients_without_a_value_say_why(ratings, reason, raw):
    given = label_counts(ratings)
    for found in (krippendorff_alpha(given), gwet(given), gwet(given, quadratic=True)):
        assert (found.value, found.reason) == (None, reason)
    assert raw_agreement(given).value == raw


def test_alpha_needs_two_labels_among_pairs_and_ac1_two_labels_at_all():
    # both pairs are (1, 1); the 2 stands alone: alpha has no disagreement to expect
    given = label_counts([[1, 1, 2], [1, 1, None]])
    assert krippendorff_alpha(given).reason is NoEstimate.ONE_LABEL_ONLY
    assert gwet(given).value == 1


def test_labels_of_a_scale_that_nobody_used_count_for_chance():
    # two labels used of three: chance = (3 / (3 * 2)) * (1/4 + 1/4) = 1/4, of two 1/2
    ratings = [[1, 1, 2, 2], [1, 2, 2, 1]]
    assert gwet(label_counts(ratings)).value == pytest.approx(0)
    assert gwet(label_counts(ratings, [1, 2, 3])).value == pytest.approx((0.5 - 0.25) / 0.75)


def test_alpha_of_four_subjects_by_hand():
    # pairs (0,0) (0,1) (1,1) (1,1): 2 of 8 coincidences disagree; n0 = 3, n1 = 5
    # alpha = 1 - 7 * 2 / (2 * 3 * 5)
    given = label_counts([[0, 0, 1, 1], [0, 1, 1, 1]])
    assert krippendorff_alpha(given).value == pytest.approx(1 - 14 / 30)


def test_near_misses_cost_less_by_rank_than_by_name():
    given = label_counts([[1, 2, 3, 4, 4], [1, 2, 3, 3, 4]])
    assert krippendorff_alpha(given, Level.ORDINAL).value > krippendorff_alpha(given).value
    assert gwet(given, quadratic=True).value > gwet(given).value


def ratings(seed, missing=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 30)
    seen = np.where(rng.random((3, 30)) < 0.7, truth, rng.integers(0, 3, (3, 30)))
    return [[None if rng.random() < missing else int(n) for n in row] for row in seen]


@pytest.mark.parametrize("seed", range(5))
def test_alpha_without_missing_labels_is_fleiss_kappa_corrected_for_size(seed):
    # Krippendorff 2011: with all labels there, alpha = 1 - (1 - kappa)(1 - 1 / pairable labels)
    made = ratings(seed)
    kappa = fleiss_kappa(aggregate_raters(np.array(made).T)[0])
    got = krippendorff_alpha(label_counts(made)).value
    assert got == pytest.approx(1 - (1 - kappa) * (1 - 1 / 90))


def by_pairs(table, distance):
    """Alpha from the definition: mean distance within subjects over that of any two labels."""
    units = [[v for v in column if v is not None] for column in zip(*table, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    every = [v for unit in units for v in unit]
    within = sum(
        sum(distance(a, b) for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1)
        for unit in units
    ) / len(every)
    expected = sum(distance(a, b) for a, b in itertools.permutations(every, 2))
    return 1 - within / (expected / (len(every) * (len(every) - 1)))


@pytest.mark.parametrize("seed", range(4))
def test_alpha_with_missing_labels_agrees_with_its_definition(seed):
    made = ratings(seed, missing=0.3)
    given = label_counts(made)
    nominal = by_pairs(made, lambda a, b: float(a != b))
    interval = by_pairs(made, lambda a, b: float((a - b) ** 2))
    assert krippendorff_alpha(given).value == pytest.approx(nominal)
    assert krippendorff_alpha(given, Level.INTERVAL).value == pytest.approx(interval)


def test_answers_are_drawn_whole():
    # a bootstrap over two answers has three samples: both, the first twice, the second twice
    given = label_counts([[0, 0, 1, 1], [0, 1, 1, 1]])
    got = resampled_interval(given, raw_agreement, [7, 7, 9, 9], seed=1, level=1)
    assert (got.interval.low, got.interval.high) == (0.5, 1)


def test_resamples_agree_with_drawing_subjects_one_by_one():
    made = label_counts(ratings(3, missing=0.2))
    got = resampled_interval(made, krippendorff_alpha, range(30), seed=5, resamples=4_000)
    rng, values = np.random.default_rng(9), []
    for _ in range(4_000):
        drawn = rng.integers(0, 30, 30)
        sample = type(made)(made.labels, made.counts[drawn], np.ones(30))
        values.append(krippendorff_alpha(sample).value)
    expected = np.quantile(values, [0.025, 0.975])
    assert (got.interval.low, got.interval.high) == pytest.approx(tuple(expected), abs=0.02)


def test_one_answer_alone_has_no_interval():
    given = label_counts([[0, 0, 1, 1], [0, 1, 1, 1]])
    got = resampled_interval(given, krippendorff_alpha, [7, 7, 7, 7], seed=1)
    assert (got.interval, got.reason) == (None, NoEstimate.FEW_ANSWERS)


def test_full_agreement_promises_no_certainty():
    given = label_counts([[0, 1] * 10, [0, 1] * 10])
    got = resampled_interval(given, krippendorff_alpha, range(20), seed=1)
    assert (got.interval, got.reason) == (None, NoEstimate.NO_VARIATION)


def test_resamples_without_a_value_are_counted():
    # of two answers (0, 0) and (1, 1) and one (0, 1): a draw of one label alone is undefined
    given = label_counts([[0, 1, 0], [0, 1, 1]])
    got = resampled_interval(given, krippendorff_alpha, [1, 2, 3], seed=1, resamples=2_700)
    # 2 of 27 draws are three times (0, 0) or three times (1, 1): 200 expected
    assert 150 < got.undefined < 250
    assert got.interval is not None


def test_nothing_to_resample_has_the_coefficient_s_reason():
    given = label_counts([[1, 1], [1, 1]])
    got = resampled_interval(given, gwet, [1, 2], seed=1, resamples=9)
    assert (got.undefined, got.reason) == (9, NoEstimate.ONE_LABEL_ONLY)


@pytest.mark.parametrize("unit", [1e308, 1e-300, 5e-324, 2.0])
def test_the_unit_of_numbers_changes_no_agreement(unit):
    # -1, 0 and 1 of any unit; 2.0 is the plain case.
    plain = label_counts([[-1, 0, 1, 1], [-1, 1, 1, 0]])
    scaled = label_counts([[-unit, 0, unit, unit], [-unit, unit, unit, 0]])
    for coefficient in (
        lambda given: krippendorff_alpha(given, Level.INTERVAL),
        lambda given: gwet(given, quadratic=True),
    ):
        assert coefficient(scaled).value == pytest.approx(coefficient(plain).value)


def test_numbers_too_close_to_tell_apart_are_one_label():
    # 1e308 stands alone with its subject; beside it 1e-300 and 2e-300 are no distance apart.
    given = label_counts([[1e-300, 2e-300, 1e308], [2e-300, 1e-300, None]])
    assert krippendorff_alpha(given, Level.INTERVAL).reason is NoEstimate.ONE_LABEL_ONLY
