"""Turns and pauses of engines, shared by everyone who works on the same store."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, cast, func, literal, select, update

from monitor.domain.pace import MICROSECONDS, Pace, Turns
from monitor.domain.ports import Clock
from monitor.store.rows import insert_new
from monitor.store.tables import engine_limit
from monitor.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Wait:
    """Microseconds until a call may start, or until it is worth to ask for a turn again."""

    micros: int
    is_turn: bool


def take_turns(
    connection: Connection, engine: str, pace: Pace, *, calls: int, clock: Clock
) -> list[Wait]:
    """What each of several calls that come together has to wait, by one locked row."""
    turns, now = _locked(connection, engine, clock)
    waits = []
    for _ in range(calls):
        turn, turns = turns.taken(now, pace)
        waits.append(Wait(turn.at - now, turn.is_taken))
    _keep(connection, engine, turns)
    return waits


def pause_engine(connection: Connection, engine: str, seconds: float, *, clock: Clock) -> None:
    """Let nobody start a call of an engine for so long."""
    turns, now = _locked(connection, engine, clock)
    _keep(connection, engine, turns.paused(now, round(seconds * MICROSECONDS)))


def pause_left(connection: Connection, engine: str, *, clock: Clock) -> int:
    """Microseconds until an engine may be asked again; 0 without a pause."""
    row = connection.execute(_turns(connection, engine)).first()
    return 0 if row is None else _turns_of(row).pause_left(_now(row, clock))


def _locked(connection: Connection, engine: str, clock: Clock) -> tuple[Turns, int]:
    """Turns of an engine, kept from everyone else until the transaction ends, and the time."""
    query = _turns(connection, engine).with_for_update()
    row = connection.execute(query).first()
    if row is None:
        fresh = {"engine": engine, "next_turn": 0, "paused_from": 0, "paused_until": 0}
        insert_new(connection, engine_limit, [fresh])
        row = connection.execute(query).one()
    return _turns_of(row), _now(row, clock)


def _turns(connection: Connection, engine: str) -> Any:
    """Query for an engine's turns, and for the server's clock where there is a server."""
    seconds = func.extract("epoch", func.clock_timestamp())
    served = connection.dialect.name == "postgresql"
    now = cast(seconds * MICROSECONDS, BigInteger) if served else literal(None, BigInteger)
    return select(engine_limit, now.label("now")).where(engine_limit.c.engine == engine)


def _turns_of(row: Row[Any]) -> Turns:
    return Turns(row.next_turn, row.paused_from, row.paused_until)


def _now(row: Row[Any], clock: Clock) -> int:
    """The time by the one clock that all workers share: the server's, else this machine's."""
    return int(clock.now().timestamp() * MICROSECONDS) if row.now is None else int(row.now)


def _keep(connection: Connection, engine: str, turns: Turns) -> None:
    connection.execute(
        update(engine_limit)
        .where(engine_limit.c.engine == engine)
        .values(
            next_turn=turns.next_turn,
            paused_from=turns.paused_from,
            paused_until=turns.paused_until,
        )
    )


class StoredPace:
    """Turns of one engine through the writer; implements monitor.domain.ports.Pacing."""

    def __init__(
        self,
        writer: Writer,
        engine: str,
        pace: Pace,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._writer = writer
        self._engine = engine
        self._pace = pace
        self._clock = clock
        self._sleep = sleep

    async def turn(self) -> float:
        """Seconds to wait for one call's turn, which is taken by this.

        A turn that lies far ahead is waited for here until it can be taken.
        """
        while not (wait := await self._writer.do_along(self._take, None)).is_turn:
            await self._sleep(wait.micros / MICROSECONDS)
        return wait.micros / MICROSECONDS

    async def pause(self, seconds: float) -> None:
        """Let nobody start a call of this engine for so long."""
        await self._writer.do(lambda c: pause_engine(c, self._engine, seconds, clock=self._clock))

    async def paused(self) -> bool:
        """Whether the engine asked for a pause that has not ended."""
        left = await self._writer.do(lambda c: pause_left(c, self._engine, clock=self._clock))
        return left > 0

    def _take(self, connection: Connection, calls: Sequence[None]) -> list[Wait]:
        """Turns of all calls that wait together."""
        return take_turns(connection, self._engine, self._pace, calls=len(calls), clock=self._clock)
