"""Jobs that somebody started: how often, what went wrong, and which are given up.

A row is there from the first start of a job until its work is stored. What is still there with
many starts ended its process again and again; what failed often names its error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Insert, Row, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from monitor.domain.job import Job
from monitor.store.tables import job

_MOST_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class StartedJob:
    """A job that was started and is not done."""

    job: Job
    starts: int
    failures: int
    error: str | None
    given_up: bool
    """Nobody starts it again before a person resumes the run."""


def start_jobs(
    connection: Connection, jobs: Sequence[Job], *, most_starts: int, at: datetime
) -> tuple[bool, ...]:
    """Count a start of each job; whether it may go on, which a job given up may not."""
    rows = [
        {
            "run_id": one.run_id,
            "queue": one.queue,
            "subject_id": one.subject_id,
            "starts": 1,
            "failures": 0,
            "given_up": False,
            "updated_at": at,
        }
        for one in jobs
    ]
    connection.execute(_counting(connection, most_starts), rows)
    return tuple(not _is_given_up(connection, one) for one in jobs)


def _counting(connection: Connection, most_starts: int) -> Insert:
    """Insert a first start, or add one to those there were; too many of them give the job up."""
    table = postgresql if connection.dialect.name == "postgresql" else sqlite
    query = table.insert(job).inline()
    more: Insert = query.on_conflict_do_update(
        index_elements=["run_id", "queue", "subject_id"],
        set_={
            "starts": job.c.starts + 1,
            "given_up": job.c.given_up | (job.c.starts >= most_starts),
            "error": func.coalesce(job.c.error, _ENDED),
            "updated_at": query.excluded.updated_at,
        },
    )
    return more


_ENDED = "the process that worked on it ended before it was done"


def _is_given_up(connection: Connection, one: Job) -> bool:
    """Whether a job is given up."""
    return bool(connection.execute(select(job.c.given_up).where(*_same(one))).scalar())


def _same(one: Job) -> tuple[Any, ...]:
    return (
        job.c.run_id == one.run_id,
        job.c.queue == one.queue,
        job.c.subject_id == one.subject_id,
    )


def is_started(connection: Connection, one: Job) -> bool:
    """Whether a job was started and is not done."""
    return connection.execute(select(job.c.id).where(*_same(one))).first() is not None


def fail_job(
    connection: Connection, one: Job, error: str, *, most_failures: int, at: datetime
) -> bool:
    """Note that a job failed; whether it is given up by that."""
    connection.execute(
        update(job)
        .where(*_same(one))
        .values(
            failures=job.c.failures + 1,
            given_up=job.c.given_up | (job.c.failures + 1 >= most_failures),
            error=error[:_MOST_WORDS],
            updated_at=at,
        )
    )
    return _is_given_up(connection, one)


def finish_jobs(connection: Connection, jobs: Sequence[Job]) -> None:
    """Forget jobs whose work is stored; to be called in the transaction that stores it."""
    connection.execute(_FINISH, [_key(one) for one in jobs])


def _key(one: Job) -> Mapping[str, Any]:
    return {"of_run": one.run_id, "of_queue": one.queue, "of_subject": one.subject_id}


_FINISH = delete(job).where(
    job.c.run_id == bindparam("of_run"),
    job.c.queue == bindparam("of_queue"),
    job.c.subject_id == bindparam("of_subject"),
)


def load_started(connection: Connection, run_id: int) -> tuple[StartedJob, ...]:
    """Jobs of a run that were started and are not done, those given up included."""
    query = select(job).where(job.c.run_id == run_id).order_by(job.c.id)
    return tuple(_started_of(row) for row in connection.execute(query))


def load_given_up(connection: Connection, run_id: int) -> tuple[StartedJob, ...]:
    """Jobs of a run that nobody starts again before a person resumes it."""
    query = select(job).where(job.c.run_id == run_id, job.c.given_up).order_by(job.c.id)
    return tuple(_started_of(row) for row in connection.execute(query))


def _started_of(row: Row[Any]) -> StartedJob:
    return StartedJob(
        Job(row.run_id, row.queue, row.subject_id),
        row.starts,
        row.failures,
        row.error,
        row.given_up,
    )


def revive_jobs(connection: Connection, run_id: int) -> None:
    """Give the jobs of a run all their tries again, those given up included."""
    connection.execute(delete(job).where(job.c.run_id == run_id))


def purge_jobs(connection: Connection, run_id: int) -> None:
    """Forget all jobs of a run but those given up."""
    connection.execute(delete(job).where(job.c.run_id == run_id, ~job.c.given_up))
