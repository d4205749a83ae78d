"""Numbers as words: counts travel, rounding never lies, undefined is said."""

import pytest

from monitor.domain.score import Bounds, Interval, Measure, Rate, Undefined, UndefinedReason
from monitor.report import numbers
from monitor.report.figures import figure, figure_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not measured"),
        (0, "0 %"),
        (1, "100 %"),
        (34 / 41, "83 %"),
        (0.024, "2.4 %"),
        (0.996, "99.6 %"),
        (0.0001, "under 0.1 %"),
        (0.9999, "over 99.9 %"),
    ],
)
def test_a_share_is_rounded_without_becoming_none_or_all(value, text):
    assert numbers.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not measured"),
        (0.123, "+12.3 points"),
        (-0.05, "-5.0 points"),
        (0.0, "0.0 points"),
        (-0.0001, "0.0 points"),
    ],
)
def test_a_difference_has_a_sign_unless_it_rounds_to_nothing(value, text):
    assert numbers.signed_points(value) == text


def test_a_rate_is_never_shown_without_its_counts():
    rate = Rate(34, 41, {"pending": 6})
    shown = figure(rate, Interval(0.69, 0.91), href="#rows")
    assert shown.text == "34 of 41 (83 %, 69-91)"
    # 41 of 47 assessed; bounds 34/47 = 0.723 and 40/47 = 0.851
    assert shown.assessed == "87 % assessed, bounds 72-85"
    assert shown.reasons == "page not fetched yet (6)"


def test_half_credit_shows_its_half():
    assert numbers.counts(Rate(17.5, 41)) == "17.5 of 41"


@pytest.mark.parametrize("reason", list(UndefinedReason))
def test_what_is_undefined_reads_not_measured_with_its_reason(reason):
    shown = figure(Undefined(reason))
    assert shown.text.startswith("not measured: ")
    assert reason.value not in shown.text
    assert shown.dot is None


def test_nothing_assessed_says_what_stood_in_the_way():
    shown = figure(Rate(0, 0, {"robots": 2}))
    expected = "not measured: nothing could be assessed: robots.txt forbids it (2)"
    assert shown.text == expected


def test_nothing_to_count_is_not_zero():
    assert figure(Rate(0, 0)).text == "not measured: there was nothing to count"


def test_a_bounded_recall_under_seventy_percent_assessed_has_no_point():
    # 10 of 20 assessed: bounds 5/20 and 15/20
    measure = Measure("claim_evidence_recall", Rate(5, 10, {"pending": 10}), Interval(0.3, 0.7), 20)
    shown = figure_of(measure, None)
    assert shown.text == "5 of 10 (between 25 and 75 %)"
    assert shown.dot.at is None
    assert (shown.dot.bound_low, shown.dot.bound_high) == (25, 75)


def test_another_measure_keeps_its_point_whatever_was_assessed():
    measure = Measure("source_precision", Rate(5, 10, {"ungraded": 10}), None, 20)
    assert figure_of(measure, None).text == "5 of 10 (50 %)"


def test_a_thin_slice_shows_counts_only():
    measure = Measure("source_precision", Rate(5, 8), Interval(0.3, 0.9), 9)
    assert figure_of(measure, None, slice_of=True).text == "5 of 8"
    assert figure_of(measure, None).text == "5 of 8 (62 %, 30-90)"


@pytest.mark.parametrize(
    ("low", "high", "text"), [(0.69, 0.91, "69-91"), (0.011, 0.049, "1.1-4.9"), (0, 1, "0-100")]
)
def test_both_ends_of_an_interval_have_the_same_decimals(low, high, text):
    assert numbers.interval(Bounds(low, high)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "not tested"), (0.0002, "< 0.001"), (0.0123, "0.012"), (0.4567, "0.46"), (1, "1.00")],
)
def test_a_p_value_keeps_the_digits_that_matter(value, text):
    assert numbers.p_value(value) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("adjusted p 0.0001, -4.0 points", "adjusted p < 0.001, -4.0 points"),
        ("adjusted p 1e-05, +4.0 points", "adjusted p < 0.001, +4.0 points"),
        ("adjusted p 0.0432, but 0.5 points", "adjusted p 0.043, but 0.5 points"),
        ("adjusted p 0.062 between 0.05 and 0.1", "adjusted p 0.062 between 0.05 and 0.1"),
        ("adjusted p 1 above 0.1", "adjusted p 1.00 above 0.1"),
        ("an adjusted p of at most 0.05", "an adjusted p of at most 0.05"),
    ],
)
def test_an_adjusted_p_reads_the_same_in_every_sentence(written, read):
    assert numbers.p_words(written) == read
