"""What edges need of each other, as protocols; pipeline wires them together."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time as an argument."""

    def now(self) -> datetime:
        """Aware UTC date-time."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...


class Artifacts(Protocol):
    """Bytes under their sha256; write-once."""

    def ready(self) -> None:
        """Return where bytes can be kept right now, to be asked before anything is paid for."""
        ...

    def put(self, content: bytes, *, lasting: bool = False) -> str:
        """Store bytes (put-if-absent) and return their sha256 as hex.

        `lasting` waits until they would outlive a power cut, as pointers always do.
        """
        ...

    def get(self, sha256: str) -> bytes:
        """Bytes of that hash; LostBytesError when absent or altered."""
        ...

    def point(self, name: str, sha256: str) -> None:
        """Leave a pointer `name` -> sha256 (put-if-absent), before the database commits."""
        ...

    def names(self, prefix: str) -> tuple[str, ...]:
        """Names of all pointers under a prefix, sorted."""
        ...

    def target(self, name: str) -> str:
        """The sha256 that a pointer names; LostBytesError where it names none."""
        ...


class Budget(Protocol):
    """Caps on calls and money; a call is reserved before it is made."""

    async def reserve(self, capture_id: int, engine: str, micros: int) -> int:
        """Reserve one call and its estimated price; BudgetError when a cap would be passed."""
        ...

    async def settle(self, reservation: int, micros: int) -> None:
        """Replace the estimate by what the call cost; 0 when nothing was charged."""
        ...


class Pacing(Protocol):
    """Turns of one engine, shared by everyone who asks it."""

    async def turn(self) -> float:
        """Seconds to wait for one call's turn, which is taken by this."""
        ...

    async def pause(self, seconds: float) -> None:
        """Let nobody start a call for so long."""
        ...

    async def paused(self) -> bool:
        """Whether a pause has not ended."""
        ...


class JudgeLedger(Protocol):
    """Caps on calls and money of a judge that is paid; may be asked from several threads."""

    def reserve(self, micros: int) -> int:
        """Reserve one call at its estimated price; BudgetError when a cap would be passed."""
        ...

    def settle(self, reservation: int, micros: int) -> None:
        """Replace the estimate by what the call cost; 0 when nothing was charged."""
        ...


class SurfaceGate(Protocol):
    """Turns of one browser surface, kept over processes: one at a time, spaced, capped, stopped."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait for the turn of one capture, which is held until it ends.

        SurfaceStoppedError where the surface is stopped, or the day's captures are used up.
        """
        ...

    async def stop(self, reason: str) -> None:
        """Let no further capture begin until a person says so: a challenge or login stood there."""
        ...
