"""The gate before a surface: one at a time, spaced, capped a day, stopped until a person looks."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.errors import StoreError, SurfaceStoppedError
from monitor.store import surface_state
from monitor.store.surface_state import StoredGate, SurfacePace, load_surface
from tests.capturing import FakeClock

NAME = "replica"
REASON = "blocked (captcha)"


def gate(bench, clock, *, spacing=20.0, cap=50, chance=0.0):
    """A gate as another process would have it: it shares nothing but the store."""
    return StoredGate(
        bench.database,
        bench.writer,
        NAME,
        SurfacePace(spacing, cap),
        clock,
        chance=lambda: chance,
        sleep=clock.sleep,
    )


def state(bench):
    return bench.read(lambda c: load_surface(c, NAME))


async def capture(one, clock, seconds=5.0):
    async with one.turn():
        await clock.sleep(seconds)


async def test_captures_are_spaced_from_the_end_of_the_last_by_chance_a_little_more(
    bench_in_a_folder,
):
    clock = FakeClock()
    for chance in (0.0, 0.0, 1.0):
        await capture(gate(bench_in_a_folder, clock, chance=chance), clock)
    # 5 s of capture, 20 s between; the third waits half of it more.
    assert clock.slept == [5.0, 20.0, 5.0, 30.0, 5.0]
    assert state(bench_in_a_folder).captures == 3


async def test_cap_of_a_day_lets_the_next_one_wait_for_another_day(bench_in_a_folder):
    clock = FakeClock()
    one = gate(bench_in_a_folder, clock, cap=2)
    await capture(one, clock)
    await capture(one, clock)
    with pytest.raises(SurfaceStoppedError, match="2 captures of this day"):
        await capture(one, clock)
    clock.seconds += timedelta(days=1).total_seconds()
    await capture(one, clock)
    assert state(bench_in_a_folder).captures == 1


async def test_stop_holds_in_every_process_until_it_is_lifted(bench_in_a_folder):
    clock = FakeClock()
    first, second = gate(bench_in_a_folder, clock), gate(bench_in_a_folder, clock)
    await first.stop(REASON)
    await second.stop("login_required")
    with pytest.raises(SurfaceStoppedError, match=r"blocked \(captcha\).*surfaces resume replica"):
        await capture(second, clock)
    assert state(bench_in_a_folder).captures == 0
    assert bench_in_a_folder.write(lambda c: surface_state.lift_stop(c, NAME))
    await capture(second, clock)
    assert not bench_in_a_folder.write(lambda c: surface_state.lift_stop(c, NAME))


async def test_one_capture_at_a_time_over_processes(bench_in_a_folder):
    clock = FakeClock()
    under_way, most = 0, 0

    async def captured(one):
        nonlocal under_way, most
        async with one.turn():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.02)
            under_way -= 1

    several = [gate(bench_in_a_folder, clock, spacing=0) for _ in range(3)]
    await asyncio.gather(*(captured(one) for one in several))
    assert (most, state(bench_in_a_folder).captures) == (1, 3)


async def test_stop_that_comes_while_one_waits_for_its_turn_is_heeded(bench_in_a_folder):
    clock = FakeClock()
    one = gate(bench_in_a_folder, clock)
    await capture(one, clock)
    other = gate(bench_in_a_folder, clock)

    async def stopping(seconds):
        await other.stop(REASON)
        await FakeClock.sleep(clock, seconds)

    waiting = StoredGate(
        bench_in_a_folder.database, bench_in_a_folder.writer, NAME, SurfacePace(20, 50), clock,
        chance=lambda: 0.0, sleep=stopping,
    )  # fmt: skip
    with pytest.raises(SurfaceStoppedError):
        await capture(waiting, clock)
    assert state(bench_in_a_folder).captures == 1


async def test_turn_is_given_back_where_a_capture_fails(bench_in_a_folder):
    clock = FakeClock()
    one = gate(bench_in_a_folder, clock)
    with pytest.raises(RuntimeError):
        async with one.turn():
            raise RuntimeError
    await capture(gate(bench_in_a_folder, clock), clock)
    assert state(bench_in_a_folder).captures == 2


async def test_lock_that_cannot_be_had_at_all_is_not_waited_for(bench_in_a_folder):
    clock, database = FakeClock(), bench_in_a_folder.database
    place = Path(database._engine.url.database)
    (place.parent / f"{place.stem}.surface-{NAME}.lock").mkdir()
    with pytest.raises(StoreError, match="lock file cannot be made"):
        await capture(gate(bench_in_a_folder, clock), clock)
    assert clock.slept == []


async def test_clock_that_goes_back_delays_no_capture_for_longer_than_the_spacing(
    bench_in_a_folder,
):
    clock = FakeClock()
    one = gate(bench_in_a_folder, clock)
    await capture(one, clock)
    clock.seconds -= timedelta(days=400).total_seconds()
    await capture(one, clock)
    assert clock.slept == [5.0, 20.0, 5.0]
