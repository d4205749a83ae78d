"""The queue of PgQueuer as the store sees it: jobs are put in the transaction that plans them.

PgQueuer's tables lie in a schema of their own and outside our history of the schema. Only what has
to share a transaction with our rows, or to be compared with them, is done here; workers take jobs
through the library itself (`monitor.durable.pgqueuer`).
"""

from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    Connection,
    DateTime,
    Text,
    column,
    delete,
    func,
    literal,
    select,
    text,
)
from sqlalchemy import table as named_table

from monitor.domain.job import Job
from monitor.errors import StoreError
from monitor.store.rows import chunks
from monitor.store.tables import capture, job

if TYPE_CHECKING:
    from pgqueuer.domain.settings import DBSettings

SCHEMA = "pgq"
_AT_ONCE = 5_000

_queued = named_table(
    "pgqueuer",
    column("id", BigInteger),
    column("status", Text),
    column("entrypoint", Text),
    column("created", DateTime(timezone=True)),
    column("dedupe_key", Text),
    schema=SCHEMA,
)
_ended, _counted = (
    named_table(name, column("created", DateTime(timezone=True)), schema=SCHEMA)
    for name in ("pgqueuer_log", "pgqueuer_statistics")
)


def queue_settings() -> "DBSettings":
    """How PgQueuer names its tables here; StoreError where the library is not installed."""
    try:
        from pgqueuer.domain.settings import DBSettings
    except ModuleNotFoundError as error:
        raise StoreError(
            "the queue of several workers needs the package pgqueuer: "
            "install this project with its extra `postgres`"
        ) from error
    return DBSettings(db_schema=SCHEMA)


def install_queue(connection: Connection) -> None:
    """Make PgQueuer's tables, or bring those of another version of it up to date."""
    from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment

    settings = queue_settings()
    if has_queue(connection):
        _driven(_upgrade(connection, settings))
        return
    query = QueryBuilderEnvironment(settings).build_install_query()
    _raw(connection).execute(query)


def has_queue(connection: Connection) -> bool:
    """Whether the queue of the workers was ever made on this PostgreSQL."""
    named = text("SELECT to_regclass(:name) IS NOT NULL")
    return bool(connection.execute(named, {"name": f"{SCHEMA}.pgqueuer"}).scalar())


async def _upgrade(connection: Connection, settings: "DBSettings") -> None:
    """What the library would change in its tables, done in our transaction."""
    from pgqueuer.adapters.persistence import schema_inspect, schema_plan
    from pgqueuer.domain.schema.declaration import target

    driver: Any = _Through(connection)
    live = await schema_inspect.inspect(driver, settings)
    for statement in schema_plan.plan(live, target(settings), settings).statements:
        await driver.execute(statement)


