"""The list of workers: who is there, who ended, and who was not heard of any more."""

from datetime import UTC, datetime, timedelta

from monitor.store.workers import forget_silent, forget_worker, list_workers, see_worker

AT = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
LATER = AT + timedelta(minutes=5)


def seen(database, name, *, at=AT, queues=("capture",)):
    with database.write() as c:
        see_worker(c, name, queues, at=at)


def listed(database, since):
    with database.read() as c:
        return {one.name: one for one in list_workers(c, since=since)}


def test_worker_that_says_so_again_is_one_worker(database):
    seen(database, "b:1")
    seen(database, "b:1", at=LATER)
    seen(database, "a:2", at=LATER, queues=("pages", "judge"))
    there = listed(database, AT)
    assert list(there) == ["a:2", "b:1"]
    assert (there["b:1"].started_at, there["b:1"].seen_at) == (AT, LATER)
    assert there["a:2"].queues == ("pages", "judge")


def test_silent_worker_is_not_listed_and_forgotten_in_the_end(database):
    seen(database, "silent:1")
    seen(database, "there:2", at=LATER)
    assert list(listed(database, LATER)) == ["there:2"]
    with database.write() as c:
        forget_silent(c, before=LATER)
    assert list(listed(database, AT)) == ["there:2"]


def test_worker_that_ended_in_order_is_gone_at_once(database):
    seen(database, "a:1")
    seen(database, "a:2")
    with database.write() as c:
        forget_worker(c, "a:1")
    assert list(listed(database, AT)) == ["a:2"]
