"""The local runner: asyncio in one process, every queue with its own cap.

Killing the process loses nothing: handlers are idempotent by id, and what is not done is still
planned in the store.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from monitor.domain.ports import Handler
from monitor.errors import BudgetError


@dataclass(frozen=True, slots=True)
class Poisoned:
    """An id whose handler failed: it stays as it was in the store and is named to the user."""

    queue: str
    id: int
    error: Exception


@dataclass(slots=True)
class _Queue:
    """Ids of one queue that nobody took yet, and how many workers are still on it."""

    name: str
    pending: deque[int]
    workers: int


class LocalRunner:
    """Works off queues of ids with a fixed number of workers each."""

    def __init__(
        self, caps: Mapping[str, int], progress: Callable[[str, int], None] | None = None
    ) -> None:
        self._caps = caps
        self._progress = progress

    async def drain(
        self, work: Mapping[str, Iterable[int]], handler: Handler
    ) -> tuple[Poisoned, ...]:
        """Handle every id of every queue; a failing id does not stop the others.

        A BudgetError takes a worker off its queue and puts the id back: reservations are estimates
        and the other workers may settle for less. The last worker's BudgetError ends the queue;
        that id is told and the rest stays planned.
        """
        poisoned: list[Poisoned] = []
        async with asyncio.TaskGroup() as group:
            for name, ids in work.items():
                queue = _Queue(name, deque(dict.fromkeys(ids)), max(1, self._caps.get(name, 1)))
                for _ in range(queue.workers):
                    group.create_task(self._work(queue, handler, poisoned))
        return tuple(poisoned)

    async def _work(self, queue: _Queue, handler: Handler, poisoned: list[Poisoned]) -> None:
        """One worker: take the next id of a queue until none is left."""
        while queue.pending:
            one = queue.pending.popleft()
            try:
                await handler(one)
            except BudgetError as error:
                if queue.workers > 1:
                    queue.pending.appendleft(one)
                else:
                    queue.pending.clear()
                    poisoned.append(Poisoned(queue.name, one, error))
                break
            # Whatever it is, it is this id's alone: a fault of ours in one payload must not lose
            # the other thousand. The error is kept and told.
            except Exception as error:  # noqa: BLE001
                poisoned.append(Poisoned(queue.name, one, error))
            if self._progress:
                self._progress(queue.name, one)
        queue.workers -= 1
