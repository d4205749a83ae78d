"""An engine's gate: calls at once, calls a minute, and pauses that hold everyone."""

import asyncio

import pytest

from monitor.capture.limits import EngineGate
from tests.capturing import FakeClock, MemoryPace


def gate(clock, concurrency=4, per_minute=60):
    pace = MemoryPace(clock, per_minute)
    return EngineGate(concurrency, pace, sleep=clock.sleep)


async def starts(door, clock, calls):
    """Seconds after the first second at which each call was let in."""
    found = []
    for _ in range(calls):
        async with door.slot():
            found.append(round(clock.seconds - 100, 3))
    return found


async def test_sixty_a_minute_are_one_a_second_and_never_a_burst():
    clock = FakeClock()
    assert await starts(gate(clock), clock, 4) == [0, 1, 2, 3]


async def test_a_quick_engine_may_burst_by_one_seconds_worth():
    clock = FakeClock()
    # 180 a minute are 3 a second: three at once, then one each third of a second.
    assert await starts(gate(clock, per_minute=180), clock, 5) == [0, 0, 0, 0.333, 0.667]


async def test_unused_time_does_not_add_up_beyond_one_second():
    clock = FakeClock()
    door = gate(clock)
    clock.seconds += 3600
    assert await starts(door, clock, 3) == [3600, 3601, 3602]


async def test_a_pause_holds_the_next_call_and_a_shorter_one_does_not_end_it():
    clock = FakeClock()
    door = gate(clock, per_minute=60_000)
    await door.pause(30)
    await door.pause(5)
    assert await starts(door, clock, 2) == [30, 30]


async def test_a_pause_that_comes_while_others_wait_holds_them_too():
    clock = FakeClock()
    door = gate(clock)

    async def sleep(seconds):
        clock.seconds += seconds
        if not clock.slept:
            clock.slept.append(seconds)
            await door.pause(60)

    door._sleep = sleep
    # The second call waits a second for its turn; the pause of a minute starts then.
    assert await starts(door, clock, 2) == [0, 61]


async def test_no_more_calls_at_once_than_the_cap():
    clock = FakeClock()
    door = gate(clock, concurrency=3, per_minute=60_000)
    inside, most = 0, 0

    async def call():
        nonlocal inside, most
        async with door.slot():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(call() for _ in range(20)))
    assert most == 3


async def test_a_call_that_fails_gives_its_slot_back():
    clock = FakeClock()
    door = gate(clock, concurrency=1, per_minute=60_000)
    with pytest.raises(ValueError, match="boom"):
        async with door.slot():
            raise ValueError("boom")
    assert await starts(door, clock, 1) == [0]
