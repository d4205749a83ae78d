"""The scheduler as a thread of another process: it wakes, starts, survives faults and ends."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from apscheduler.schedulers.background import BackgroundScheduler

from monitor.config.parts import RunnerPart
from monitor.errors import StoreError
from monitor.pipeline.line import Worked
from monitor.schedule import Slot, desk, firing, run_scheduler, scheduler
from monitor.schedule.desk import Desk
from monitor.store import queue, runs, schedules
from tests.scheduled import START, Installation, at, kept, missed, run_ids

RUN = "run:tea:2026-01-01T06:00"
YEARLY = "0 6 1 1 *"


@pytest.fixture(params=["sqlite", "postgresql"])
def here(request, tmp_path, monkeypatch):
    """A panel whose yearly slot was missed two weeks ago."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    url = f"sqlite:///{tmp_path}/monitor.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    made = Installation(tmp_path, url)
    made.write(schedule=f'schedule: {{cron: "{YEARLY}", timezone: UTC}}')
    return made


@pytest.fixture
def bench(here):
    with here.bench() as opened:
        missed(opened, YEARLY, days=30)
        yield opened


@contextmanager
def scheduling(bench, *, look_seconds=0.05):
    """A scheduler in a thread, ended at the end."""
    stop = threading.Event()
    thread = threading.Thread(
        target=run_scheduler, args=(bench, stop), kwargs={"look_seconds": look_seconds}
    )
    thread.start()
    try:
        yield thread
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()


def until(wanted, *, seconds=20):
    """Wait for something to come true."""
    ends = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < ends, "it did not come true"
        time.sleep(0.02)


def state(bench, run_id=RUN):
    found = bench.read(lambda c: runs.load_run(c, run_id))
    return found.state if found else None


def test_a_missed_slot_is_run_to_its_end_and_once(bench):
    with scheduling(bench):
        until(lambda: state(bench) is runs.RunState.DONE)
    with scheduling(bench):
        time.sleep(0.3)
    assert run_ids(bench) == [RUN]
    assert kept(bench).last_fired_at == START


def test_two_schedulers_in_one_store_run_a_slot_once(here, bench):
    with here.bench() as other, scheduling(bench), scheduling(other):
        until(lambda: state(bench) is runs.RunState.DONE)
        time.sleep(0.3)
    assert run_ids(bench) == [RUN]


def test_a_run_that_was_begun_elsewhere_is_brought_to_its_end(here, bench):
    assert here.look(bench) == [RUN]
    with scheduling(bench):
        until(lambda: state(bench) is runs.RunState.DONE)


def test_a_run_waits_while_another_process_works_on_the_store(here, bench):
    with here.bench() as other, other.database.exclusive(), scheduling(bench):
        until(lambda: state(bench) is runs.RunState.PLANNED)
        time.sleep(0.3)
        assert state(bench) is runs.RunState.PLANNED
    with scheduling(bench):
        until(lambda: state(bench) is runs.RunState.DONE)


def test_a_slot_is_started_when_it_is_due_between_two_looks(here, bench, monkeypatch):
    here.clock.at = at("2026-12-31T12:00")
    missed(bench, YEARLY, days=0)
    soon = bench.clock.now() + timedelta(seconds=1)
    slot = Slot(soon, "soon")

    class Running(type(here.clock)):
        """The test's day, at the speed of a clock."""

        def now(self, begun=time.monotonic()):  # noqa: B008 - one moment for all calls
            return self.at + timedelta(seconds=time.monotonic() - begun)

    bench = replace(bench, clock=Running(here.clock.at))
    real = time.time() - bench.clock.now().timestamp()
    monkeypatch.setattr(
        firing, "newest_slot", lambda _r, after, now: slot if after < soon <= now else None
    )
    # The alarm goes by the machine's clock.
    monkeypatch.setattr(
        scheduler, "next_slot",
        lambda _r, now: Slot(soon + timedelta(seconds=real), "soon") if now < soon else None,
    )  # fmt: skip
    with scheduling(bench, look_seconds=600):
        until(lambda: state(bench, "run:tea:soon") is runs.RunState.DONE)


