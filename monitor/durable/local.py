"""The local runner: asyncio in one process, every queue with its own number of places.

Killing the process loses nothing: handlers are idempotent by id, and what is not done is still
planned in the store.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from monitor.domain.job import Job, Work
from monitor.errors import BudgetError, RunCancelledError, SurfaceStoppedError


@dataclass(frozen=True, slots=True)
class Failure:
    """A job whose handler failed: its subject stays as it was in the store and is named."""

    job: Job
    error: Exception


@dataclass(slots=True)
class _Queue:
    """Jobs of one queue that nobody took yet, and how many workers are still on it."""

    pending: deque[Job]
    workers: int


class LocalRunner:
    """Works off jobs with a fixed number of places for each queue."""

    def __init__(
        self, places: Mapping[str, int], progress: Callable[[Job], None] | None = None
    ) -> None:
        self._places = places
        self._progress = progress

    async def drain(self, jobs: Iterable[Job], work: Work) -> tuple[Failure, ...]:
        """Do every job; a failing one does not stop the others.

        A BudgetError takes a worker off its queue and puts the job back: reservations are estimates
        and the other workers may settle for less. The last worker's BudgetError ends the queue;
        that job is told and the rest stays planned. So it is with a surface that is stopped. A
        cancelled run ends all queues.
        """
        queues: dict[str, _Queue] = {}
        for job in dict.fromkeys(jobs):
            places = max(1, self._places.get(job.queue, 1))
            queues.setdefault(job.queue, _Queue(deque(), places)).pending.append(job)
        failures: list[Failure] = []

        def cancelled(one: Failure) -> None:
            if not any(isinstance(known.error, RunCancelledError) for known in failures):
                failures.append(one)
            for queue in queues.values():
                queue.pending.clear()

        async with asyncio.TaskGroup() as group:
            for queue in queues.values():
                for _ in range(queue.workers):
                    group.create_task(self._work(queue, work, failures, cancelled=cancelled))
        return tuple(failures)

    async def _work(
        self,
        queue: _Queue,
        work: Work,
        failures: list[Failure],
        *,
        cancelled: Callable[[Failure], None],
    ) -> None:
        """One worker: take the next job of a queue until none is left."""
        while queue.pending:
            job = queue.pending.popleft()
            try:
                await work(job)
            except BudgetError as error:
                if queue.workers > 1:
                    queue.pending.appendleft(job)
                else:
                    queue.pending.clear()
                    failures.append(Failure(job, error))
                break
            except SurfaceStoppedError as error:
                queue.pending.clear()
                failures.append(Failure(job, error))
                break
            except RunCancelledError as error:
                cancelled(Failure(job, error))
                break
            # Whatever it is, it is this job's alone: a fault of ours in one payload must not lose
            # the other thousand. The error is kept and told.
            except Exception as error:  # noqa: BLE001
                failures.append(Failure(job, error))
            if self._progress:
                self._progress(job)
        queue.workers -= 1
