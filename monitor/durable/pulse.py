"""Whether a worker has been in touch all the while: it ran on, and its server was there."""

import asyncio
import time
from datetime import timedelta


class Pulse:
    """When a worker was last out of touch.

    A machine that was suspended or too busy silences every worker on it, a server that went away
    silences all: the first to be back must not take the others for dead. Gaps are seen by the time
    of day, which goes on while a machine is suspended.
    """

    def __init__(self, longest: timedelta) -> None:
        """Whatever lasts longer than `longest` between two looks is a gap."""
        self._longest = longest.total_seconds()
        self._looked = time.time()
        self._broken_at: float | None = None

    async def beat(self) -> None:
        """Look again and again, until it is cancelled."""
        while True:
            self.look()
            await asyncio.sleep(self._longest / 2)

    def look(self) -> None:
        """Note a gap since the last look."""
        before, self._looked = self._looked, time.time()
        if abs(self._looked - before) > self._longest:
            self._broken_at = self._looked

    def note_break(self) -> None:
        """Note that the worker was out of touch until now, as when its server was away."""
        self._broken_at = time.time()

    def is_steady(self, span: timedelta) -> bool:
        """Whether nothing broke it for so long."""
        self.look()
        return self._broken_at is None or self._looked - self._broken_at > span.total_seconds()
