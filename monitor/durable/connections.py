"""Connections of a worker to its queue, which come back when the server does.

PgQueuer's own driver has one connection for listening and for queries, which then wait for each
other; this one has two.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from psycopg import AsyncConnection, AsyncRawCursor, sql
from psycopg.rows import dict_row

T = TypeVar("T")

RECONNECT_SECONDS = 0.5
"""Between two tries to reach a server that went away."""
_PATIENCE_SECONDS = 120.0
"""How long a statement waits for it."""
_LAST_PATIENCE_SECONDS = 1.0
"""How long it waits once the worker is to end; what it could not tell is found out by others."""


class TwoConnections(PsycopgDriver):
    """PgQueuer's driver on a connection for notices and another one for statements."""

    def __init__(
        self,
        conninfo: str,
        ending: asyncio.Event,
        *,
        mended: Callable[[], None],
        listening: "AsyncConnection[Any]",
        asking: "AsyncConnection[Any]",
    ) -> None:
        super().__init__(listening)
        self._mended = mended
        self._conninfo = conninfo
        self._ending = ending
        self._asking = asking
        self._mending = asyncio.Lock()
        self.turn = asyncio.Lock()
        """Held over a statement; who holds it sends at once what was decided a moment ago."""

    @classmethod
    async def open(
        cls, conninfo: str, ending: asyncio.Event, *, mended: Callable[[], None]
    ) -> "TwoConnections":
        """A driver on two fresh connections; `ending` is set once the worker is to end.

        `mended` is called whenever a lost server was reached again.
        """
        listening = await _connect(conninfo)
        try:
            asking = await _connect(conninfo)
        except BaseException:
            await listening.close()
            raise
        return cls(conninfo, ending, mended=mended, listening=listening, asking=asking)

    @property
    def is_whole(self) -> bool:
        """Whether statements still have a server, as far as is known."""
        return not self._asking.closed

    async def close(self) -> None:
        """Close both connections."""
        await self._asking.close()
        await self._connection.close()

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        """Rows of a query; one that lost its server is sent again."""
        return await self._asked(lambda connection: _fetched(connection, query, args))

    def once(self) -> PsycopgDriver:
        """A driver for statements that must not be sent again late; `turn` is theirs to hold."""
        return _Once(self._connection, lambda: self._asking)

    async def execute(self, query: str, *args: object) -> str:
        """Run a statement; one that lost its server is sent again."""

        async def ask(connection: "AsyncConnection[Any]") -> str:
            cursor = AsyncRawCursor(connection)
            await cursor.execute(query, args or None)
            return cursor.statusmessage or ""

        return await self._asked(ask)

    async def watch_notifies(self) -> None:
        """Hand notices on, over another connection where one broke."""
        while not self.shutdown.is_set():
            try:
                await super().watch_notifies()
            except psycopg.OperationalError:
                await asyncio.sleep(RECONNECT_SECONDS)
                await self._listen_again()

    async def _listen_again(self) -> None:
        """Listen as before on a new connection, where the server is there."""
        with suppress(psycopg.OperationalError, OSError):
            fresh = await _connect(self._conninfo)
            try:
                for channel in self._listeners:
                    await fresh.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            except BaseException:
                await fresh.close()
                raise
            broken, self._connection = self._connection, fresh
            await broken.close()

    async def _asked(self, ask: Callable[["AsyncConnection[Any]"], Awaitable[T]]) -> T:
        """What a statement gives.

        Statements that tell of jobs may be sent twice: the second time changes nothing.
        """
        clock = asyncio.get_running_loop().time
        began = clock()
        while True:
            connection = self._asking
            try:
                async with self.turn:
                    return await ask(connection)
            except psycopg.OperationalError:
                if not connection.closed or clock() - began > self._patience():
                    raise
            await asyncio.sleep(RECONNECT_SECONDS)
            await self._mend(connection)

    def _patience(self) -> float:
        """Seconds that a statement waits for a server that went away."""
        over = self._ending.is_set() or self.shutdown.is_set()
        return _LAST_PATIENCE_SECONDS if over else _PATIENCE_SECONDS

    async def _mend(self, broken: "AsyncConnection[Any]") -> None:
        """A new connection in place of a broken one, unless somebody else made it."""
        async with self._mending:
            if self._asking is broken:
                with suppress(psycopg.OperationalError, OSError):
                    self._asking = await _connect(self._conninfo)
                    self._mended()


class _Once(PsycopgDriver):
    """The connection for statements, without another try."""

    def __init__(
        self,
        listening: "AsyncConnection[Any]",
        asking: Callable[[], "AsyncConnection[Any]"],
    ) -> None:
        super().__init__(listening)
        self._asking = asking

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        """Rows of a query."""
        return await _fetched(self._asking(), query, args)


async def _fetched(
    connection: "AsyncConnection[Any]", query: str, args: tuple[object, ...]
) -> list[dict[str, object]]:
    cursor = AsyncRawCursor(connection, row_factory=dict_row)
    await cursor.execute(query, args or None)
    return await cursor.fetchall()


async def _connect(conninfo: str) -> "AsyncConnection[Any]":
    """A connection that commits each statement by itself."""
    return await AsyncConnection.connect(conninfo, autocommit=True)
