"""One writer thread: group commit, one failure apart, nothing before the COMMIT."""

import asyncio
import threading

import pytest
from sqlalchemy import event, text

from monitor.errors import StoreError
from monitor.store import Writer


@pytest.fixture
def numbers(database):
    with database.write() as c:
        c.execute(text("CREATE TABLE number (n INTEGER PRIMARY KEY)"))
    return database


@pytest.fixture
def writer(numbers):
    with Writer(numbers) as opened:
        yield opened


def insert(n):
    def change(connection):
        connection.execute(text("INSERT INTO number VALUES (:n)"), {"n": n})
        return n

    return change


def stored(database):
    with database.read() as c:
        return [row.n for row in c.execute(text("SELECT n FROM number ORDER BY n"))]


async def test_concurrent_changes_share_few_transactions(numbers, writer):
    commits = []
    event.listen(numbers._engine, "commit", commits.append)
    given = await asyncio.gather(*(writer.do(insert(n)) for n in range(500)))
    assert given == list(range(500))
    assert stored(numbers) == list(range(500))
    assert len(commits) < 100


async def test_failed_change_is_undone_alone(numbers, writer):
    def fail_late(connection):
        insert(1000)(connection)
        raise ValueError("no")

    changes = [insert(1), fail_late, insert(2), insert(2), insert(3)]
    told = await asyncio.gather(*(writer.do(one) for one in changes), return_exceptions=True)
    assert [type(one).__name__ for one in told] == [
        "int", "ValueError", "int", "IntegrityError", "int",
    ]  # fmt: skip
    assert stored(numbers) == [1, 2, 3]


async def test_change_is_invisible_until_its_future_is_set(numbers, writer):
    entered, go_on = threading.Event(), threading.Event()

    def slow(connection):
        insert(7)(connection)
        entered.set()
        assert go_on.wait(10)

    pending = asyncio.ensure_future(writer.do(slow))
    assert await asyncio.to_thread(entered.wait, 10)
    assert stored(numbers) == []
    assert not pending.done()
    go_on.set()
    await pending
    assert stored(numbers) == [7]


async def test_lost_commit_is_told_to_everyone_in_the_batch(numbers, writer):
    def refuse(connection):
        raise OSError("disk gone")

    event.listen(numbers._engine, "commit", refuse)
    told = await asyncio.gather(writer.do(insert(1)), writer.do(insert(2)), return_exceptions=True)
    event.remove(numbers._engine, "commit", refuse)
    assert [str(one) for one in told] == ["disk gone", "disk gone"]
    assert stored(numbers) == []
    assert await writer.do(insert(3)) == 3


async def test_cancelled_change_that_waits_is_never_run(numbers, writer):
    entered, go_on = threading.Event(), threading.Event()

    def block(connection):
        entered.set()
        assert go_on.wait(10)

    first = asyncio.ensure_future(writer.do(block))
    assert await asyncio.to_thread(entered.wait, 10)
    second = asyncio.ensure_future(writer.do(insert(5)))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([second])
    go_on.set()
    await first
    await writer.do(insert(6))
    assert stored(numbers) == [6]


def test_close_commits_what_is_queued_and_refuses_more(numbers):
    writer = Writer(numbers, batch=10)
    futures = [writer.submit(insert(n)) for n in range(35)]
    writer.close()
    writer.close()
    assert [future.result(0) for future in futures] == list(range(35))
    with pytest.raises(StoreError, match="writer is closed"):
        writer.submit(insert(99))


async def test_change_that_ends_the_transaction_harms_no_one_silently(numbers, writer):
    def rogue(connection):
        connection.exec_driver_sql("ROLLBACK")

    told = await asyncio.gather(
        writer.do(insert(1)), writer.do(rogue), writer.do(insert(2)), return_exceptions=True
    )
    failed = [one for one in told if isinstance(one, Exception)]
    kept = [one for one in told if isinstance(one, int)]
    assert failed
    assert stored(numbers) == kept


def insert_all(connection, numbers):
    """A change made of parts; 13 is refused."""
    if 13 in numbers:
        raise ValueError("unlucky")
    connection.execute(text("INSERT INTO number VALUES (:n)"), [{"n": n} for n in numbers])
    return [n * 10 for n in numbers]


async def test_parts_of_one_change_that_wait_together_run_as_one(numbers, writer):
    runs = []

    def noted(connection, parts):
        runs.append(len(parts))
        return insert_all(connection, parts)

    given = await asyncio.gather(*(writer.do_along(noted, n) for n in range(100, 400)))
    assert given == [n * 10 for n in range(100, 400)]
    assert stored(numbers) == list(range(100, 400))
    assert (sum(runs), len(runs) < 100) == (300, True)


async def test_part_that_fails_is_undone_alone(numbers, writer):
    asked = [writer.do_along(insert_all, n) for n in (12, 13, 14)]
    told = await asyncio.gather(*asked, writer.do(insert(15)), return_exceptions=True)
    assert [type(one).__name__ for one in told] == ["int", "ValueError", "int", "int"]
    assert stored(numbers) == [12, 14, 15]
