"""The scheduler lets go of stored bytes once a day, in the thread that works on runs."""

import threading
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from monitor.config.parts import RetentionPart
from monitor.errors import StoreError
from monitor.pipeline.retaining import retain
from monitor.pipeline.verifying import verify_store
from monitor.schedule import desk, run_scheduler, tidying
from monitor.schedule.desk import Desk
from monitor.schedule.tidying import Tidying
from monitor.store import notes, runs
from tests.scheduled import Installation, missed, run_ids
from tests.store.old_stores import build_old_store

MONTH = RetentionPart(payload_days=30)
YEARLY = "0 6 1 1 *"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    return Installation(tmp_path, f"sqlite:///{tmp_path}/monitor.db")


@pytest.fixture
def kept_for_a_month(here):
    here.settings = here.settings.model_copy(update={"retention": MONTH})
    return here


@pytest.fixture
def calls(monkeypatch):
    """Every call of retention; what stands in `failing` is raised by the next one."""
    made, failing = [], []

    def retain(_bench):
        made.append(threading.current_thread().name)
        if failing:
            raise failing.pop()
        return {}

    monkeypatch.setattr(tidying, "retain", retain)
    return SimpleNamespace(made=made, failing=failing)


def until(wanted, *, seconds=20):
    ends = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < ends, "it did not come true"
        time.sleep(0.01)


def tidied(bench, opened, calls, *, after):
    """How often retention was called, so much later and after one more look."""
    bench.clock.at += timedelta(seconds=after)
    opened.tidy()
    until(lambda: not opened._will_tidy)
    return len(calls.made)


def end_all_runs(bench):
    """Let every run have ended a day before its time is over."""
    ended = {"at": bench.clock.now() - timedelta(days=31)}
    for change in (
        "UPDATE run SET state = 'done', finished_at = :at",
        "DELETE FROM capture WHERE reading_id IS NULL",
    ):
        bench.write(lambda c, change=change: c.execute(text(change), ended))


def test_a_scheduler_removes_what_is_past_its_time(kept_for_a_month, tmp_path):
    build_old_store(f"sqlite:///{tmp_path}/monitor.db", tmp_path / "artifacts")
    stop = threading.Event()
    with kept_for_a_month.bench() as bench:
        end_all_runs(bench)
        thread = threading.Thread(target=run_scheduler, args=(bench, stop))
        thread.start()
        try:
            until(lambda: bench.read(notes.all_removed))
        finally:
            stop.set()
            thread.join(30)


def test_rows_from_before_a_removal_are_brought_in_line_by_the_next_one(kept_for_a_month, tmp_path):
    """A dump, a removal, then the copy of the bytes: what a backup may catch."""
    build_old_store(f"sqlite:///{tmp_path}/monitor.db", tmp_path / "artifacts")
    with kept_for_a_month.bench() as bench:
        end_all_runs(bench)
        bench.database.snapshot(tmp_path / "copy.db")
        retain(bench)
    (tmp_path / "copy.db").replace(tmp_path / "monitor.db")
    with kept_for_a_month.bench() as bench:
        assert not verify_store(bench).sound
        retain(bench)
        assert verify_store(bench).sound


def test_it_is_done_once_a_day_and_not_in_the_thread_that_wakes(kept_for_a_month, calls):
    with kept_for_a_month.bench() as bench:
        opened = Desk(bench)
        assert tidied(bench, opened, calls, after=0) == 1
        assert tidied(bench, opened, calls, after=60) == 1
        assert tidied(bench, opened, calls, after=86_339) == 1
        assert tidied(bench, opened, calls, after=2) == 2
        assert set(calls.made) == {"schedule-desk"}
        assert opened.close(20)


def test_without_limits_nothing_is_even_looked_for(here, calls):
    with here.bench() as bench:
        opened = Desk(bench)
        assert tidied(bench, opened, calls, after=0) == 0
        assert opened.close(20)


@pytest.mark.parametrize("error", [StoreError("a run is at work"), OSError(28, "No space left")])
def test_what_could_not_be_done_is_tried_again_in_ten_minutes(kept_for_a_month, calls, error):
    with kept_for_a_month.bench() as bench:
        opened = Desk(bench)
        calls.failing.append(error)
        assert tidied(bench, opened, calls, after=0) == 1
        assert tidied(bench, opened, calls, after=590) == 1
        assert tidied(bench, opened, calls, after=11) == 2
        assert tidied(bench, opened, calls, after=601) == 2
        assert opened.close(20)


def test_it_waits_while_another_process_works_on_the_store(kept_for_a_month, caplog):
    with kept_for_a_month.bench() as bench, kept_for_a_month.bench() as other:
        chore = Tidying(bench, lambda: False)
        with other.database.exclusive(), caplog.at_level("INFO"):
            chore.work()
        assert [one.message for one in caplog.records][-1] == "retention_waits"
        assert "is working on this store" in caplog.records[-1].about["reason"]


def test_a_fault_in_it_keeps_no_run_from_its_turn(kept_for_a_month, calls, monkeypatch):
    kept_for_a_month.write(schedule=f'schedule: {{cron: "{YEARLY}", timezone: UTC}}')
    worked = []
    monkeypatch.setattr(desk, "hand_over", lambda _b, run, **_n: worked.append(run) or 1 / 0)
    calls.failing.append(KeyError("x"))
    with kept_for_a_month.bench() as bench:
        missed(bench, YEARLY, days=30)
        opened = Desk(bench)
        assert tidied(bench, opened, calls, after=0) == 1
        kept_for_a_month.look(bench)
        for run in bench.read(runs.list_runs):
            opened.add(run)
        until(lambda: worked)
        assert run_ids(bench) == [worked[0].public_id]
        assert opened.close(20)


def test_an_end_of_the_process_does_not_wait_for_all_of_it(kept_for_a_month, monkeypatch):
    batches, begun = [], threading.Event()

    def endless(bench):
        while len(batches) < 2000:
            batches.append(1)
            begun.set()
            time.sleep(0.01)
            bench.progress("payloads", len(batches), 0)

    monkeypatch.setattr(tidying, "retain", endless)
    with kept_for_a_month.bench() as bench:
        opened = Desk(bench)
        opened.tidy()
        assert begun.wait(20)
        assert opened.close(5)
    assert len(batches) < 2000