def test_the_alarm_of_a_panel_is_set_to_its_next_slot(bench):
    waker = BackgroundScheduler(timezone="UTC")
    waker.start(paused=True)
    desk_ = Desk(bench)
    scheduler._look_around(bench, desk_, waker)
    assert [(j.id, j.next_run_time) for j in waker.get_jobs()] == [("tea", at("2027-01-01T06:00"))]
    waker.shutdown()
    assert desk_.close(20)


def test_a_removed_panel_loses_its_alarm(here, bench):
    waker = BackgroundScheduler(timezone="UTC")
    waker.start(paused=True)
    desk_ = Desk(bench)
    scheduler._look_around(bench, desk_, waker)
    (here.panels / "tea.yaml").unlink()
    scheduler._look_around(bench, desk_, waker)
    assert waker.get_jobs() == []
    waker.shutdown()
    assert desk_.close(20)


def test_a_store_that_is_down_ends_no_scheduler(bench, monkeypatch):
    calls = []

    def down(settings):
        calls.append(settings)
        if len(calls) < 3:
            raise StoreError("the database is down")
        return read(settings)

    read = scheduler.read_rules
    monkeypatch.setattr(scheduler, "read_rules", down)
    with scheduling(bench):
        until(lambda: state(bench) is runs.RunState.DONE)
    assert len(calls) >= 3


def test_a_run_that_fails_by_a_fault_is_left_alone_after_three_times(bench, monkeypatch):
    calls = []

    def faulty(_bench, run, **_named):
        calls.append(run.public_id)
        raise KeyError("x")

    monkeypatch.setattr(desk, "hand_over", faulty)
    with scheduling(bench):
        until(lambda: kept(bench).refused is not None)
        time.sleep(0.3)
    assert calls == [RUN] * 3
    assert f"`monitor resume {RUN}`" in kept(bench).refused


def test_a_failure_of_the_place_is_tried_again_for_good(bench, monkeypatch):
    calls = []

    def failing(_bench, run, **_named):
        calls.append(run.public_id)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(desk, "hand_over", failing)
    with scheduling(bench):
        until(lambda: len(calls) >= 6)
    assert kept(bench).refused is None


def test_runs_of_two_panels_are_worked_on_one_after_the_other(here, bench, monkeypatch):
    here.write("coffee", schedule=f'schedule: {{cron: "{YEARLY}", timezone: UTC}}')
    missed(bench, YEARLY, days=30, panel="coffee")
    at_work, most = [], []

    def slow(_bench, run, **_named):
        at_work.append(run)
        most.append(len(at_work))
        time.sleep(0.1)
        at_work.pop()
        done = bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=START))
        return Worked(done, ())

    monkeypatch.setattr(desk, "hand_over", slow)
    with scheduling(bench):
        until(lambda: len(most) == 2)
    assert most == [1, 1]
    assert len(run_ids(bench)) == 2


def test_a_paused_panel_starts_nothing_after_a_restart(bench):
    bench.write(lambda c: schedules.pause(c, "tea", at=START))
    with scheduling(bench):
        time.sleep(0.3)
    assert run_ids(bench) == []


def test_with_workers_a_run_is_left_to_them_at_once(here, postgres_url):
    here.settings = here.settings.model_copy(
        update={
            "runner": RunnerPart(name="pgqueuer"),
            "store": here.settings.store.model_copy(update={"database": postgres_url}),
        }
    )
    with here.bench() as bench:
        missed(bench, YEARLY, days=30)
        with scheduling(bench):
            until(lambda: state(bench) is runs.RunState.RUNNING)
            time.sleep(0.3)
        assert state(bench) is runs.RunState.RUNNING
        assert firing.unfinished(bench) == ()
        queued = bench.read(lambda c: queue.unqueued_captures(c, runs.one_run(c, RUN).id, 10))
        assert list(queued) == []
