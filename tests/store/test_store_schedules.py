from datetime import timedelta

import pytest

from monitor.domain.panel import Schedule
from monitor.store import panels, runs, schedules

MONTHLY = Schedule("0 6 1 * *", "Europe/London")
WEEKLY = Schedule("0 6 * * mon", "Europe/London")
DAY = timedelta(days=1)


@pytest.fixture
def known(database, at):
    """A store that knows the monthly rule of `clinical` since a moment."""
    with database.write() as c:
        schedules.keep_rule(c, "clinical", MONTHLY, at=at)
    return database


@pytest.fixture
def write(known):
    """Call a function of the room in a transaction of its own."""

    def call(change, *words, **named):
        with known.write() as c:
            return change(c, *words, **named)

    return call


def kept(database):
    with database.read() as c:
        return schedules.load(c, "clinical")


def take(write, slot, *, due, at):
    return write(schedules.claim, "clinical", slot, due=due, at=at)


def test_a_rule_is_known_since_it_was_first_seen(known, write, at):
    write(schedules.keep_rule, "clinical", MONTHLY, at=at + DAY)
    assert kept(known).rule == MONTHLY
    assert kept(known).counted_from == at
    with known.read() as c:
        assert [one.panel for one in schedules.load_all(c)] == ["clinical"]


def test_a_changed_rule_counts_from_the_change(known, write, at):
    write(schedules.keep_rule, "clinical", WEEKLY, at=at + DAY)
    assert (kept(known).rule, kept(known).counted_from) == (WEEKLY, at + DAY)


def test_a_rule_that_went_and_came_back_counts_from_its_return_and_stays_paused(known, write, at):
    write(schedules.pause, "clinical", at=at)
    write(schedules.keep_rule, "clinical", None, at=at + DAY)
    assert kept(known).rule is None
    write(schedules.keep_rule, "clinical", MONTHLY, at=at + 2 * DAY)
    assert (kept(known).counted_from, kept(known).paused_at) == (at + 2 * DAY, at)


def test_taking_away_a_rule_that_nobody_knew_leaves_no_row(known, write, at):
    write(schedules.keep_rule, "other", None, at=at)
    with known.read() as c:
        assert schedules.load(c, "other") is None


def test_a_slot_is_taken_once(known, write, at):
    due = at + DAY
    assert take(write, "2026-11-02T06:00", due=due, at=due)
    assert not take(write, "2026-11-02T06:00", due=due, at=due)
    one = kept(known)
    assert (one.last_slot, one.last_due_at, one.last_fired_at) == ("2026-11-02T06:00", due, due)
    assert one.counted_from == due


def test_a_slot_behind_the_last_one_is_not_taken(write, at):
    assert take(write, "third", due=at + 3 * DAY, at=at + 3 * DAY)
    assert not take(write, "second", due=at + 2 * DAY, at=at + 3 * DAY)


def test_a_slot_from_before_the_panel_was_known_is_not_taken(write, at):
    assert not take(write, "old", due=at, at=at + DAY)


def test_nothing_is_taken_while_paused_and_nothing_that_passed_meanwhile(known, write, at):
    write(schedules.pause, "clinical", at=at + DAY)
    write(schedules.pause, "clinical", at=at + 2 * DAY)
    assert kept(known).paused_at == at + DAY
    assert not take(write, "paused", due=at + 2 * DAY, at=at + 2 * DAY)
    write(schedules.unpause, "clinical", at=at + 3 * DAY)
    assert not take(write, "paused", due=at + 2 * DAY, at=at + 3 * DAY)
    assert take(write, "later", due=at + 4 * DAY, at=at + 4 * DAY)


def test_unpausing_forgets_a_last_slot_in_the_future(known, write, at):
    assert take(write, "far", due=at + 400 * DAY, at=at + 400 * DAY)
    write(schedules.unpause, "clinical", at=at + DAY)
    assert kept(known).last_due_at is None
    assert take(write, "right", due=at + 2 * DAY, at=at + 2 * DAY)


def test_a_refusal_stays_until_a_slot_is_taken(known, write, at):
    write(schedules.refuse, "clinical", "no key")
    assert kept(known).refused == "no key"
    take(write, "next", due=at + DAY, at=at + DAY)
    assert kept(known).refused is None


def test_a_broken_file_keeps_the_rule(known, write):
    write(schedules.set_broken, "clinical", "line 3")
    assert (kept(known).rule, kept(known).broken) == (MONTHLY, "line 3")
    write(schedules.set_broken, "clinical", None)
    assert kept(known).broken is None


def test_runs_under_way_are_those_that_have_not_ended(database, run, panel, make_plan, at):
    with database.write() as c:
        panel_id = panels.save_panel(c, panel, saved_at=at)
        later = runs.plan_run(
            c, panel_id, "2026-12-01", make_plan(panel), caps=runs.Caps(), config={}, at=at
        )
        assert [one.id for one in schedules.under_way(c, "clinical")] == [run.id, later.id]
        runs.set_run_state(c, run.id, runs.RunState.INCOMPLETE, at=at)
        assert [one.id for one in schedules.under_way(c, "clinical")] == [later.id]
        assert schedules.under_way(c, "other") == ()
