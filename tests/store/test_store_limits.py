"""Turns and pauses of engines, shared by every process on a store and by one clock."""

import asyncio
import json
import subprocess
import sys
import time
from bisect import bisect_left
from datetime import UTC, datetime, timedelta

import pytest

from monitor.capture.clock import SystemClock
from monitor.domain.pace import MICROSECONDS, Pace
from monitor.store import Writer, open_database
from monitor.store.limits import StoredPace, pause_engine, pause_left, take_turns

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
ONE_A_SECOND = Pace(60)


class HandClock:
    """A clock that the test sets."""

    def __init__(self):
        self.at = NOON

    def now(self):
        return self.at

    def monotonic(self):
        raise AssertionError("turns are moments, not lengths")


@pytest.fixture
def clock():
    return HandClock()


def turn(database, clock, engine="openai", pace=ONE_A_SECOND):
    """Seconds to wait for the next turn."""
    with database.write() as c:
        (wait,) = take_turns(c, engine, pace, calls=1, clock=clock)
    assert wait.is_turn
    return wait.micros / MICROSECONDS


def pause(database, clock, seconds, engine="openai"):
    with database.write() as c:
        pause_engine(c, engine, seconds, clock=clock)


def left(database, clock, engine="openai"):
    with database.read() as c:
        return pause_left(c, engine, clock=clock) / MICROSECONDS


def test_turns_of_engines_follow_each_other_and_know_nothing_of_other_engines(sqlite, clock):
    assert [turn(sqlite, clock) for _ in range(3)] == [0, 1, 2]
    assert turn(sqlite, clock, "perplexity") == 0


def test_second_process_takes_the_turn_after_the_first_ones(sqlite, sqlite_url, clock):
    other = open_database(sqlite_url)
    assert [turn(sqlite, clock), turn(other, clock), turn(sqlite, clock)] == [0, 1, 2]
    other.close()


def test_pause_is_seen_by_everybody_and_ends(database, store_url):
    other = open_database(store_url)
    clock = SystemClock()
    assert left(other, clock) == 0
    pause(database, clock, 60)
    assert 55 < left(other, clock) <= 60
    assert 55 < turn(other, clock) <= 60
    assert left(other, clock, "perplexity") == 0
    pause(database, clock, 0)  # a shorter one does not end a longer one
    assert 55 < left(other, clock) <= 60
    other.close()


@pytest.mark.parametrize("hours", [-1, 1])
def test_clock_that_jumps_an_hour_holds_nobody_and_keeps_the_rate(sqlite, clock, hours):
    for _ in range(4):
        turn(sqlite, clock)
    clock.at += timedelta(hours=hours)
    # The first call after the jump starts at once, the next ones a second apart again.
    assert [turn(sqlite, clock) for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("hours", [-1, 1])
def test_pause_does_not_outlive_a_clock_that_jumps(sqlite, clock, hours):
    pause(sqlite, clock, 30)
    clock.at += timedelta(hours=hours)
    assert left(sqlite, clock) == 0
    assert turn(sqlite, clock) == 0


@pytest.mark.parametrize("hours", [-1, 1])
def test_workers_whose_clocks_differ_share_the_clock_of_the_server(postgres_url, hours):
    database = open_database(postgres_url)
    wrong = HandClock()
    wrong.at = SystemClock().now() + timedelta(hours=hours)
    slow = Pace(12)  # five seconds from turn to turn, so that the test's own time is nothing
    assert turn(database, SystemClock(), pace=slow) == pytest.approx(0, abs=0.5)
    assert turn(database, wrong, pace=slow) == pytest.approx(5, abs=1)
    pause(database, wrong, 60)
    assert 50 < left(database, SystemClock()) <= 60
    database.close()


async def test_calls_that_wait_together_get_each_their_own_turn(database):
    with Writer(database) as writer:
        pace = StoredPace(writer, "openai", Pace(600), SystemClock())
        waits = await asyncio.gather(*(pace.turn() for _ in range(30)))
    # Ten a second, and one second's worth at once: the last of 30 is two seconds away.
    assert 1.5 < max(waits) < 2.1
    assert len({round(wait, 2) for wait in waits if wait > 0.05}) >= 18


async def test_pause_told_by_one_worker_is_known_to_another(database, store_url):
    other = open_database(store_url)
    with Writer(database) as mine, Writer(other) as theirs:
        here = StoredPace(mine, "openai", ONE_A_SECOND, SystemClock())
        there = StoredPace(theirs, "openai", ONE_A_SECOND, SystemClock())
        assert not await there.paused()
        await here.pause(60)
        assert await there.paused()
    other.close()


ASKER = """
import asyncio, json, sys, time
from monitor.capture.clock import SystemClock
from monitor.capture.limits import EngineGate
from monitor.domain.pace import Pace
from monitor.store import Writer, open_database
from monitor.store.limits import StoredPace

database = open_database(sys.argv[1])
begun = []

async def call(gate):
    async with gate.slot():
        begun.append(time.time())

async def main():
    with Writer(database) as writer:
        gate = EngineGate(16, StoredPace(writer, "openai", Pace(1200), SystemClock()))
        await asyncio.gather(*(call(gate) for _ in range(40)))

sys.stdin.readline()
asyncio.run(main())
database.close()
print(json.dumps(begun))
"""


def test_two_processes_never_start_more_calls_than_the_rate_allows(store_url):
    both = [
        subprocess.Popen(
            [sys.executable, "-c", ASKER, store_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    began = time.monotonic()
    for one in both:
        one.stdin.write("go\n")
        one.stdin.flush()
    begun = sorted(moment for one in both for moment in json.loads(one.communicate(timeout=60)[0]))
    assert len(begun) == 80
    # Twenty a second and one second's worth at once: 80 calls take three seconds, not less.
    assert begun[-1] - begun[0] > 2.9
    assert time.monotonic() - began < 30
    # A turn is a moment; a sleep ends after it, by some milliseconds on a busy machine.
    most = max(bisect_left(begun, moment + 0.9) - n for n, moment in enumerate(begun))
    assert most <= 40
