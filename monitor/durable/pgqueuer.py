"""The runner of several workers: PgQueuer's queues on PostgreSQL, the same handlers.

PgQueuer holds the caps over all workers by a unique index on seats, and hands the jobs of a worker
whose heartbeat stopped to another one. Its driver has one connection for listening and for
queries, which then wait for each other; ours has two, and both come back when the server does.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

import psycopg
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.adapters.persistence.qb import (
    QueryBuilderEnvironment,
    QueryQueueBuilder,
    QuerySchedulerBuilder,
)
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import PgqException
from pgqueuer.domain.models import Job as QueuedJob
from pgqueuer.domain.settings import DBSettings
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.rows import dict_row

from monitor.domain.job import Job
from monitor.errors import BudgetError, RunCancelledError, StoreError

T = TypeVar("T")
Work = Callable[[Job], Awaitable[None]]

LOG = logging.getLogger("monitor.worker")

_POLL = timedelta(seconds=2)
"""How long a free worker waits for a notice before it looks by itself."""
_BATCH = 10
_MOST_AT_ONCE = 512
_RECONNECT_SECONDS = 0.5
_PATIENCE_SECONDS = 120.0
"""How long a query waits for a server that went away."""


class QueueWorker:
    """Takes jobs of its queues and does them, until it is told to stop."""

    def __init__(
        self,
        conninfo: str,
        places: Mapping[str, int],
        work: Work,
        *,
        settings: DBSettings,
        takeover_seconds: float,
    ) -> None:
        """`places` are the queues served, and how many jobs of each may be under way anywhere."""
        self._conninfo = conninfo
        self._places = places
        self._work = work
        self._settings = settings
        self._takeover = timedelta(seconds=takeover_seconds)
        self._at_work: dict[Job, asyncio.Task[None]] = {}

    @property
    def at_work(self) -> int:
        """Jobs that this worker is on now."""
        return len(self._at_work)

    async def serve(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set and what was begun is done; a lost server is waited for."""
        while not stop.is_set():
            try:
                await self._serve(stop)
            except (psycopg.Error, PgqException, OSError, RuntimeError) as error:
                LOG.warning("the queue failed (%s); trying again", _first_line(error))
                await _wait(stop, _RECONNECT_SECONDS)

    async def _serve(self, stop: asyncio.Event) -> None:
        """One turn of PgQueuer's loop, on connections of its own."""
        driver = await _TwoConnections.open(self._conninfo)
        try:
            queue = self._queue(driver)
            ending = asyncio.create_task(_forward(stop, queue.shutdown))
            try:
                most = min(_MOST_AT_ONCE, max(2 * _BATCH, sum(self._places.values())))
                await queue.run(
                    dequeue_timeout=_POLL,
                    batch_size=_BATCH,
                    max_concurrent_tasks=most,
                    shutdown_on_listener_failure=True,
                    heartbeat_timeout=self._takeover,
                    log_aggregation_interval=timedelta(0),
                )
            finally:
                ending.cancel()
        finally:
            await driver.close()

    def _queue(self, driver: "_TwoConnections") -> QueueManager:
        """PgQueuer's loop with an entrypoint for each queue."""
        queries = Queries(
            driver,
            qbe=QueryBuilderEnvironment(self._settings),
            qbq=QueryQueueBuilder(self._settings),
            qbs=QuerySchedulerBuilder(self._settings),
        )
        queue = QueueManager(queries, self._settings.channel)
        for name, places in self._places.items():
            queue.entrypoint(name, concurrency_limit=places)(self._do)
        return queue

    async def _do(self, queued: QueuedJob) -> None:
        """One job; one that this process is on already is waited for, not begun twice."""
        job = Job.of_key((queued.payload or b"").decode())
        task = self._at_work.get(job)
        if task is None:
            task = asyncio.create_task(self._done(job))
            self._at_work[job] = task
            task.add_done_callback(lambda _: self._at_work.pop(job, None))
        await asyncio.shield(task)

    async def _done(self, job: Job) -> None:
        """The work itself. What fails is in the ledger; whoever steers the run queues it again."""
        try:
            await self._work(job)
        except (BudgetError, RunCancelledError) as error:
            LOG.info("%s: %s", job.key, _first_line(error))
        except StoreError:
            # The store is out of reach: nobody could note this; the job comes again.
            LOG.warning("%s: the store failed", job.key, exc_info=True)
        except Exception as error:  # noqa: BLE001 - a fault in one job must not end the worker
            LOG.warning("%s failed: %s: %s", job.key, type(error).__name__, _first_line(error))


def _first_line(error: BaseException) -> str:
    """What an error says, without the lines of detail that may follow."""
    return str(error).strip().split("\n", 1)[0][:300]


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    """Sleep, unless it is time to stop."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


async def _forward(stop: asyncio.Event, shutdown: asyncio.Event) -> None:
    """Tell PgQueuer to stop once the worker is told to."""
    await stop.wait()
    shutdown.set()


class _TwoConnections(PsycopgDriver):
    """PgQueuer's driver with a second connection for queries, which survives a restart."""

    def __init__(
        self, conninfo: str, listening: "AsyncConnection[Any]", asking: "AsyncConnection[Any]"
    ) -> None:
        super().__init__(listening)
        self._conninfo = conninfo
        self._asking = asking
        self._mending = asyncio.Lock()

    @classmethod
    async def open(cls, conninfo: str) -> "_TwoConnections":
        """A driver on two fresh connections."""
        return cls(conninfo, await _connect(conninfo), await _connect(conninfo))

    async def close(self) -> None:
        """Close both connections."""
        await self._asking.close()
        await self._connection.close()

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        """Rows of a query."""

        async def ask(connection: "AsyncConnection[Any]") -> list[dict[str, object]]:
            cursor = AsyncRawCursor(connection, row_factory=dict_row)
            await cursor.execute(query, args or None)
            return await cursor.fetchall()

        return await self._asked(ask)

    async def execute(self, query: str, *args: object) -> str:
        """Run a statement."""

        async def ask(connection: "AsyncConnection[Any]") -> str:
            cursor = AsyncRawCursor(connection)
            await cursor.execute(query, args or None)
            return cursor.statusmessage or ""

        return await self._asked(ask)

    async def _asked(self, ask: Callable[["AsyncConnection[Any]"], Awaitable[T]]) -> T:
        """What a statement gives; one that lost its server is sent again.

        All of PgQueuer's statements may be sent twice: a job that was taken and not heard of is
        taken again once its heartbeat is old.
        """
        ends = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            connection = self._asking
            try:
                return await ask(connection)
            except psycopg.OperationalError:
                if not connection.closed or asyncio.get_running_loop().time() > ends:
                    raise
            await asyncio.sleep(_RECONNECT_SECONDS)
            await self._mend(connection)

    async def _mend(self, broken: "AsyncConnection[Any]") -> None:
        """A new connection in place of a broken one, unless somebody else made it."""
        async with self._mending:
            if self._asking is broken:
                with suppress(psycopg.OperationalError, OSError):
                    self._asking = await _connect(self._conninfo)


async def _connect(conninfo: str) -> "AsyncConnection[Any]":
    """A connection that commits each statement by itself."""
    return await AsyncConnection.connect(conninfo, autocommit=True, connect_timeout=10)
