"""One worker: takes jobs of its queues, steers, says that it is there, sends what is due."""

import asyncio
import os
import random
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from typing import Any

from monitor.config.logs import about, log
from monitor.config.settings import Settings
from monitor.domain.engine import Surface
from monitor.domain.job import JUDGE, PAGES, RUN, Job, capture_queue
from monitor.durable.pgqueuer import QueueWorker
from monitor.engines import ENGINES
from monitor.errors import BudgetError, ConfigError, MonitorError, RunCancelledError
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import CaptureDesk
from monitor.pipeline.judging import JudgeDesk
from monitor.pipeline.ledger import Ledger
from monitor.pipeline.notifying import delivering
from monitor.pipeline.paging import PageDesk
from monitor.pipeline.steering import (
    give_up,
    hold,
    judge_job,
    leave_stage,
    steer,
)
from monitor.store import jobs, queue, workers

KINDS = ("capture", "browser", "pages", "judge")
"""What `--queues` may name."""

_STEER_SECONDS = 1.0
_SWEEP_SECONDS = 15.0
_PURGE_SECONDS = 3600.0
_LOG_DAYS = 2


def places(settings: Settings, kinds: Sequence[str]) -> dict[str, int]:
    """Queues of these kinds, and how many jobs of each may be under way over all workers."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise ConfigError(
            f"no queues are called {', '.join(unknown) or 'nothing'}: expected some of "
            f"{','.join(KINDS)}"
        )
    found: dict[str, int] = {}
    for name, engine in ENGINES.items():
        browser = engine.surface is Surface.BROWSER
        if ("browser" if browser else "capture") in kinds:
            many = 1 if browser else settings.engine(name).concurrency
            found[capture_queue(name, engine.access)] = many
    if "pages" in kinds:
        found[PAGES] = settings.pages.concurrency
    if "judge" in kinds:
        found |= {JUDGE: settings.runner.judge_workers, RUN: 2}
    return found


def require_workers(bench: Bench) -> None:
    """ConfigError where the store or the settings cannot have workers."""
    if bench.database.is_sqlite:
        raise ConfigError(
            f"workers need PostgreSQL, and store.database is {bench.database.shown_url}: set it to "
            "postgresql://USER@HOST/NAME; one machine needs none, `monitor run` does the work"
        )
    if bench.settings.runner.name != "pgqueuer":
        raise ConfigError(
            "runner.name is local, so runs are worked on by the command that starts them: "
            "set it to pgqueuer for workers to get any jobs"
        )


async def serve_jobs(bench: Bench, kinds: Sequence[str], stop: asyncio.Event) -> None:
    """Work as one of any number of workers until `stop` is set and what was begun is done."""
    require_workers(bench)
    name = f"{socket.gethostname()}:{os.getpid()}"
    served = places(bench.settings, kinds)
    log("worker_started", worker=name, count=len(served))
    async with AsyncExitStack() as stack:
        hands = Hands(
            bench,
            await stack.enter_async_context(CaptureDesk(bench)),
            await stack.enter_async_context(PageDesk(bench)),
        )
        await stack.enter_async_context(delivering(bench))
        worker = QueueWorker(
            bench.database.conninfo,
            served,
            hands.work,
            settings=queue.queue_settings(),
            takeover_seconds=bench.settings.runner.takeover_seconds,
        )
        done = asyncio.Event()
        duties = [asyncio.create_task(one) for one in _duties(bench, name, kinds, done)]
        try:
            await worker.serve(stop)
        finally:
            done.set()
            await asyncio.gather(*duties, return_exceptions=True)
    with suppress(MonitorError):
        await bench.writer.do(lambda c: workers.forget_worker(c, name))
    log("worker_ended", worker=name)


def _duties(
    bench: Bench, name: str, kinds: Sequence[str], done: asyncio.Event
) -> Sequence[Coroutine[Any, Any, None]]:
    """What a worker does beside its jobs, each again and again."""
    swept = 0.0

    async def steering() -> None:
        nonlocal swept
        now = bench.clock.monotonic()
        sweep = now - swept >= _SWEEP_SECONDS
        swept = now if sweep else swept
        await bench.writer.do(lambda c: steer(c, bench, sweep=sweep))

    async def seen() -> None:
        at = bench.clock.now()
        await bench.writer.do(lambda c: workers.see_worker(c, name, kinds, at=at))

    async def purging() -> None:
        before = bench.clock.now() - timedelta(days=1)
        await bench.writer.do(lambda c: queue.purge_queue_log(c, _LOG_DAYS))
        await bench.writer.do(lambda c: workers.forget_silent(c, before=before))

    every: Mapping[Callable[[], Awaitable[None]], float] = {
        steering: _STEER_SECONDS,
        seen: workers.SEEN_SECONDS,
        purging: _PURGE_SECONDS,
    }
    return [_again(duty, seconds, done) for duty, seconds in every.items()]


async def _again(duty: Callable[[], Awaitable[None]], seconds: float, done: asyncio.Event) -> None:
    """A duty again and again; what fails is told and tried the next time."""
    while not done.is_set():
        try:
            await duty()
        except Exception as error:  # noqa: BLE001 - a worker outlives a store that is away
            log("duty_failed", level="warning", reason=duty.__name__, error=error)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), seconds * random.uniform(0.8, 1.2))  # noqa: S311


class Hands:
    """What does the jobs of all queues."""

    def __init__(self, bench: Bench, captures: CaptureDesk, pages: PageDesk) -> None:
        self._bench = bench
        self._captures = captures
        self._pages = pages
        self._judge = JudgeDesk(bench)
        self._counted = Ledger(bench).guarded(self._do, given_up=self._given_up)

    async def work(self, job: Job) -> None:
        """One job, whatever its queue; its errors are noted in the store where they matter."""
        with about(run=str(job.run_id)):
            if job.queue == PAGES:
                await self._pages.handle(job)
                return
            try:
                await self._counted(job)
            except BudgetError as error:
                reason = str(error)
                await self._bench.writer.do(lambda c: hold(c, job, reason))
                raise
            except RunCancelledError:
                await self._bench.writer.do(lambda c: queue.withdraw(c, job.run_id))
                raise

    async def _do(self, job: Job) -> None:
        """The step of one queue."""
        if job.queue == RUN:
            self._judge.forget()
            await leave_stage(self._bench, self._pages, job)
        elif job.queue == JUDGE:
            await judge_job(self._bench, self._judge, job)
        else:
            await self._captures.handle(job)
            return
        await self._bench.writer.do(lambda c: jobs.finish_jobs(c, [job]))

    async def _given_up(self, job: Job, reason: str) -> None:
        """A run whose own step cannot be done has failed; a capture alone is left out of it."""
        if job.queue == RUN:
            await self._bench.writer.do(lambda c: give_up(c, self._bench, job, reason))
