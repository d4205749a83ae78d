"""What only a server does: it restarts, it breaks ties, it serves several processes at once."""

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import event, text

from monitor.domain.money import Spent
from monitor.errors import StoreError
from monitor.store import Writer, captures, open_database, spend
from monitor.store import database as databases
from monitor.store.runs import Caps
from monitor.store.spend import Ask
from tests.servers import running_postgres


@pytest.fixture
def served(postgres_url):
    opened = open_database(postgres_url)
    yield opened
    opened.close()


def shown(opened, name):
    with opened.read() as c:
        return c.execute(text(f"SHOW {name}")).scalar()


def test_connection_says_whose_it_is_and_waits_for_nobody_for_ever(served):
    assert shown(served, "application_name").startswith("monitor ")
    assert shown(served, "lock_timeout") == "30s"
    assert shown(served, "tcp_keepalives_idle") in {"15", "0"}  # 0 on a Unix socket


def test_what_the_url_asks_for_stays(postgres_url):
    opened = open_database(f"{postgres_url}&application_name=mine&options=-c%20lock_timeout%3D5s")
    assert (shown(opened, "application_name"), shown(opened, "lock_timeout")) == ("mine", "5s")
    opened.close()


def test_reading_connection_changes_nothing(served):
    with pytest.raises(StoreError, match="read-only transaction"), served.read() as c:
        c.execute(text("DELETE FROM run"))


def test_server_that_never_answered_is_told_at_once(tmp_path):
    began = time.monotonic()
    opened = open_database(f"postgresql://nobody@/none?host={tmp_path}")
    with pytest.raises(StoreError, match="check that it is reachable"), opened.read():
        pass
    assert time.monotonic() - began < 5


def test_database_that_is_not_there_is_named(postgres_server):
    opened = open_database(postgres_server.url("no_such_one"))
    with pytest.raises(StoreError, match='database "no_such_one" does not exist'), opened.read():
        pass


def test_password_is_in_no_message(postgres_server):
    url = postgres_server.url("gone").replace("monitor@", "monitor:hunter2@")
    with pytest.raises(StoreError) as caught, open_database(url).read():
        pass
    assert "hunter2" not in str(caught.value)


def test_password_may_lie_in_a_file_and_is_told_to_the_server_alone(
    postgres_url, monkeypatch, tmp_path
):
    (tmp_path / "password").write_text("hunter2@/ %41'\\\n")
    monkeypatch.setenv("PGPASSWORD_FILE", str(tmp_path / "password"))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    opened = open_database(postgres_url)
    assert shown(opened, "application_name").startswith("monitor ")
    assert conninfo_to_dict(opened.conninfo)["password"] == "hunter2@/ %41'\\"
    assert "hunter2" not in opened.shown_url
    opened.close()
    kept = open_database(postgres_url.replace("monitor@", "monitor:own@"))
    assert conninfo_to_dict(kept.conninfo)["password"] == "own"
    kept.close()


def test_lock_that_nobody_lets_go_of_is_told(postgres_url):
    slow = open_database(postgres_url)
    quick = open_database(f"{postgres_url}&options=-c%20lock_timeout%3D100ms")
    with slow.write() as held:
        held.execute(text("LOCK TABLE run"))
        with pytest.raises(StoreError, match="lock timeout"), quick.write() as c:
            c.execute(text("DELETE FROM run"))
    slow.close()
    quick.close()


def numbered(opened):
    with opened.write() as c:
        c.execute(text("CREATE TABLE number (n INTEGER PRIMARY KEY, seen INTEGER DEFAULT 0)"))


def insert(n):
    return lambda c: c.execute(text("INSERT INTO number (n) VALUES (:n)"), {"n": n})


def stored(opened):
    with opened.read() as c:
        return [row.n for row in c.execute(text("SELECT n FROM number ORDER BY n"))]


def test_writer_goes_on_over_restarts_of_the_server():
    with running_postgres() as server:
        opened = open_database(server.new_database(upgraded=False))
        numbered(opened)
        with Writer(opened) as writer:
            restarts = threading.Thread(target=restart_often, args=(server,))
            restarts.start()
            told = {}
            for n in range(1500):
                told[n] = writer.submit(insert(n))
                time.sleep(0.001)
            restarts.join()
        kept = {n for n, future in told.items() if future.exception() is None}
        # A COMMIT that the server did not live to answer may have been done, or not.
        assert kept <= set(stored(opened))
        assert len(kept) > 1000
        opened.close()


def restart_often(server):
    for _ in range(3):
        time.sleep(0.3)
        server.restart(down_seconds=0.3)


