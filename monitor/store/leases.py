"""One process at a time for a kind of work on one store.

A store of SQLite has a lock file beside it. On PostgreSQL it is an advisory lock of a session: the
server lets go of it with the connection, however the process ends. Each is held by the process
and by nothing in the tables, so there is never one left to clear away.
"""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TextIO

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from monitor.errors import StoreBusyError, StoreError

_LOOK_SECONDS = 1.0
"""How often the holder asks whether its session is still there."""

_TAKE = text("SELECT pg_try_advisory_lock(:key)")
_GIVE_BACK = text("SELECT pg_advisory_unlock(:key)")
_HOLDER = text(
    "SELECT a.application_name, a.client_addr FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND ((l.classid::bigint << 32) | l.objid::bigint) = :key"
)


@contextmanager
def held_file(path: Path) -> Iterator[None]:
    """Hold a lock file; StoreError names the process that holds it already.

    The lock goes with the process, however it ends.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="ascii", errors="replace")
    except OSError as error:
        raise StoreError(f"{path}: the lock file cannot be made ({error.strerror})") from error
    with file:
        _lock(file, path)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield


def _lock(file: TextIO, path: Path) -> None:
    """Lock the open file, or say who holds it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        holder = file.read(20).strip() or "unknown"
        raise (_twice(path) if holder == str(os.getpid()) else _taken(holder)) from error
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be locked ({error.strerror}); keep the store on a local disk"
        ) from error


def _twice(path: Path) -> StoreBusyError:
    return StoreBusyError(
        f"this process itself is working on this store already ({path}): one store is named twice, "
        "or two databases of a folder differ in their ending alone; name another one"
    )


def _taken(holder: str) -> StoreBusyError:
    return StoreBusyError(
        f"another monitor process ({holder}) is working on this store; "
        "wait for it to end, or stop it and run `monitor resume`"
    )


@contextmanager
def held_session(engine: Engine, name: str, lost: Callable[[StoreError], None]) -> Iterator[None]:
    """Hold an advisory lock; StoreError names the process that holds it already.

    A server that restarts forgets it. It is then taken again; `lost` is told when somebody else
    was quicker.
    """
    session = _Session(engine, _key(name), lost)
    session.take()
    watch = threading.Thread(target=session.watch, name=f"lease-{name}", daemon=True)
    watch.start()
    try:
        yield
    finally:
        session.ended.set()
        watch.join()
        session.give_back()


def _key(name: str) -> int:
    """Number of a lock by its name, as PostgreSQL wants it."""
    return int.from_bytes(sha256(f"monitor:{name}".encode()).digest()[:8], signed=True)


class _Session:
    """The connection whose life is that of the lock."""

    def __init__(self, engine: Engine, key: int, lost: Callable[[StoreError], None]) -> None:
        self.ended = threading.Event()
        self._engine = engine
        self._key = key
        self._lost = lost
        self._connection: Connection | None = None

    def take(self) -> None:
        """Take the lock on a new connection, or say who holds it."""
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # Out of the pool: closing it ends the session, and the lock with it.
        connection.detach()
        try:
            if not connection.execute(_TAKE, {"key": self._key}).scalar():
                raise _taken(self._holder(connection))
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def watch(self) -> None:
        """Look after the session until the end, and open another one where it broke."""
        while not self.ended.wait(_LOOK_SECONDS):
            try:
                if self._connection is None:
                    self.take()
                else:
                    self._connection.execute(text("SELECT 1"))
            except StoreError as error:
                self._lost(error)
                return
            except DBAPIError:
                self.close()

    def give_back(self) -> None:
        """Let go of the lock, and end the session."""
        if self._connection is not None:
            # The server would notice a moment later by itself.
            with suppress(DBAPIError):
                self._connection.execute(_GIVE_BACK, {"key": self._key})
        self.close()

    def close(self) -> None:
        """End the session."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _holder(self, connection: Connection) -> str:
        """Who holds the lock, as its connection names itself."""
        row = connection.execute(_HOLDER, {"key": self._key}).first()
        if row is None or not row.application_name:
            return "unknown"
        place = "" if row.client_addr is None else f" from {row.client_addr}"
        return f"{row.application_name.removeprefix('monitor ')}{place}"
