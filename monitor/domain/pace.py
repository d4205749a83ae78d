"""How fast an engine may be asked, as arithmetic on moments: turns in a row, and pauses.

Moments are whole microseconds of one clock that all askers share. A turn is the moment at which
one call may start. Turns follow the generic cell rate algorithm (ITU-T I.371, annex A): one number
per engine says when the next turn is due, so that any number of workers can share it.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

MICROSECONDS = 1_000_000
_CLOCK_SLACK = 5 * MICROSECONDS
"""A moment that lies this far in the future was noted by a clock that has since gone back."""
_AHEAD = 5 * MICROSECONDS
"""How far ahead a turn can be taken. Turns of a process that ended are lost: so they are few, and a
turn that lies further ahead than any could be taken tells of a clock that went back."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many calls of an engine may start in a minute."""

    per_minute: float

    @property
    def interval(self) -> int:
        """Microseconds from one turn to the next."""
        return max(1, round(60 * MICROSECONDS / self.per_minute))

    @property
    def burst(self) -> int:
        """Microseconds by which calls may come early: one second's worth of them, at least one."""
        return max(0, MICROSECONDS - self.interval)


class Turn(NamedTuple):
    """When a call may start, or when to ask for a turn again."""

    at: int
    is_taken: bool
    """False where the turn lies too far ahead to be taken yet."""


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

    def taken(self, now: int, pace: Pace) -> tuple[Turn, "Turns"]:
        """The turn of one more call, and where the turns stand after it."""
        earliest, due = now + self.pause_left(now), self.next_turn
        if due > earliest + _AHEAD + pace.burst + pace.interval + _CLOCK_SLACK:
            due = now  # the clock went back: no turn lies that far ahead
        start = max(earliest, due - pace.burst)
        if start > earliest + _AHEAD:
            return Turn(start - _AHEAD, is_taken=False), self
        after = replace(self, next_turn=max(due, start) + pace.interval)
        return Turn(start, is_taken=True), after
