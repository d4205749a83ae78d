"""Turns in a row and pauses, on a clock that the test moves."""

import pytest

from monitor.domain.pace import MICROSECONDS, Pace, Turns

SECOND = MICROSECONDS
NOW = 1_700_000_000 * SECOND


def took(turns, pace, now):
    """Moment of the next turn, asked for until it could be taken, and the turns after it."""
    turn, after = turns.taken(now, pace)
    return (turn.at, after) if turn.is_taken else took(after, pace, turn.at)


def starts(turns, pace, now, calls):
    """Seconds after `now` at which calls that all come at once may start."""
    found = []
    for _ in range(calls):
        start, turns = took(turns, pace, now)
        found.append((start - now) / SECOND)
    return found, turns


def test_sixty_a_minute_are_one_a_second():
    assert starts(Turns(), Pace(60), NOW, 4)[0] == [0, 1, 2, 3]


def test_a_quick_engine_may_burst_by_one_seconds_worth():
    # 120 a minute are one each half second; the second of two at once comes early by half a second.
    assert starts(Turns(), Pace(120), NOW, 4)[0] == [0, 0, 0.5, 1.0]


def test_time_that_was_not_used_is_not_saved_up():
    _, turns = starts(Turns(), Pace(60), NOW, 1)
    assert starts(turns, Pace(60), NOW + 3600 * SECOND, 3)[0] == [0, 1, 2]


@pytest.mark.parametrize("per_minute", [0.5, 7, 60, 90, 600, 100_000])
def test_no_minute_ever_holds_more_calls_than_allowed_and_the_burst(per_minute):
    pace = Pace(per_minute)
    moments, turns, now = [], Turns(), NOW
    for step in range(400):
        start, turns = took(turns, pace, now)
        moments.append(start)
        now = start if step % 3 else start + 50_000
    most = per_minute + max(1.0, per_minute / 60)
    for first in range(0, 400, 7):
        window = [m for m in moments if moments[first] <= m < moments[first] + 60 * SECOND]
        assert len(window) <= most + 1


def test_a_pause_delays_the_next_turn_and_those_after_it_follow_in_a_row():
    turns = Turns().paused(NOW, 30 * SECOND)
    assert starts(turns, Pace(60), NOW, 3)[0] == [30, 31, 32]


def test_a_shorter_pause_does_not_end_a_longer_one():
    turns = Turns().paused(NOW, 30 * SECOND).paused(NOW, 5 * SECOND)
    assert turns.pause_left(NOW) == 30 * SECOND


def test_a_clock_that_went_back_an_hour_stops_nobody():
    _, turns = starts(Turns().paused(NOW, 30 * SECOND), Pace(60), NOW, 4)
    back = NOW - 3600 * SECOND
    assert starts(turns, Pace(60), back, 3)[0] == [0, 1, 2]


def test_a_clock_that_jumped_ahead_an_hour_lets_no_burst_through():
    _, turns = starts(Turns(), Pace(60), NOW, 4)
    assert starts(turns, Pace(60), NOW + 3600 * SECOND, 3)[0] == [0, 1, 2]


@pytest.mark.parametrize("per_minute", [6, 60, 600])
def test_calls_of_processes_that_end_and_of_those_after_them_share_one_row(per_minute):
    # Many more callers than any process has come at once: no turn is ever given twice.
    pace, turns, moments = Pace(per_minute), Turns(), []
    for _ in range(300):
        turn, turns = turns.taken(NOW, pace)
        if turn.is_taken:
            moments.append(turn.at)
    assert len(set(moments)) >= len(moments) - pace.burst // pace.interval
    assert len(moments) <= (5 * SECOND + pace.burst) / pace.interval + 1


def test_turns_are_not_taken_far_ahead_so_that_a_dead_process_holds_few():
    # Ten seconds apart: of four who ask only the first gets a turn; the others ask again later.
    pace = Pace(6)
    first, turns = Turns().taken(NOW, pace)
    second, after = turns.taken(NOW, pace)
    assert (first.at, first.is_taken) == (NOW, True)
    assert (second.at, second.is_taken, after) == (NOW + 5 * SECOND, False, turns)
    third, _ = after.taken(NOW + 5 * SECOND, pace)
    assert (third.at, third.is_taken) == (NOW + 10 * SECOND, True)


def test_a_clock_that_went_back_some_seconds_keeps_the_row():
    _, turns = starts(Turns(), Pace(60), NOW, 4)
    assert starts(turns, Pace(60), NOW - 3 * SECOND, 1)[0] == [7]
