"""The book of started jobs: what fails again and again is left alone, and named to a person."""

from collections.abc import Awaitable, Callable, Sequence

from monitor.domain.job import Job
from monitor.errors import BudgetError, RunCancelledError
from monitor.pipeline.bench import Bench
from monitor.store import Connection, jobs

ENDING = (BudgetError, RunCancelledError)
"""What says nothing about a job, but ends the calls of its run."""

Work = Callable[[Job], Awaitable[None]]

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

    def guarded(self, work: Work) -> Work:
        """The same work, counted; a job that is left alone is not begun.

        An error is noted and goes on to the caller. The work itself forgets the job, in the
        transaction that stores what came of it.
        """

        async def counted(job: Job) -> None:
            if not await self._bench.writer.do_along(self._start, job):
                return
            try:
                await work(job)
            except ENDING:
                await self._bench.writer.do(lambda c: jobs.finish_jobs(c, [job]))
                raise
            except Exception as error:
                await self._failed(job, error)
                raise

        return counted

    def _start(self, connection: Connection, todo: Sequence[Job]) -> Sequence[bool]:
        """Count a start of every job; whether each may go on."""
        most, at = self._most * _STARTS_PER_FAILURE, self._bench.clock.now()
        return jobs.start_jobs(connection, todo, most_starts=most, at=at)

    async def _failed(self, job: Job, error: Exception) -> None:
        """Note a failure; too many of them end the job."""
        text = f"{type(error).__name__}: {error}"
        at = self._bench.clock.now()
        await self._bench.writer.do(
            lambda c: jobs.fail_job(c, job, text, most_failures=self._most, at=at)
        )
