"""Alerts over time: told once, closed after two quiet runs, overtaken by a graver one."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from monitor.changes import is_still_seen, settle
from monitor.domain.alert import Alert, AlertKind, Closed, Direction, Severity, StoredAlert
from monitor.domain.change import ChangeVerdict, ConcentrationChange, ConcentrationTest
from monitor.domain.score import Concentration, Interval
from tests.sampled import citing, compared, month

ALERT = Alert(
    AlertKind.FAMILY_SHARE, "alpha", "a", Direction.UP, Severity.WARNING,
    "alpha cites a more than before.", "Look.", ("r1",), "r2",
)  # fmt: skip


def stored(alert=ALERT, quiet=0, seen_run="r2"):
    at = datetime(2026, 10, 1, tzinfo=UTC)
    return StoredAlert(7, alert.key("panel"), "panel", alert, at, seen_run, quiet, None, None)


def settled(raised, standing, seen=None, run="r3", quiet_runs=2):
    return settle("panel", raised, standing, seen=seen or {}, run=run, quiet_runs=quiet_runs)


def test_what_is_new_is_told_and_what_is_open_is_not_told_again():
    assert settled([ALERT], []).fresh == (ALERT,)
    again = settled([replace(ALERT, after="r3")], [stored()], {7: True})
    assert (again.fresh, again.closed, again.quiet) == ((), (), ((stored(), 0),))


def test_it_closes_after_two_quiet_runs_in_a_row():
    first = settled([], [stored()], {7: False})
    assert (first.closed, first.quiet) == ((), ((stored(), 1),))
    second = settled([], [stored(quiet=1, seen_run="r3")], {7: False}, run="r4")
    assert second.closed == ((stored(quiet=1, seen_run="r3"), Closed.QUIET),)
    seen = settled([], [stored(quiet=1, seen_run="r3")], {7: True}, run="r4")
    assert seen.quiet == ((stored(quiet=1, seen_run="r3"), 0),)


def test_a_run_that_cannot_tell_changes_nothing():
    assert settled([], [stored(quiet=1)], {7: None}) == settled([], [])


def test_a_run_counts_once_however_often_it_is_worked_on():
    assert settled([], [stored(quiet=1, seen_run="r3")], {7: False}, run="r3") == settled([], [])


def test_a_graver_one_takes_the_place_of_an_open_one():
    graver = replace(ALERT, severity=Severity.CRITICAL, after="r3")
    got = settled([graver], [stored()], {7: True})
    assert (got.fresh, got.closed) == ((graver,), ((stored(), Closed.OVERTAKEN),))
    milder = settled([ALERT], [stored(graver)], {7: True})
    assert milder.fresh == ()


def test_what_a_completed_run_no_longer_says_is_withdrawn():
    assert settled([], [stored()], run="r2").closed == ((stored(), Closed.WITHDRAWN),)
    assert settled([ALERT], [stored()], run="r2") == settled([], [])


@pytest.mark.parametrize(
    ("now", "seen"),
    [
        (4, True),  # still there against the month before the alert
        (1, False),  # back to where it was
        (0, False),  # gone the other way is not seen either
    ],
)
def test_a_share_is_seen_while_it_differs_the_same_way_from_its_own_baseline(now, seen):
    base, after = month("r1", 1, 9), month("r3", now, 10 - now, first=500)
    assert is_still_seen(ALERT, after, compared(base, after)) is seen


def test_a_comparison_that_is_none_tells_nothing():
    after = month("r3", 4, 6)
    assert is_still_seen(ALERT, after, None) is None
    bad = replace(after, coverage=replace(after.coverage, planned=900))
    assert is_still_seen(ALERT, bad, compared(month("r1", 1, 9), bad)) is None


CONCENTRATION = replace(
    ALERT, kind=AlertKind.CONCENTRATION, entity="effective sources", direction=Direction.DOWN
)


@pytest.mark.parametrize(
    ("ratio", "adjusted", "seen"),
    [(1.5, 0.04, True), (1.5, 0.2, False), (0.6, 0.01, False), (1.5, None, None)],
)
def test_concentration_is_seen_while_it_differs_the_same_way(ratio, adjusted, seen):
    before, after = month("r1", 4, 6), month("r3", 4, 6, first=500)
    hhi = Concentration(0.5, 2.0, None, 900, 2)
    test = ConcentrationTest(ratio, Interval(ratio, ratio), 0.01, adjusted)
    change = ConcentrationChange(
        hhi, hhi, test, None, 30, ChangeVerdict.NO_CLEAR_CHANGE, "as given"
    )
    against = replace(compared(before, after), concentration=change)
    assert is_still_seen(CONCENTRATION, after, against) is seen


@pytest.mark.parametrize(
    ("cited", "seen"), [([False] * 3, True), ([False, True, False], False), ([None] * 3, None)]
)
def test_a_lost_source_is_seen_until_an_answer_cites_it_again(cited, seen):
    lost = replace(ALERT, kind=AlertKind.REQUIRED_LOST, entity="p00: nhs.example")
    assert is_still_seen(lost, citing("r3", cited), None) is seen


@pytest.mark.parametrize("kind", [AlertKind.ENGINE_CHANGED, AlertKind.RUN_QUALITY])
def test_what_happened_once_is_not_seen_later(kind):
    assert is_still_seen(replace(ALERT, kind=kind), month("r3", 1, 9), None) is False
