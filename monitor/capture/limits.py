"""The gate before an engine: so many calls at once, each when its turn has come."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from monitor.domain.ports import Pacing

Sleep = Callable[[float], Awaitable[None]]
"""Waits for so many seconds; an argument, so that a test's clock can stand still."""


class EngineGate:
    """Places for calls of one engine in this process, and its turns, shared with all others."""

    def __init__(self, concurrency: int, pacing: Pacing, *, sleep: Sleep = asyncio.sleep) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._pacing = pacing
        self._sleep = sleep

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A place to make one call in; waits for a free one, its turn and the end of a pause."""
        async with self._slots:
            while (wait := await self._pacing.turn()) > 0:
                await self._sleep(wait)
                # Somebody may have been told to wait meanwhile; that holds for this call too.
                if not await self._pacing.paused():
                    break
            yield

    async def pause(self, seconds: float) -> None:
        """Start no further call of this engine for so long, in any process."""
        await self._pacing.pause(seconds)
