"""The runner of several workers: PgQueuer's queues on PostgreSQL, the same handlers.

PgQueuer holds the caps over all workers by a unique index on seats, and hands the jobs of a worker
whose heartbeat stopped to another one. Heartbeats come from the event loop: one that is blocked for
longer than the takeover time, or a process that is frozen, loses its jobs to another worker while
it still has them. So what takes long runs in threads, and a worker that stood still itself, as all
of a suspended machine do, takes nothing over until the others could say that they live.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

import psycopg
from pgqueuer.adapters.persistence.qb import (
    QueryBuilderEnvironment,
    QueryQueueBuilder,
    QuerySchedulerBuilder,
)
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import PgqException
from pgqueuer.domain.models import Job as QueuedJob
from pgqueuer.domain.models import TracebackRecord
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import JOB_STATUS, QueueEntrypoint, QueueManagerId
from pgqueuer.ports.repository import EntrypointExecutionParameter

from monitor.domain.job import Job, Work
from monitor.durable.connections import RECONNECT_SECONDS, TwoConnections
from monitor.durable.pulse import Pulse
from monitor.errors import BudgetError, RunCancelledError, StoreError, SurfaceStoppedError

LOG = logging.getLogger("monitor.worker")

_POLL = timedelta(seconds=2)
"""How long a free worker waits for a notice before it looks by itself."""
_BATCH = 10
_MOST_AT_ONCE = 512
_CALM = timedelta(seconds=1)
"""After a server was away, or this worker stood still, nobody's jobs are taken over for a quarter
of the takeover time and this long: every worker first has to have a chance to say that it lives."""


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
        was_away = False
        while not stop.is_set():
            try:
                await self._serve(stop, was_away=was_away)
            except (psycopg.Error, PgqException, OSError, RuntimeError) as error:
                LOG.warning("the queue failed (%s); trying again", _first_line(error))
                was_away = True
                await _wait(stop, RECONNECT_SECONDS)

    async def _serve(self, stop: asyncio.Event, *, was_away: bool) -> None:
        """One turn of PgQueuer's loop, on connections of its own."""
        pulse = Pulse(self._takeover / 4)
        driver = await TwoConnections.open(self._conninfo, stop, mended=pulse.note_break)
        if was_away:
            pulse.note_break()
        beating = asyncio.create_task(pulse.beat())
        try:
            queue = self._queue(driver, pulse)
            ending = asyncio.create_task(_forward(stop, queue.shutdown))
            try:
                most = min(_MOST_AT_ONCE, max(2 * _BATCH, sum(self._places.values())))
                await queue.run(
                    dequeue_timeout=_POLL,
                    batch_size=_BATCH,
                    max_concurrent_tasks=most,
                    heartbeat_timeout=self._takeover,
                    log_aggregation_interval=timedelta(0),
                )
            finally:
                ending.cancel()
        finally:
            beating.cancel()
            await driver.close()

    def _queue(self, driver: TwoConnections, pulse: Pulse) -> QueueManager:
        """PgQueuer's loop with an entrypoint for each queue."""
        queries = _CalmQueries(driver, self._settings, pulse)
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
        except (BudgetError, RunCancelledError, SurfaceStoppedError) as error:
            LOG.info("%s: %s", job.key, _first_line(error))
        except StoreError:
            # The store was out of reach, so this is noted nowhere: whoever steers finds what the
            # run still lacks.
            LOG.warning("%s: the store failed", job.key, exc_info=True)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a fault in one job must not end the worker
            LOG.warning("%s failed: %s: %s", job.key, type(error).__name__, _first_line(error))


class _CalmQueries(Queries):
    """PgQueuer's statements, careful about jobs that several workers believe to be theirs."""

    def __init__(self, driver: TwoConnections, settings: DBSettings, pulse: Pulse) -> None:
        super().__init__(
            driver,
            qbe=QueryBuilderEnvironment(settings),
            qbq=QueryQueueBuilder(settings),
            qbs=QuerySchedulerBuilder(settings),
        )
        self._connections = driver
        self._pulse = pulse
        self._claims = Queries(driver.once(), qbe=self.qbe, qbq=self.qbq, qbs=self.qbs)
        self._owned = (
            f"SELECT id FROM {settings.qualified.queue_table} "  # noqa: S608 - names of our own
            "WHERE (id, queue_manager_id) IN (SELECT * FROM unnest($1::bigint[], $2::uuid[]))"
        )

    async def dequeue(
        self,
        batch_size: int,
        entrypoints: dict[QueueEntrypoint, EntrypointExecutionParameter],
        queue_manager_id: QueueManagerId,
        global_concurrency_limit: int | None,
        heartbeat_timeout: timedelta,
    ) -> list[QueuedJob]:
        """Jobs for this worker; none where the server went away over the question."""
        try:
            async with self._connections.turn:
                calm = self._pulse.is_steady(_CALM + heartbeat_timeout / 4)
                return await self._claims.dequeue(
                    batch_size,
                    entrypoints,
                    queue_manager_id,
                    global_concurrency_limit,
                    heartbeat_timeout if calm else _NEVER,
                )
        except psycopg.OperationalError:
            if self._connections.is_whole:
                raise
            return []

    async def log_jobs(
        self, job_status: list[tuple[QueuedJob, JOB_STATUS, TracebackRecord | None]]
    ) -> None:
        """Take ended jobs out of the queue, but for those that another worker took over."""
        ids = [job.id for job, _, _ in job_status]
        owners = [job.queue_manager_id for job, _, _ in job_status]
        owned = {row["id"] for row in await self.driver.fetch(self._owned, ids, owners)}
        await super().log_jobs([one for one in job_status if one[0].id in owned])


_NEVER = timedelta(days=36_500)


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
