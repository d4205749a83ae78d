"""A database that is locked, full, read-only or restarted in mid-run, and a clock that jumps."""

import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event

from monitor.capture.clock import SystemClock
from monitor.errors import StoreError
from monitor.pipeline import line
from monitor.store import runs, spend
from tests.edges.test_power_loss import FOREST, Oracle, left, resumed
from tests.servers import running_postgres
from tests.stored import answer, bench_on, planned

WHOLE = len(FOREST.prompts)


@pytest.fixture
def bench(any_bench):
    return any_bench


@contextmanager
def at_call(number, happening):
    """A hook for the oracle: something happens aside while that call is under way."""
    threads = []

    def before(asked):
        if asked == number:
            threads.append(threading.Thread(target=happening))
            threads[0].start()

    yield before
    for one in threads:
        one.join()


async def work(bench, run):
    return await line._work(bench, run, judge_name="embedded")


async def told_by(bench, run):
    """What working on a run says of what went wrong: of captures, or of the whole."""
    try:
        worked = await work(bench, run)
    except StoreError as error:
        return [str(error)]
    return [str(one.error) for one in worked.failures]


def assert_whole(bench, run, oracle):
    """Every capture is stored, and each was asked and counted once."""
    assert left(bench, run) == 0
    assert oracle.asked == WHOLE
    assert bench.read(lambda c: spend.totals(c, run.id)).calls >= WHOLE


@pytest.mark.parametrize("seconds", [2, pytest.param(10, marks=pytest.mark.torture)])
async def test_run_waits_for_a_file_that_another_program_holds(
    bench_in_a_folder, monkeypatch, seconds
):
    bench = bench_in_a_folder
    path = bench.settings.store.database.removeprefix("sqlite:///")

    def hold():
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA busy_timeout=5000")
            other.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
            other.execute("ROLLBACK")

    run = planned(bench, panel=FOREST)
    began = time.monotonic()
    with at_call(2, hold) as before:
        oracle = Oracle(monkeypatch, before)
        worked = await work(bench, run)
    assert worked.run.state is runs.RunState.DONE
    assert time.monotonic() - began > seconds
    assert_whole(bench, run, oracle)


def full_file(bench):
    """Let the file of a store grow no more; gives the way back."""
    limits = {"pages": 0}

    def limit(connection):
        raw = connection.connection.driver_connection
        raw.execute(f"PRAGMA max_page_count={limits['pages'] or 4_294_967_294}")

    event.listen(bench.database._engine, "begin", limit)
    with bench.database.read() as c:
        limits["pages"] = c.exec_driver_sql("PRAGMA page_count").scalar()
    return lambda: limits.update(pages=0)


def read_only_file(bench):
    """Let nobody write to the file of a store; gives the way back."""
    only = {"on": 1}

    def forbid(raw, _record, _proxy):
        raw.execute(f"PRAGMA query_only={only['on']}")

    event.listen(bench.database._engine, "checkout", forbid)
    return lambda: only.update(on=0)


def full_server(bench):
    """Have a server refuse new readings as it does when its disk is full; gives the way back."""
    with bench.database.write() as c:
        c.exec_driver_sql(
            "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN "
            "RAISE EXCEPTION 'could not extend file: No space left on device' "
            "USING ERRCODE = '53100'; END $$ LANGUAGE plpgsql"
        )
        for table in ("reading", "job", "spend"):
            c.exec_driver_sql(
                f"CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION refuse()"
            )

    def free():
        with bench.database.write() as c:
            c.exec_driver_sql("DROP FUNCTION refuse CASCADE")

    return free


def read_only_server(bench):
    """Have a server write nothing more, as a standby does; gives the way back."""
    only = {"on": True}

    def forbid(connection):
        if only["on"]:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    event.listen(bench.database._engine, "begin", forbid)
    return lambda: only.update(on=False)


@pytest.mark.parametrize(
    ("any_bench", "refuse"),
    [
        ("bench_in_a_folder", full_file),
        ("bench_in_a_folder", read_only_file),
        ("bench_on_servers", full_server),
        ("bench_on_servers", read_only_server),
    ],
    indirect=["any_bench"],
)
async def test_store_that_takes_no_more_is_told_and_resume_completes_the_run(
    bench, monkeypatch, refuse
):
    run = planned(bench, panel=FOREST)
    ways_back = []
    oracle = Oracle(
        monkeypatch,
        before=lambda asked: ways_back.append(refuse(bench)) if asked == 3 else None,
        body=answer("Oaks grow slowly. " * 3000),
    )
    try:
        told = await told_by(bench, run)
    finally:
        ways_back[0]()
    assert any("writable, not full" in one for one in told), told
    assert left(bench, run) > 0
    stands = bench.read(lambda c: runs.load_run_by_id(c, run.id))
    assert stands.state in {runs.RunState.RUNNING, runs.RunState.INCOMPLETE}
    await resumed(bench, run)
    assert_whole(bench, run, oracle)


@pytest.fixture
def own_server():
    """A server that may be stopped, for nobody else works on it."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def bench_on_own_server(own_server, s3_bucket, monkeypatch):
    with bench_on(own_server.new_database(), s3_bucket.url, monkeypatch) as bench:
        yield bench


async def test_run_goes_on_when_its_server_was_restarted(
    own_server, bench_on_own_server, monkeypatch
):
    bench = bench_on_own_server
    run = planned(bench, panel=FOREST)
    with at_call(3, lambda: own_server.restart(down_seconds=1)) as before:
        oracle = Oracle(monkeypatch, before)
        await work(bench, run)
    stands = bench.read(lambda c: runs.load_run_by_id(c, run.id))
    assert stands.state in {runs.RunState.DONE, runs.RunState.INCOMPLETE}
    await resumed(bench, run)
    assert_whole(bench, run, oracle)


class JumpingClock(SystemClock):
    """The machine's clock, set to another time in mid-run."""

    def __init__(self):
        self.jump = timedelta()

    def now(self):
        return super().now() + self.jump


@pytest.mark.parametrize("hours", [-1, 1])
async def test_run_ends_in_time_when_the_clock_is_set_by_an_hour(bench, monkeypatch, hours):
    clock = JumpingClock()
    bench = replace(bench, clock=clock)
    run = planned(bench, panel=FOREST)

    def jump(asked):
        if asked == 3:
            clock.jump = timedelta(hours=hours)

    oracle = Oracle(monkeypatch, jump)
    began = time.monotonic()
    worked = await work(bench, run)
    assert worked.run.state is runs.RunState.DONE
    assert time.monotonic() - began < 30
    assert_whole(bench, run, oracle)