def test_change_cut_by_a_restart_is_made_once_by_another_try():
    with running_postgres() as server:
        opened = open_database(server.new_database(upgraded=False))
        numbered(opened)
        tries = []

        def cut(c):
            tries.append(1)
            insert(1)(c)
            if len(tries) == 1:
                server.restart()
            insert(2)(c)

        with Writer(opened) as writer:
            writer.submit(cut).result(30)
        assert (stored(opened), len(tries)) == ([1, 2], 2)
        opened.close()


def test_server_that_stays_away_is_told_after_the_patience(monkeypatch):
    monkeypatch.setattr(databases, "PATIENCE", 0.5)
    with running_postgres() as server:
        opened = open_database(server.new_database(upgraded=False))
        numbered(opened)
        server.stop()
        with Writer(opened) as writer, pytest.raises(StoreError, match="check that it is reach"):
            writer.submit(insert(1)).result(30)
        server.start()
        assert stored(opened) == []
        opened.close()


LOCK = text("SELECT pg_advisory_xact_lock(7)")


def frozen_and_another(frozen, other):
    """Seconds that another writer waits for one that froze with a lock in hand, and wakes up."""
    with frozen.write() as held:
        held.execute(LOCK)
        began = time.monotonic()
        with other.write() as c:
            c.execute(LOCK)
        yield time.monotonic() - began
        held.execute(text("SELECT 1"))


def test_frozen_writer_holds_up_nobody_for_long(served, postgres_url, monkeypatch):
    monkeypatch.setattr(databases, "IDLE_SECONDS", 1)
    frozen = open_database(postgres_url)
    waits = frozen_and_another(frozen, served)
    assert 0.5 < next(waits) < 10
    with pytest.raises(StoreError):
        next(waits)
    frozen.close()


def test_changes_that_lock_each_other_out_are_both_made(served, postgres_url):
    numbered(served)
    with served.write() as c:
        for n in (1, 2):
            insert(n)(c)
    met = threading.Barrier(2, timeout=60)
    undone = []
    event.listen(served._engine, "handle_error", undone.append)

    def crossing(first, second):
        tried = []

        def change(c):
            see = text("UPDATE number SET seen = seen + 1 WHERE n = :n")
            c.execute(see, {"n": first})
            if not tried:
                tried.append(1)
                met.wait()
            c.execute(see, {"n": second})

        return change

    with Writer(served) as one, Writer(served) as two:
        for future in (one.submit(crossing(1, 2)), two.submit(crossing(2, 1))):
            future.result(30)
    with served.read() as c:
        seen = c.execute(text("SELECT seen FROM number ORDER BY n")).scalars().all()
    assert seen == [2, 2]
    assert len(undone) == 1


CAPPED = """
import asyncio, json, sys
from datetime import UTC, datetime
from monitor.errors import BudgetError
from monitor.store import Writer, open_database, captures
from monitor.store.spend import RunBudget
from monitor.store import runs
from monitor.store.runs import Caps

class Clock:
    def now(self):
        return datetime.now(UTC)

async def ask(budget, capture_id):
    try:
        held = await budget.reserve(capture_id, "openai", 100)
        await budget.settle(held, 40)
        return 1
    except BudgetError:
        return 0

async def main(url, run_id, first):
    with Writer(open_database(url)) as writer:
        await writer.do(lambda c: runs.set_caps(c, run_id, Caps(calls=90)))
        budget = RunBudget(writer, run_id, Clock())
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(sum(await asyncio.gather(*(ask(budget, first + n % 8) for n in range(80))))))

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


def test_two_processes_together_never_pass_a_cap(database, store_url, run):
    with database.read() as c:
        first = captures.load_captures(c, run.id)[0].id
    words = [sys.executable, "-c", CAPPED, store_url, str(run.id), str(first)]
    both = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for one in both:
        assert one.stdout.readline() == "ready\n"
    for one in both:
        one.stdin.write("go\n")
        one.stdin.flush()
    made = [json.loads(one.communicate(timeout=60)[0]) for one in both]
    with database.read() as c:
        assert spend.totals(c, run.id) == Spent(90, 90 * 40, 0)
    assert sum(made) == 90


def test_one_reservation_settled_by_many_at_once_is_corrected_once(database, run, at):
    with database.write() as c:
        first = captures.load_captures(c, run.id)[0].id
        held = spend.reserve(c, Ask(run.id, first, "openai", 900), caps=Caps(), at=at)

    def settle():
        with database.write() as c:
            spend.settle(c, held, 400, at=at)

    with ThreadPoolExecutor(8) as threads:
        for future in [threads.submit(settle) for _ in range(8)]:
            future.result()
    with database.read() as c:
        assert c.execute(text("SELECT spent_micros FROM run")).scalar() == 400