def _driven(steps: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that waits for nothing, whether or not an event loop runs in this thread."""
    try:
        steps.send(None)
    except StopIteration:
        return
    raise StoreError("PgQueuer's change of its tables waits for something: expected plain SQL")


class _Through:
    """PgQueuer's driver over the connection of our own transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        """Rows of a query."""
        from psycopg import RawCursor
        from psycopg.rows import dict_row

        cursor = RawCursor(_raw(self._connection), row_factory=dict_row)
        cursor.execute(query, args or None)
        return cursor.fetchall()

    async def execute(self, query: str, *args: object) -> str:
        """Run a statement."""
        from psycopg import RawCursor

        cursor = RawCursor(_raw(self._connection))
        cursor.execute(query, args or None)
        return cursor.statusmessage or ""


def _raw(connection: Connection) -> Any:
    """The driver's connection under ours, inside the same transaction."""
    return connection.connection.driver_connection


def enqueue(connection: Connection, jobs: Iterable[Job]) -> int:
    """Put jobs into the queue, in order; those that wait or are worked on stay as they are.

    Returns how many are new. They are there for workers once the caller's transaction commits.
    """
    from pgqueuer.adapters.persistence.qb import QueryQueueBuilder
    from psycopg import RawCursor

    query = QueryQueueBuilder(settings=queue_settings()).build_enqueue_query("skip")
    new = 0
    for part in chunks(jobs, _AT_ONCE):
        cursor = RawCursor(_raw(connection))
        cursor.execute(query, _columns(part))
        new += cursor.rowcount
    return new


def _columns(jobs: Sequence[Job]) -> tuple[list[Any], ...]:
    """Priority, entrypoint, payload, delay, key and headers of jobs, column by column."""
    keys = [one.key for one in jobs]
    return (
        [0] * len(jobs),
        [one.queue for one in jobs],
        [key.encode() for key in keys],
        [timedelta(0)] * len(jobs),
        keys,
        ["{}"] * len(jobs),
    )


def unqueued_captures(connection: Connection, run_id: int, limit: int) -> tuple[Job, ...]:
    """Captures of a run that are to be made and that the queue does not hold, in planned order."""
    queue = capture_queue_column()
    key = literal(f"{run_id}/") + queue + "/" + capture.c.id.cast(Text)
    waiting = select(_queued.c.id).where(_queued.c.dedupe_key == key, _alive())
    given_up = select(job.c.id).where(
        job.c.run_id == run_id,
        job.c.queue == queue,
        job.c.subject_id == capture.c.id,
        job.c.given_up,
    )
    query = (
        select(capture.c.id, queue.label("queue"))
        .where(capture.c.run_id == run_id, capture.c.state != "stored")
        .where(~waiting.exists(), ~given_up.exists())
        .order_by(capture.c.id)
        .limit(limit)
    )
    return tuple(Job(run_id, row.queue, row.id) for row in connection.execute(query))


def capture_queue_column() -> Any:
    """The queue of a capture, by the same rule as `monitor.domain.job.capture_queue`."""
    kind = func.replace(func.replace(capture.c.access, "api", "engine"), "import", "engine")
    return kind + ":" + capture.c.engine


def _alive() -> Any:
    """Rows that wait or are worked on."""
    return _queued.c.status.cast(Text).in_(("queued", "picked"))


def has_jobs(connection: Connection, run_id: int) -> bool:
    """Whether the queue holds any job of a run."""
    mine = _queued.c.dedupe_key.like(f"{run_id}/%")
    return bool(
        connection.execute(select(select(_queued.c.id).where(mine, _alive()).exists())).scalar()
    )


def count_jobs(connection: Connection, run_id: int, name: str) -> int:
    """How many jobs of a run wait in one queue, or are worked on."""
    mine = _queued.c.dedupe_key.like(f"{run_id}/{name}/%")
    query = select(func.count(_queued.c.id)).where(mine, _alive())
    return int(connection.execute(query).scalar_one())


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a queue holds, waiting or worked on."""

    jobs: int
    since: datetime
    """When the oldest job came."""


def waiting(connection: Connection) -> dict[str, Waiting]:
    """Queues of steps that are no captures, by name; nothing on a store without workers."""
    if connection.dialect.name != "postgresql" or not has_queue(connection):
        return {}
    name = _queued.c.entrypoint
    steps = (func.count().label("jobs"), func.min(_queued.c.created).label("since"))
    query = select(name, *steps).where(_alive(), ~name.contains(":")).group_by(name).order_by(name)
    found = connection.execute(query)
    return {row.entrypoint: Waiting(row.jobs, row.since) for row in found}


def steers_alone(connection: Connection) -> bool:
    """Whether nobody else steers; holds until the caller's transaction ends."""
    return bool(connection.execute(select(func.pg_try_advisory_xact_lock(_STEERING))).scalar())


_STEERING = 0x737465657273
"""Key of the advisory lock of whoever steers: `steers` in hexadecimal."""


def withdraw(connection: Connection, run_id: int) -> int:
    """Take the jobs of a run that nobody started out of the queue; returns how many."""
    waiting = _queued.c.status.cast(Text) == "queued"
    mine = _queued.c.dedupe_key.like(f"{run_id}/%")
    return connection.execute(delete(_queued).where(mine, waiting)).rowcount


def purge_queue_log(connection: Connection, days: int) -> None:
    """Forget what PgQueuer noted about jobs that ended so many days ago."""
    for log in (_ended, _counted):
        old = func.now() - func.make_interval(0, 0, 0, days)
        connection.execute(delete(log).where(log.c.created < old))
