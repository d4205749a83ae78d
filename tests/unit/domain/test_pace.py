"""Turns in a row and pauses, on a clock that the test moves."""

import pytest

from monitor.domain.pace import MICROSECONDS, Pace, Turns

SECOND = MICROSECONDS
NOW = 1_700_000_000 * SECOND


def starts(turns, pace, now, calls):
    """Seconds after `now` at which calls that all come at once may start."""
    found = []
    for _ in range(calls):
        start, turns = turns.taken(now, pace)
        found.append((start - now) / SECOND)
    return found, turns


def test_sixty_a_minute_are_one_a_second():
    assert starts(Turns(), Pace(60, 4), NOW, 4)[0] == [0, 1, 2, 3]


def test_a_quick_engine_may_burst_by_one_seconds_worth():
    # 120 a minute are one each half second; the second of two at once comes early by half a second.
    assert starts(Turns(), Pace(120, 4), NOW, 4)[0] == [0, 0, 0.5, 1.0]


def test_time_that_was_not_used_is_not_saved_up():
    _, turns = starts(Turns(), Pace(60, 4), NOW, 1)
    assert starts(turns, Pace(60, 4), NOW + 3600 * SECOND, 3)[0] == [0, 1, 2]


@pytest.mark.parametrize("per_minute", [0.5, 7, 60, 90, 600, 100_000])
def test_no_minute_ever_holds_more_calls_than_allowed_and_the_burst(per_minute):
    pace = Pace(per_minute, 8)
    moments, turns, now = [], Turns(), NOW
    for step in range(400):
        start, turns = turns.taken(now, pace)
        moments.append(start)
        now = start if step % 3 else start + 50_000
    most = per_minute + max(1.0, per_minute / 60)
    for first in range(0, 400, 7):
        window = [m for m in moments if moments[first] <= m < moments[first] + 60 * SECOND]
        assert len(window) <= most + 1


def test_a_pause_delays_the_next_turn_and_those_after_it_follow_in_a_row():
    turns = Turns().paused(NOW, 30 * SECOND)
    assert starts(turns, Pace(60, 4), NOW, 3)[0] == [30, 31, 32]


def test_a_shorter_pause_does_not_end_a_longer_one():
    turns = Turns().paused(NOW, 30 * SECOND).paused(NOW, 5 * SECOND)
    assert turns.pause_left(NOW) == 30 * SECOND


def test_a_clock_that_went_back_an_hour_stops_nobody():
    _, turns = starts(Turns().paused(NOW, 30 * SECOND), Pace(60, 4), NOW, 4)
    back = NOW - 3600 * SECOND
    assert starts(turns, Pace(60, 4), back, 3)[0] == [0, 1, 2]


def test_a_clock_that_jumped_ahead_an_hour_lets_no_burst_through():
    _, turns = starts(Turns(), Pace(60, 4), NOW, 4)
    assert starts(turns, Pace(60, 4), NOW + 3600 * SECOND, 3)[0] == [0, 1, 2]


def test_as_many_callers_as_are_allowed_wait_in_a_row_and_no_turn_is_given_twice():
    # Concurrency 4: four wait at 0, 1, 2 and 3 s; the next turn lies 4 s ahead, which is no jump.
    waits, turns = starts(Turns(), Pace(60, 4), NOW, 4)
    assert waits == [0, 1, 2, 3]
    assert starts(turns, Pace(60, 4), NOW, 1)[0] == [4]
