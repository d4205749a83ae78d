"""The book of started jobs: what fails again and again is given up, and named to a person."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from monitor.config.logs import log
from monitor.domain.job import Job, Work
from monitor.errors import BudgetError, RunCancelledError, SurfaceStoppedError
from monitor.pipeline.bench import Bench
from monitor.store import Connection, jobs

ENDING = (BudgetError, RunCancelledError)
"""What says nothing about a job, but ends the calls of its run."""

GivenUp = Callable[[Job, str], Awaitable[None]]
"""Told of a job that is given up, and why."""

_ENDED = "its process ended again and again while it worked on it"
_STARTS_PER_FAILURE = 2
"""A job may end its process twice as often as it may fail: processes also end for other reasons."""


class Ledger:
    """Counts starts and failures of jobs in the store, for every process that works on it."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._most = bench.settings.runner.attempts

    async def started(self, job: Job, *, most: int) -> bool:
        """Count a start of a job; False for one that was started so often and never done."""
        at = self._bench.clock.now()
        (goes_on,) = await self._bench.writer.do(
            lambda c: jobs.start_jobs(c, [job], most_starts=most, at=at)
        )
        return goes_on

    async def was_started(self, job: Job) -> bool:
        """Whether a job was started before and never done."""
        return await asyncio.to_thread(self._bench.read, lambda c: jobs.is_started(c, job))

    def guarded(self, work: Work, *, given_up: GivenUp | None = None) -> Work:
        """The same work, counted; a job that was given up is not begun, and `given_up` is told.

        An error is noted and goes on to the caller. The work itself forgets the job, in the
        transaction that stores what came of it.
        """

        async def counted(job: Job) -> None:
            if not await self._bench.writer.do_along(self._start, job):
                await _tell(given_up, job, _ENDED)
                return
            try:
                await work(job)
            except (*ENDING, SurfaceStoppedError):
                await self._bench.writer.do(lambda c: jobs.finish_jobs(c, [job]))
                raise
            except Exception as error:
                _log_job("job_failed", job, error)
                if await self._failed(job, error):
                    await _tell(given_up, job, str(error))
                raise

        return counted

    def _start(self, connection: Connection, todo: Sequence[Job]) -> Sequence[bool]:
        """Count a start of every job; whether each may go on."""
        most, at = self._most * _STARTS_PER_FAILURE, self._bench.clock.now()
        return jobs.start_jobs(connection, todo, most_starts=most, at=at)

    async def _failed(self, job: Job, error: Exception) -> bool:
        """Note a failure; whether there were too many of them."""
        text = f"{type(error).__name__}: {error}"
        at = self._bench.clock.now()
        return await self._bench.writer.do(
            lambda c: jobs.fail_job(c, job, text, most_failures=self._most, at=at)
        )


async def _tell(given_up: GivenUp | None, job: Job, reason: str) -> None:
    _log_job("job_given_up", job)
    if given_up is not None:
        await given_up(job, reason)


def _log_job(event: str, job: Job, error: Exception | None = None) -> None:
    log(event, level="warning", job=job.key, error=error)
