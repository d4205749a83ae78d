"""Workers that are there: each says now and then that it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select, update

from monitor.store.rows import insert_new
from monitor.store.tables import worker

SEEN_SECONDS = 5.0
"""How often a worker says that it is there."""
ALIVE = timedelta(seconds=4 * SEEN_SECONDS)
"""A worker that was heard of within this time is alive."""


@dataclass(frozen=True, slots=True)
class SeenWorker:
    """A process that takes jobs, and when it was last heard of."""

    name: str
    queues: tuple[str, ...]
    started_at: datetime
    seen_at: datetime


def see_worker(connection: Connection, name: str, queues: Sequence[str], *, at: datetime) -> None:
    """Note that a worker is there."""
    row = {"name": name, "queues": list(queues), "started_at": at, "seen_at": at}
    if not insert_new(connection, worker, [row]):
        connection.execute(update(worker).where(worker.c.name == name).values(seen_at=at))


def forget_worker(connection: Connection, name: str) -> None:
    """Take a worker off the list that ended in good order."""
    connection.execute(delete(worker).where(worker.c.name == name))


def forget_silent(connection: Connection, *, before: datetime) -> None:
    """Take workers off the list that nobody heard of since a moment."""
    connection.execute(delete(worker).where(worker.c.seen_at < before))


def list_workers(connection: Connection, *, since: datetime) -> tuple[SeenWorker, ...]:
    """Workers heard of since a moment, by name."""
    query = select(worker).where(worker.c.seen_at >= since).order_by(worker.c.name)
    return tuple(
        SeenWorker(row.name, tuple(row.queues), row.started_at, row.seen_at)
        for row in connection.execute(query)
    )


def alive_workers(connection: Connection, *, now: datetime) -> tuple[SeenWorker, ...]:
    """Workers that were heard of a short while ago, by name."""
    return list_workers(connection, since=now - ALIVE)
