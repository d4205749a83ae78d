"""PgQueuer's queue through our own transactions: what is planned is queued, once, or not at all."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from monitor.domain.engine import Access
from monitor.domain.job import Job, capture_queue
from monitor.store import jobs, open_database, panels, queue, runs, upgrade

AT = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)


@pytest.fixture
def database(postgres_url):
    """The queue is there on PostgreSQL alone."""
    opened = open_database(postgres_url)
    yield opened
    opened.close()


def write(database, change, *arguments):
    with database.write() as c:
        return change(c, *arguments)


def read(database, look, *arguments):
    with database.read() as c:
        return look(c, *arguments)


def rows(database):
    """Key and status of everything in the queue, oldest first."""
    query = text("SELECT dedupe_key, status::text FROM pgq.pgqueuer ORDER BY id")
    with database.read() as c:
        return [tuple(row) for row in c.execute(query)]


def pick(database, key):
    """Have one job worked on, as a worker would."""
    change = text("UPDATE pgq.pgqueuer SET status = 'picked' WHERE dedupe_key = :key")
    write(database, lambda c: c.execute(change, {"key": key}))


def finish(database, key):
    write(
        database,
        lambda c: c.execute(text("DELETE FROM pgq.pgqueuer WHERE dedupe_key = :key"), {"key": key}),
    )


def several(run_id, *subjects, name="engine:openai"):
    return [Job(run_id, name, subject) for subject in subjects]


@pytest.mark.parametrize("access", list(Access))
def test_key_of_a_job_leads_back_to_it(access):
    job = Job(12, capture_queue("google-ai", access), 345)
    assert Job.of_key(job.key) == job


def test_jobs_that_wait_or_are_worked_on_are_not_queued_twice(database):
    first, second, third = several(1, 1, 2, 3)
    assert write(database, queue.enqueue, [first, second]) == 2
    pick(database, first.key)
    assert write(database, queue.enqueue, [first, second, third, third]) == 1
    assert rows(database) == [(first.key, "picked"), (second.key, "queued"), (third.key, "queued")]
    finish(database, first.key)
    assert write(database, queue.enqueue, [first]) == 1


def test_jobs_are_queued_in_the_transaction_that_plans_them_or_not_at_all(database, panel):
    def change(connection):
        panels.save_panel(connection, panel, saved_at=AT)
        queue.enqueue(connection, several(1, 1, 2))
        assert queue.has_jobs(connection, 1)
        raise RuntimeError("undone")

    with pytest.raises(RuntimeError, match="undone"), database.write() as c:
        change(c)
    assert rows(database) == []
    assert (
        read(database, lambda c: c.execute(text("SELECT count(*) FROM panel_version")).scalar())
        == 0
    )


def test_no_worker_sees_a_job_before_its_transaction_is_over(database, postgres_url):
    other = open_database(postgres_url)
    with database.write() as c:
        queue.enqueue(c, several(1, 1))
        assert not read(other, queue.has_jobs, 1)
    assert read(other, queue.has_jobs, 1)
    other.close()


def test_queue_takes_more_jobs_than_one_statement_holds(database):
    assert write(database, queue.enqueue, several(1, *range(12_001))) == 12_001
    assert read(database, queue.count_jobs, 1, "engine:openai") == 12_001


def test_no_jobs_are_no_statement(database):
    assert write(database, queue.enqueue, []) == 0


def lost(database, run, limit=100):
    return list(read(database, queue.unqueued_captures, run.id, limit))


def test_captures_that_are_planned_and_in_no_queue_are_found_in_planned_order(database, run):
    planned = lost(database, run)
    assert [job.subject_id for job in planned] == sorted(job.subject_id for job in planned)
    assert len(planned) == 8
    assert {job.queue for job in planned} == {"engine:openai", "engine:perplexity"}
    assert lost(database, run, limit=3) == planned[:3]

    waits, is_worked_on, stored, given_up, *rest = planned
    write(database, queue.enqueue, [waits, is_worked_on])
    pick(database, is_worked_on.key)
    with database.write() as c:
        c.execute(
            text("UPDATE capture SET state = 'stored' WHERE id = :id"), {"id": stored.subject_id}
        )
        jobs.start_jobs(c, [given_up, rest[0]], most_starts=9, at=AT)
        jobs.fail_job(c, given_up, "ValueError", most_failures=1, at=AT)
    assert lost(database, run) == rest

    finish(database, is_worked_on.key)
    write(database, jobs.revive_jobs, run.id)
    assert lost(database, run) == [is_worked_on, given_up, *rest]


def test_a_failed_row_of_the_library_hides_no_capture(database, run):
    first, *_ = lost(database, run)
    write(database, queue.enqueue, [first])
    failed = text("UPDATE pgq.pgqueuer SET status = 'failed'")
    write(database, lambda c: c.execute(failed))
    assert first in lost(database, run)


@pytest.mark.parametrize("access", list(Access))
def test_queue_of_a_capture_is_the_same_in_the_store_and_in_the_domain(
    database, panel, make_plan, access
):
    with database.write() as c:
        panel_id = panels.save_panel(c, panel, saved_at=AT)
        plan = make_plan(panel, access=access)
        made = runs.plan_run(c, panel_id, "2026-12", plan, caps=runs.Caps(), config={}, at=AT)
    expected = {capture_queue(one.engine, access) for one in plan}
    assert {job.queue for job in lost(database, made)} == expected


def test_runs_whose_numbers_begin_alike_are_kept_apart(database):
    write(database, queue.enqueue, several(12, 1, 2) + several(1, 3, name="pages"))
    assert read(database, queue.count_jobs, 1, "pages") == 1
    assert read(database, queue.count_jobs, 1, "engine:openai") == 0
    assert read(database, queue.count_jobs, 12, "engine:openai") == 2
    assert not read(database, queue.has_jobs, 2)
    assert write(database, queue.withdraw, 1) == 1
    assert not read(database, queue.has_jobs, 1)
    assert read(database, queue.has_jobs, 12)


def test_queues_whose_names_begin_alike_are_kept_apart(database):
    write(database, queue.enqueue, several(1, 1, name="engine:ab") + several(1, 2, name="engine:a"))
    assert read(database, queue.count_jobs, 1, "engine:a") == 1


def test_what_is_worked_on_is_not_withdrawn(database):
    begun, waits = several(1, 1, 2)
    write(database, queue.enqueue, [begun, waits])
    pick(database, begun.key)
    assert write(database, queue.withdraw, 1) == 1
    assert rows(database) == [(begun.key, "picked")]


def test_notes_about_ended_jobs_are_forgotten_after_their_days(database):
    write(database, queue.enqueue, several(1, 1, 2))
    old = text(
        "UPDATE pgq.pgqueuer_log SET created = now() - interval '3 days'"
        " WHERE id = (SELECT min(id) FROM pgq.pgqueuer_log)"
    )
    write(database, lambda c: c.execute(old))
    write(database, queue.purge_queue_log, 2)
    left = read(
        database, lambda c: c.execute(text("SELECT count(*) FROM pgq.pgqueuer_log")).scalar()
    )
    assert left == 1
    assert len(rows(database)) == 2


def test_only_one_steers_and_the_next_may_when_it_is_done(database, postgres_url):
    other = open_database(postgres_url)
    with database.write() as c:
        assert queue.steers_alone(c)
        with other.write() as d:
            assert not queue.steers_alone(d)
    with other.write() as d:
        assert queue.steers_alone(d)
    other.close()


def test_queue_is_made_once_and_kept_when_it_is_made_again(database):
    write(database, queue.enqueue, several(1, 1))
    upgrade(database)
    upgrade(database)
    assert read(database, queue.has_jobs, 1)


def test_queue_of_an_older_version_of_the_library_is_brought_up_to_date(database):
    write(database, queue.enqueue, several(1, 1))
    index = text("DROP INDEX pgq.pgqueuer_picked_slot_idx")
    write(database, lambda c: c.execute(index))
    upgrade(database)
    found = text("SELECT to_regclass('pgq.pgqueuer_picked_slot_idx') IS NOT NULL")
    assert read(database, lambda c: c.execute(found).scalar())
    assert read(database, queue.has_jobs, 1)


UPGRADE = """
import sys
from monitor.store import open_database, upgrade
database = open_database(sys.argv[1])
sys.stdin.readline()
upgrade(database)
database.close()
"""


def test_two_processes_may_make_the_tables_at_once(postgres_server):
    url = postgres_server.new_database(upgraded=False)
    both = [
        subprocess.Popen(
            [sys.executable, "-c", UPGRADE, url], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    told = [one.communicate(b"go\n", timeout=60) for one in both]
    assert [one.returncode for one in both] == [0, 0], told
    database = open_database(url)
    assert write(database, queue.enqueue, several(1, 1)) == 1
    database.close()
    postgres_server.drop_database(url)
