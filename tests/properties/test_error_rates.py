"""Error rates on made-up answers: a small, seeded part of what `python -m benchmarks` measures.

Bands are wide enough for chance and narrow enough for a broken test statistic: every one has a
rival that breaks it in the way it is there to catch.
"""

import numpy as np
import pytest
from scipy import stats

from benchmarks import false_alarms, many_families, quiet_months, rivals
from benchmarks.false_alarms import Setting, called
from benchmarks.quiet_months import Desk
from benchmarks.simulated import (
    ENGINES,
    family_name,
    family_tallies,
    generator,
    lost_where_strong,
    month,
    odds_of,
    one_family,
    pair,
    topic,
)
from benchmarks.simulated_runs import series
from monitor.changes import compare
from monitor.domain.alert import AlertRules
from monitor.domain.change import ChangeRules

BASE, STRONG, HIGH = ENGINES


@pytest.mark.parametrize("share", [0.05, 0.25])
@pytest.mark.parametrize("engine", [BASE, HIGH], ids=lambda one: one.name)
def test_a_test_at_five_per_cent_cries_in_three_to_seven_of_a_hundred_quiet_months(engine, share):
    # 2,000 copies at 5 %: one standard error is 0.49 points. Twice as many alarms would be 10 %.
    found = called(Setting(engine, 100, 3, share, batches=4, swaps=1_999)).rates
    assert 0.03 <= found["shipped"] <= 0.07
    assert found["z"] > 0.15
    assert found["unpaired"] < 0.03


def test_more_citations_are_no_change_of_share_and_hide_none():
    quiet = Setting(STRONG, 100, 5, 0.10, volume=3.0, swaps=1_999)
    moved = Setting(
        STRONG,
        100,
        5,
        0.10,
        after=0.15,
        factor=odds_of(STRONG, 0.10, 0.15),
        volume=3.0,
        swaps=1_999,
    )
    false, found = called(quiet).rates, called(moved).rates
    assert 0.03 <= false["shipped"] <= 0.07
    assert found["shipped"] > 0.95
    # Swaps of months that are not divided by their totals first: too few alarms, and half blind.
    assert false["plain"] < 0.02
    assert found["plain"] < 0.6


def lossy(number):
    """Two months of one panel through the whole comparison, answers lost where a family leads."""
    rng = generator("lossy", number)
    lasting = topic(rng, STRONG, one_family(0.10), 100)
    heard = lost_where_strong(rng, lasting, 5)
    months = [month(rng, STRONG, lasting, 5), month(rng, STRONG, lasting, 5, heard=heard)]
    made = compare(
        *(family_tallies(one) for one in months),
        engine=STRONG.name,
        panel_version="simulated@1",
        before_id="a",
        after_id=f"b-{number}",
        rules=ChangeRules(resamples=999),
    )
    return next(one for one in made.families if one.name == family_name(0))


def test_answers_lost_where_a_family_leads_do_not_move_its_share():
    # One panel's change has a standard error of 0.9 points; the mean of 30 has 0.17.
    found = [lossy(number) for number in range(30)]
    raw = [one.after.pooled.value - one.before.pooled.value for one in found]
    assert abs(np.mean([one.difference for one in found])) < 0.005
    assert np.mean(raw) < -0.02
    assert np.mean([one.test.p_value <= 0.05 for one in found]) < 0.2


def test_quiet_panels_of_many_families_give_few_alerts_and_planted_changes_are_found():
    quiet = many_families.read(many_families.Cell(BASE, many_families.QUIET, 24)).told
    five = many_families.read(many_families.Cell(BASE, many_families.FIVE, 12)).told
    # Measured at large: 0.04 false alerts a quiet panel, 3.1 of the five found.
    assert quiet["shipped"].false <= 0.2
    assert quiet["raw"].false > 0.7
    assert quiet["z"].false > 2
    assert five["shipped"].found > 2
    assert five["shipped"].false_part < 0.15


def test_quiet_months_of_one_engine_stay_quiet():
    desk = Desk(AlertRules(), ChangeRules(resamples=1_999))
    told = [desk.receive(one) for one in series(STRONG, 0, (60, 3), 8)]
    assert sum(map(len, told)) <= 2


def test_a_drift_that_no_month_shows_is_found_against_the_three_before():
    month_by_month, pooled = false_alarms.drifted(BASE)[-1]
    assert month_by_month < 0.35
    assert pooled > 0.7


@pytest.mark.parametrize("events", [0, 1, 10, 209])
def test_upper_limit_of_a_count_is_that_of_garwood(events):
    # Garwood (1936): half the chi-square quantile with 2 (k + 1) degrees of freedom.
    exact = stats.chi2.ppf(0.95, 2 * (events + 1)) / 2
    assert quiet_months.upper_limit(events) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("events", [5, 40])
def test_rivals_give_what_scipy_gives(events):
    x = (np.array([float(events)]), np.array([events + 12.0]))
    n = (np.array([300.0]), np.array([280.0]))
    whole = rivals.Pooled(x, n)
    square = [[x[0][0], n[0][0] - x[0][0]], [x[1][0], n[1][0] - x[1][0]]]
    # The square of the two-proportion z is the uncorrected chi-square of the table.
    assert rivals.z_test(whole)[0] == pytest.approx(
        stats.chi2_contingency(square, correction=False).pvalue
    )
    assert rivals.yates(whole)[0] == pytest.approx(
        stats.chi2_contingency(square, correction=True).pvalue
    )


def test_the_same_setting_gives_the_same_answers_in_every_process_and_order():
    setting = Setting(BASE, 20, 2, 0.10, copies=3)
    first, second = (pair(*false_alarms.months(setting, 1)) for _ in range(2))
    other = pair(*false_alarms.months(setting, 2))
    assert np.array_equal(first.x[1], second.x[1])
    assert not np.array_equal(first.x[1], other.x[1])
