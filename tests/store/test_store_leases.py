"""One process at a time works on a store, whichever kind it is, and the next is told who."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from monitor.errors import StoreError
from monitor.store import leases, open_database
from tests.servers import running_postgres

HOLDER = """
import sys, time
from monitor.store import leases, open_database
with open_database(sys.argv[1]).exclusive():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(store_url):
    """Another process that works on the store."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, store_url], stdout=subprocess.PIPE) as one:
        assert one.stdout.readline() == b"held\n"
        yield one
        one.kill()


def taken(database, name="work", *, within=0.0):
    """Whether the work can be taken, now or soon."""
    deadline = time.monotonic() + within
    while True:
        try:
            with database.exclusive(name):
                return True
        except StoreError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)


def test_second_process_is_told_which_one_works(database, holder):
    told = rf"process \({holder.pid}.*\) is working on this store"
    with pytest.raises(StoreError, match=told), database.exclusive():
        pass


def test_killed_holder_leaves_no_lock_behind(database, holder):
    assert not taken(database)
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(10)
    assert taken(database, within=30)


def test_lock_is_free_again_after_work_and_after_a_failure(database):
    with database.exclusive():
        assert not taken(database)
    with pytest.raises(ZeroDivisionError):
        fail_at_work(database)
    assert taken(database)


def fail_at_work(database):
    with database.exclusive():
        raise ZeroDivisionError


def test_work_of_another_name_is_not_kept_waiting(database, holder):
    assert taken(database, "schedule")
    assert not taken(database)


def test_lock_file_holds_the_number_of_its_process(sqlite, sqlite_url):
    path = Path(sqlite_url.removeprefix("sqlite:///")).with_suffix(".lock")
    with sqlite.exclusive():
        assert path.read_text("ascii") == str(os.getpid())


def test_lock_file_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match="lock file cannot be made"),
        leases.held_file(tmp_path / "file" / "monitor.lock"),
    ):
        pass


def test_stores_on_one_server_do_not_keep_each_other_waiting(postgres_server, postgres_url):
    one, other = open_database(postgres_url), open_database(postgres_server.new_database())
    with one.exclusive():
        assert taken(other)
    one.close()
    other.close()


def wait_until(happened, seconds=15):
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.02)
    return happened()


def test_lock_is_taken_again_when_the_server_was_restarted():
    with running_postgres() as server:
        url = server.new_database(upgraded=False)
        one, other = open_database(url), open_database(url)
        with one.exclusive():
            server.restart()
            held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
            assert wait_until(lambda: server.execute(held) == [(1,)])
            with one.write() as c:
                c.execute(text("CREATE TABLE kept (n INTEGER)"))
        assert taken(other)
        one.close()
        other.close()


def test_process_that_lost_its_work_to_another_writes_nothing_more(monkeypatch):
    monkeypatch.setattr(leases, "_LOOK_SECONDS", 2.5)  # the other one is to be quicker
    with running_postgres() as server:
        url = server.new_database(upgraded=False)
        one, other = open_database(url), open_database(url)
        with one.exclusive():
            server.restart()
            entered, leave = threading.Event(), threading.Event()

            def work_elsewhere():
                with other.exclusive():
                    entered.set()
                    leave.wait(30)

            elsewhere = threading.Thread(target=work_elsewhere)
            elsewhere.start()
            assert entered.wait(10)
            assert wait_until(lambda: one._lost is not None)
            with pytest.raises(StoreError, match="is working on this store"), one.write():
                pass
            leave.set()
            elsewhere.join()
        one.close()
        other.close()
