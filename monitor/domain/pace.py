"""How fast an engine may be asked, as arithmetic on moments: turns in a row, and pauses.

Moments are whole microseconds of one clock that all askers share. A turn is the moment at which
one call may start. Turns follow the generic cell rate algorithm (ITU-T I.371, annex A): one number
per engine says when the next turn is due, so that any number of workers can share it.
"""

from dataclasses import dataclass, replace

MICROSECONDS = 1_000_000
_CLOCK_SLACK = 5 * MICROSECONDS
"""A pause that began this far in the future was noted by a clock that has since gone back."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What an engine allows: calls started in a minute, and calls under way at once."""

    per_minute: float
    concurrency: int

    @property
    def interval(self) -> int:
        """Microseconds from one turn to the next."""
        return max(1, round(60 * MICROSECONDS / self.per_minute))

    @property
    def burst(self) -> int:
        """Microseconds by which calls may come early: one second's worth of them, at least one."""
        return max(0, MICROSECONDS - self.interval)

    @property
    def furthest(self) -> int:
        """How far ahead the next turn can lie while no more callers wait than are allowed."""
        return (self.concurrency + 1) * self.interval + self.burst


@dataclass(frozen=True, slots=True)
class Turns:
    """Where an engine's turns stand."""

    next_turn: int = 0
    paused_from: int = 0
    paused_until: int = 0

    def pause_left(self, now: int) -> int:
        """Microseconds until the engine may be asked again; 0 without a pause."""
        if self.paused_from > now + _CLOCK_SLACK:
            return 0
        return max(0, self.paused_until - now)

    def paused(self, now: int, length: int) -> "Turns":
        """The same after the engine asked for a pause; a shorter one does not end a longer one."""
        until = max(now + length, now + self.pause_left(now))
        return replace(self, paused_from=now, paused_until=until)

    def taken(self, now: int, pace: Pace) -> tuple[int, "Turns"]:
        """Moment at which one more call may start, and where the turns stand after it."""
        due = self.next_turn
        if due > now + self.pause_left(now) + pace.furthest:
            due = now  # the clock went back: nobody waits that long
        start = max(now + self.pause_left(now), due - pace.burst)
        return start, replace(self, next_turn=max(due, start) + pace.interval)
