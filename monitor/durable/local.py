"""The local runner: asyncio in one process, every queue with its own cap.

Killing the process loses nothing: handlers are idempotent by id, and what is not done is still
planned in the store.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from monitor.domain.ports import Handler
from monitor.errors import BudgetError, MonitorError


@dataclass(frozen=True, slots=True)
class Poisoned:
    """An id whose handler failed: it stays as it was in the store and is named to the user."""

    queue: str
    id: int
    error: Exception


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

        A BudgetError ends its queue: the rest stays planned.
        """
        poisoned: list[Poisoned] = []
        async with asyncio.TaskGroup() as group:
            for queue, ids in work.items():
                pending = iter(tuple(ids))
                for _ in range(self._caps.get(queue, 1)):
                    group.create_task(self._work(queue, pending, handler, poisoned))
        return tuple(poisoned)

    async def _work(
        self, queue: str, pending: "Iterable[int]", handler: Handler, poisoned: list[Poisoned]
    ) -> None:
        """One worker: take the next id of a queue until none is left."""
        for one in pending:
            try:
                await handler(one)
            except BudgetError as error:
                poisoned.append(Poisoned(queue, one, error))
                return
            except (MonitorError, OSError, ValueError, LookupError, TypeError) as error:
                poisoned.append(Poisoned(queue, one, error))
            if self._progress:
                self._progress(queue, one)
