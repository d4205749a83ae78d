"""Manifests made while a run goes on, beside its captures, which never wait for them.

A capture whose manifest could not be made is whole all the same: `monitor evidence seal` makes it.
"""

import asyncio
from collections.abc import Sequence

from monitor.config.logs import log
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.proving import prove_captures, signing_key
from monitor.pipeline.stamping import Stamper
from monitor.store import proofs

_AT_ONCE = 50
"""Captures of one turn."""


class Seals:
    """The manifests of what was stored lately; open it where captures are made, close it after."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        # A key that is no good stops a run before it asks anybody.
        self._key = signing_key(bench.settings)
        self._stamper = Stamper(bench)
        self._waiting: list[int] = []
        self._task: asyncio.Task[None] | None = None

    def notice(self, capture_id: int) -> None:
        """A capture was stored; its manifest is made soon."""
        self._waiting.append(capture_id)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Wait until everything noticed has its manifest."""
        if self._task is not None:
            await self._task
        await self._stamper.close()

    async def _work(self) -> None:
        """Make manifests until nobody waits; those noticed meanwhile go together."""
        while self._waiting:
            taken, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            made: Sequence[proofs.Proof] = ()
            try:
                made = await asyncio.to_thread(prove_captures, self._bench, taken, self._key)
            except (MonitorError, OSError) as error:
                log("manifests_failed", level="warning", count=len(taken), error=error)
            await self._stamper.stamp_new(made)
