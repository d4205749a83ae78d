"""The book of started jobs: counted in any process, forgotten in the transaction that does them."""

import asyncio
from datetime import UTC, datetime

import pytest

from monitor.domain.job import Job
from monitor.store import Writer, jobs, panels, runs
from monitor.store.jobs import (
    fail_job,
    finish_jobs,
    load_given_up,
    load_started,
    purge_jobs,
    revive_jobs,
    start_jobs,
)

AT = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
QUEUE = "engine:openai"


@pytest.fixture
def job(run):
    return Job(run.id, QUEUE, 7)


def started(database, *several, most=3):
    with database.write() as c:
        return start_jobs(c, several, most_starts=most, at=AT)


def failed(database, one, error="ValueError: no", most=3):
    with database.write() as c:
        return fail_job(c, one, error, most_failures=most, at=AT)


def not_done(database, run):
    with database.read() as c:
        return load_started(c, run.id)


def given_up(database, run):
    with database.read() as c:
        return load_given_up(c, run.id)


def test_job_that_ended_its_process_too_often_is_not_begun_again(database, run, job):
    # Three starts without an end are allowed; the fourth finds it given up.
    assert [started(database, job)[0] for _ in range(5)] == [True, True, True, False, False]
    (one,) = given_up(database, run)
    assert one.job == job
    assert one.failures == 0
    assert "process" in one.error


def test_job_that_failed_too_often_is_given_up_and_keeps_its_last_error(database, run, job):
    started(database, job, most=99)
    assert [failed(database, job, f"ValueError: try {n}") for n in range(3)] == [False, False, True]
    (one,) = not_done(database, run)
    assert (one.failures, one.error, one.given_up) == (3, "ValueError: try 2", True)
    assert started(database, job, most=99) == (False,)


def test_job_counts_as_started_until_it_is_done(database, run, job):
    def is_started():
        with database.read() as c:
            return jobs.is_started(c, job)

    assert not is_started()
    started(database, job)
    assert is_started()
    with database.write() as c:
        finish_jobs(c, [job])
    assert not is_started()


def test_error_of_a_failure_is_kept_when_the_process_ends_later(database, run, job):
    started(database, job)
    failed(database, job, "ValueError: first")
    started(database, job)
    assert not_done(database, run)[0].error == "ValueError: first"


def test_endless_error_is_cut(database, run, job):
    started(database, job)
    failed(database, job, "x" * 100_000)
    assert len(not_done(database, run)[0].error) == 2_000


def test_finished_jobs_are_forgotten_and_begin_anew(database, run, job):
    other = Job(run.id, "pages", 7)
    started(database, job, other)
    failed(database, job, most=1)
    with database.write() as c:
        finish_jobs(c, [job])
    assert [one.job for one in not_done(database, run)] == [other]
    assert started(database, job, most=1) == (True,)


def test_undone_transaction_forgets_nothing(database, run, job):
    started(database, job)

    def change(connection):
        finish_jobs(connection, [job])
        raise RuntimeError("undone")

    with pytest.raises(RuntimeError, match="undone"), database.write() as c:
        change(c)
    assert [one.job for one in not_done(database, run)] == [job]


def test_resumed_run_has_every_try_again(database, run, job):
    other = Job(run.id, QUEUE, 8)
    started(database, job, other)
    failed(database, job, most=1)
    with database.write() as c:
        revive_jobs(c, run.id)
    assert not_done(database, run) == ()
    assert started(database, job) == (True,)


def test_ended_run_keeps_only_what_was_left_alone(database, run, job):
    started(database, job, Job(run.id, QUEUE, 8))
    failed(database, job, most=1)
    with database.write() as c:
        purge_jobs(c, run.id)
    assert [one.job for one in not_done(database, run)] == [job]


def test_jobs_of_another_run_stay_as_they_are(database, run, job, panel, make_plan):
    with database.write() as c:
        second = jobs_run(c, panel, make_plan)
    theirs = Job(second.id, QUEUE, 7)
    started(database, job, theirs)
    failed(database, theirs, most=1)
    with database.write() as c:
        finish_jobs(c, [job])
        revive_jobs(c, run.id)
        purge_jobs(c, run.id)
    assert [one.job for one in not_done(database, second)] == [theirs]


def jobs_run(connection, panel, make_plan):
    """A second run of the same panel."""
    panel_id = panels.save_panel(connection, panel, saved_at=AT)
    plan = make_plan(panel)
    return runs.plan_run(connection, panel_id, "2026-12", plan, caps=runs.Caps(), config={}, at=AT)


async def test_starts_that_wait_together_are_counted_each(database, run):
    several = [Job(run.id, QUEUE, n) for n in range(50)]
    again = several[:5]

    def start(connection, todo):
        return jobs.start_jobs(connection, todo, most_starts=1, at=AT)

    with Writer(database) as writer:
        first = await asyncio.gather(*(writer.do_along(start, one) for one in several))
        second = await asyncio.gather(*(writer.do_along(start, one) for one in again))
    assert first == [True] * 50
    assert second == [False] * 5
    assert {one.job for one in given_up(database, run)} == set(again)
    assert {one.starts for one in not_done(database, run) if not one.given_up} == {1}
