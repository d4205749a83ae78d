"""State of browser surfaces, shared by all processes: captures of the day, the last one, stops."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from monitor.domain.ports import Clock
from monitor.errors import StoreBusyError, SurfaceStoppedError
from monitor.store.database import Database
from monitor.store.rows import insert_new
from monitor.store.tables import surface_state
from monitor.store.writer import Writer

_AGAIN_SECONDS = 1.0
"""Between two tries to take a turn that another process holds."""


@dataclass(frozen=True, slots=True)
class SurfaceState:
    """What is known of one surface."""

    engine: str
    day: str | None = None
    """UTC date that `captures` counts; None where there was none yet."""
    captures: int = 0
    last_at: datetime | None = None
    """When the last capture began, or ended."""
    stopped_at: datetime | None = None
    stopped_because: str | None = None

    def captures_on(self, now: datetime) -> int:
        """Captures of the day that a moment is in."""
        return self.captures if self.day == now.date().isoformat() else 0

    def refusal(self, daily_cap: int | None, now: datetime) -> str | None:
        """Why no capture may begin; None where one may."""
        if self.stopped_at is not None:
            since = self.stopped_at.strftime("%Y-%m-%d %H:%M")
            return (
                f"{self.engine} is stopped since {since} UTC: {self.stopped_because}; look at it "
                f"by hand, then `monitor surfaces resume {self.engine}`"
            )
        if daily_cap is not None and self.captures_on(now) >= daily_cap:
            return (
                f"{self.engine} had its {daily_cap} captures of this day (UTC): the others wait "
                f"for the next day, or a higher surfaces.{self.engine}.daily_cap"
            )
        return None


def load_surface(connection: Connection, engine: str) -> SurfaceState:
    """State of one surface; that of a fresh one where nothing is known."""
    row = connection.execute(select(surface_state).where(surface_state.c.engine == engine)).first()
    return SurfaceState(engine) if row is None else _state_of(row)


def load_surfaces(connection: Connection, engines: Iterable[str]) -> dict[str, SurfaceState]:
    """States of several surfaces by name, those of fresh ones too."""
    rows = {row.engine: _state_of(row) for row in connection.execute(select(surface_state))}
    return {name: rows.get(name, SurfaceState(name)) for name in engines}


def begin_capture(
    connection: Connection, engine: str, *, daily_cap: int | None, at: datetime
) -> str | None:
    """Count a capture of the day; the reason where none may begin, and nothing is counted."""
    state = load_surface(connection, engine)
    refusal = state.refusal(daily_cap, at)
    if refusal is None:
        day, count = at.date().isoformat(), state.captures_on(at) + 1
        _change(connection, engine, {"day": day, "captures": count, "last_at": at})
    return refusal


def end_capture(connection: Connection, engine: str, *, at: datetime) -> None:
    """Note when the last capture of a surface ended."""
    _change(connection, engine, {"last_at": at})


def stop_surface(connection: Connection, engine: str, reason: str, *, at: datetime) -> None:
    """Let no capture of a surface begin; one that is stopped keeps its first reason."""
    if load_surface(connection, engine).stopped_at is None:
        _change(connection, engine, {"stopped_at": at, "stopped_because": reason})


def lift_stop(connection: Connection, engine: str) -> bool:
    """Let captures of a surface begin again; whether it was stopped."""
    was = load_surface(connection, engine).stopped_at is not None
    _change(connection, engine, {"stopped_at": None, "stopped_because": None})
    return was


def _change(connection: Connection, engine: str, values: dict[str, Any]) -> None:
    insert_new(connection, surface_state, [{"engine": engine, "captures": 0}])
    connection.execute(
        update(surface_state).where(surface_state.c.engine == engine).values(**values)
    )


def _state_of(row: Row[Any]) -> SurfaceState:
    return SurfaceState(
        row.engine, row.day, row.captures, row.last_at, row.stopped_at, row.stopped_because
    )


@dataclass(frozen=True, slots=True)
class SurfacePace:
    """How often one surface may be captured."""

    spacing_seconds: float
    """Least time between two captures; up to half of it more is added by chance."""
    daily_cap: int | None
    """Most captures in a day (UTC); None is no cap."""


class StoredGate:
    """Turns of one surface through the store; implements monitor.domain.ports.SurfaceGate."""

    def __init__(
        self,
        database: Database,
        writer: Writer,
        engine: str,
        pace: SurfacePace,
        clock: Clock,
        *,
        chance: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`chance` gives numbers from 0 to 1."""
        self._database = database
        self._writer = writer
        self._engine = engine
        self._pace = pace
        self._clock = clock
        self._chance = chance
        self._sleep = sleep
        self._one = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold the one turn of the surface; SurfaceStoppedError where none may begin."""
        async with self._one:
            with ExitStack() as held:
                await self._refuse()
                await self._take(held)
                await self._space()
                # Somebody may have stopped it meanwhile.
                refusal = await self._writer.do(self._begin)
                if refusal is not None:
                    raise SurfaceStoppedError(refusal)
                try:
                    yield
                finally:
                    await self._writer.do(
                        lambda c: end_capture(c, self._engine, at=self._clock.now())
                    )

    async def stop(self, reason: str) -> None:
        """Let no further capture begin until a person lifts the stop."""
        at = self._clock.now()
        await self._writer.do(lambda c: stop_surface(c, self._engine, reason, at=at))

    def _begin(self, connection: Connection) -> str | None:
        return begin_capture(
            connection, self._engine, daily_cap=self._pace.daily_cap, at=self._clock.now()
        )

    async def _refuse(self) -> None:
        """SurfaceStoppedError before anything is waited for that will not come."""
        state = await asyncio.to_thread(self._load)
        refusal = state.refusal(self._pace.daily_cap, self._clock.now())
        if refusal is not None:
            raise SurfaceStoppedError(refusal)

    async def _take(self, held: ExitStack) -> None:
        """The surface's lock over all processes, waited for."""
        while True:
            try:
                held.enter_context(self._database.exclusive(f"surface-{self._engine}"))
            except StoreBusyError:
                await self._refuse()
                await self._sleep(_AGAIN_SECONDS)
            else:
                return

    async def _space(self) -> None:
        """Wait until the last capture, of whichever process, is long enough ago."""
        state = await asyncio.to_thread(self._load)
        if state.last_at is None:
            return
        least = self._pace.spacing_seconds * (1 + self._chance() / 2)
        wait = least - (self._clock.now() - state.last_at).total_seconds()
        if wait > 0:
            await self._sleep(min(wait, least))

    def _load(self) -> SurfaceState:
        with self._database.read() as connection:
            return load_surface(connection, self._engine)
