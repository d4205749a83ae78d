"""Per-engine limits: how many calls at once, how many a minute, and pauses an engine asks for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from monitor.domain.ports import Clock

Sleep = Callable[[float], Awaitable[None]]
"""Waits for so many seconds; an argument, so that a test's clock can stand still."""

_NO_TIME = 1e-6
"""Seconds too short to wait for: rounding must not keep a call turning on the spot."""


class EngineGate:
    """Concurrency cap, token bucket and Retry-After pause of one engine.

    A bucket holds one second's worth of calls (at least one), so a limit of 60 a minute never
    bursts by more than one call.
    """

    def __init__(
        self, concurrency: int, per_minute: float, clock: Clock, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate)
        self._tokens = self._capacity
        self._clock = clock
        self._sleep = sleep
        self._filled_at = clock.monotonic()
        self._paused_until = self._filled_at
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A place to make one call in; waits for a free slot, a token and the end of a pause."""
        async with self._slots:
            async with self._turn:
                await self._wait()
            yield

    def pause(self, seconds: float) -> None:
        """Start no further call of this engine for so long."""
        self._paused_until = max(self._paused_until, self._clock.monotonic() + seconds)

    async def _wait(self) -> None:
        """Wait for the pause to end, then take a token."""
        while True:
            now = self._clock.monotonic()
            grown = self._tokens + (now - self._filled_at) * self._rate
            self._tokens, self._filled_at = min(self._capacity, grown), now
            wait = max(self._paused_until - now, (1 - self._tokens) / self._rate)
            if wait <= _NO_TIME:
                self._tokens -= 1
                return
            await self._sleep(wait)
