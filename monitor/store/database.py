"""One database by URL: SQLite in a file by default, PostgreSQL where several machines work.

Sessions are synchronous and belong to threads. SQLite runs with WAL, one writer at a time by
BEGIN IMMEDIATE (a deferred transaction that turns writer fails at once when another one wrote),
30 s of patience, and foreign keys on. PostgreSQL has the same patience: for locks of others, and
for a server that answered before and is away.
"""

import contextlib
import os
import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import (
    DatabaseError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from monitor.errors import StoreError
from monitor.store.addresses import database_address, shown, unknown_kind
from monitor.store.leases import held_file, held_session

_WRITES = "monitor_writes"
_SCHEMA_LOCK = 0x6D6F6E69746F72
"""Key of the advisory lock that changes of the schema take: `monitor` in hexadecimal."""
_OPEN = 2
"""libpq's PQTRANS_INTRANS: in a valid transaction block."""
PATIENCE = 30.0
"""Seconds that a lock of others, or a server that answered before, is waited for."""
_PRAGMAS = (
    "PRAGMA busy_timeout=30000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    # At most 64 MiB of pages: 2 MiB, the default, reads every index of a large store anew.
    "PRAGMA cache_size=-65536",
)


_SESSION = (
    ("lock_timeout", "30000"),
    # A machine that died without a word holds its locks for half a minute, not for two hours.
    ("tcp_keepalives_idle", "15"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
)
"""What the server is asked for with each connection."""
_CONNECT = {
    "connect_timeout": 10,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""What libpq is told, so that a server which died is noticed in half a minute."""

_AGAIN = 0.2
"""Seconds between two tries to connect."""
IDLE_SECONDS = 10
"""Idleness that ends a writing transaction: whoever began it is frozen, and holds up all others."""
_BOUND_IDLENESS = text(
    "SELECT set_config('idle_in_transaction_session_timeout', :seconds, true)"  # for it alone
)
_PASSING = frozenset({"40001", "40P01", "25P03"})
"""SQLSTATE of a transaction that was undone because of another one; it may be tried again."""
_OF_THE_PLACE = frozenset(
    {
        "DatabaseError", "DuplicateTable", "IdleInTransactionSessionTimeout",
        "InsufficientPrivilege", "InvalidSchemaName",
        "ReadOnlySqlTransaction", "UndefinedColumn", "UndefinedTable",
    }
)  # fmt: skip
"""Kinds of errors that tell of the database rather than of a statement of ours."""


class Database:
    """An open store: hands out connections for reading and for writing, in any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._answered = False
        self._lost: StoreError | None = None

    @property
    def shown_url(self) -> str:
        """Its URL without any password, fit for messages."""
        return shown(self._engine.url)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is one file on this machine."""
        return self._engine.dialect.name == "sqlite"

    @property
    def conninfo(self) -> str:
        """Where a PostgreSQL server is, password and all, as its own library wants it told.

        And how soon a server that died is noticed.
        """
        # Not as a URL: the two libraries differ on how spaces are written in one.
        url = self._engine.url
        place = url.translate_connect_args(username="user", database="dbname")
        words = {**_CONNECT, **place, **url.query}
        return " ".join(f"{name}={_quoted(value)}" for name, value in words.items())

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one moment of the store and changes nothing."""
        options: dict[str, Any] = (
            {}
            if self.is_sqlite
            else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        )
        with self._actionable(), self._connect().execution_options(**options) as connection:
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one transaction: committed at the end, rolled back on any error."""
        if self._lost is not None:
            raise self._lost
        with (
            self._actionable(),
            self._connect().execution_options(**{_WRITES: True}) as connection,
            connection.begin(),
        ):
            if not self.is_sqlite:
                connection.execute(_BOUND_IDLENESS, {"seconds": f"{IDLE_SECONDS}s"})
            yield connection

    @contextmanager
    def exclusive(self, name: str = "work") -> Iterator[None]:
        """Keep every other process from work of that name; StoreError says who is at it.

        Nothing more is written here once another process took over: it can where the server was
        restarted and this process was away for longer.
        """
        with self._actionable(), self._held(name):
            yield

    def was_undone(self, error: BaseException | None) -> bool:
        """Whether a failed statement's transaction left nothing behind and may be tried again.

        That is so after a deadlock, and where the connection broke before its COMMIT was sent.
        """
        if not isinstance(error, DBAPIError):
            return False
        return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _PASSING

    def is_inside(self, connection: Connection) -> bool:
        """Whether a writing connection's transaction is still open on the database's side."""
        raw: Any = connection.connection.driver_connection
        return bool(raw.in_transaction if self.is_sqlite else raw.info.transaction_status == _OPEN)

    @contextmanager
    def migrate(self) -> Iterator[Connection]:
        """A writing connection for schema changes; SQLite checks its foreign keys at the end.

        Batch mode copies tables, and dropping the old one would delete what refers to it.
        """
        with self._actionable(), self._engine.connect() as connection:
            if not self.is_sqlite:
                with connection.begin():
                    # Workers that start together must not change the schema together.
                    connection.execute(select(func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
                    yield connection
                return
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA foreign_keys=OFF")
            try:
                with connection.execution_options(**{_WRITES: True}).begin():
                    yield connection
                    _refuse_orphans(connection)
            finally:
                raw.execute("PRAGMA foreign_keys=ON")

    def snapshot(self, path: Path) -> None:
        """Write one moment of an SQLite store to a new file, while others read and write it."""
        with self._actionable(), self._connect() as connection:
            raw: Any = connection.connection.driver_connection
            try:
                with contextlib.closing(sqlite3.connect(path)) as copy:
                    # In one step: between steps of a copy every change would begin it anew.
                    raw.backup(copy)
            except sqlite3.Error as error:
                path.unlink(missing_ok=True)
                raise StoreError(
                    f"the rows of {self.shown_url} cannot be copied to {path} ({error}); "
                    "check that there is room, and that both can be read and written"
                ) from error

    def close(self) -> None:
        """Give back every pooled connection."""
        self._engine.dispose()

    def _held(self, name: str) -> AbstractContextManager[None]:
        if not self.is_sqlite:
            return held_session(self._engine, name, self._give_up)
        ending = ".lock" if name == "work" else f".{name}.lock"
        return held_file(Path(self._engine.url.database or "").with_suffix(ending))

    def _give_up(self, error: StoreError) -> None:
        """Refuse every further change: another process does the work of this one."""
        self._lost = error

    def _connect(self) -> Connection:
        """A connection; a server that answered before is waited for while it is away."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                connection = self._engine.connect()
            except OperationalError:
                if self.is_sqlite or not self._answered or time.monotonic() > deadline:
                    raise
                time.sleep(_AGAIN)
            else:
                self._answered = True
                return connection

    def explained(self, error: BaseException) -> BaseException:
        """A failure of the place (locked, full, gone) as a StoreError with advice, else the same.

        A fault of ours stays as it is and keeps its traceback.
        """
        if isinstance(error, PoolTimeout):
            return StoreError(
                f"{self.shown_url}: every connection was busy for a minute; "
                "ask for less at once (`concurrency` in the settings), or find what holds them"
            )
        if not isinstance(error, DatabaseError) or isinstance(error, IntegrityError):
            return error
        # Without a statement it was connecting that failed: by an option that the URL has.
        if error.statement is not None and not _says_place_failed(error.orig):
            return error
        return StoreError(
            f"the database {self.shown_url} failed: {' '.join(str(error.orig).split())}; "
            "check that it is reachable, writable, not full and not held by another program"
            ", and that `monitor db upgrade` ran"
        )

    @contextmanager
    def _actionable(self) -> Iterator[None]:
        """Have failures of the place explained."""
        try:
            yield
        except (DatabaseError, PoolTimeout) as error:
            told = self.explained(error)
            if told is error:
                raise
            raise told from error


def open_database(url: str) -> Database:
    """Database behind `sqlite:///path` or `postgresql://...`; StoreError names what is wrong."""
    address = database_address(url)
    try:
        engine = create_engine(address, **_options(address))
    except ModuleNotFoundError as error:
        raise StoreError(
            f"no driver for {shown(address)}: "
            f"the package {error.name} is not installed; install psycopg[binary]"
        ) from error
    except NoSuchModuleError as error:
        raise StoreError(unknown_kind(address.drivername)) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return Database(engine)


def _options(address: URL) -> dict[str, Any]:
    """How connections are made and kept; what the URL says itself stays."""
    if address.drivername == "sqlite":
        return {"pool_size": 8, "max_overflow": 56, "pool_timeout": 60}
    session = " ".join(f"-c {name}={value}" for name, value in _SESSION)
    asked = {"application_name": _own_name(), "options": session, **_CONNECT}
    return {
        # A server has a hundred connections for everybody, unless told otherwise.
        "pool_size": 4,
        "max_overflow": 12,
        "pool_timeout": 60,
        "pool_pre_ping": True,
        "connect_args": {name: v for name, v in asked.items() if name not in address.query},
    }


def _quoted(value: object) -> str:
    """A value, or several of them, as libpq reads them between its quotes."""
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _own_name() -> str:
    """What this process is called among a server's connections: its number and machine."""
    host = re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())[:40]
    return f"monitor {os.getpid()}@{host}"


def _prepare_sqlite(raw: sqlite3.Connection, _record: object) -> None:
    # The driver's own BEGIN comes too late (not before SELECT, DDL or SAVEPOINT): we send ours.
    raw.isolation_level = None
    for pragma in _PRAGMAS:
        raw.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _refuse_orphans(connection: Connection) -> None:
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if orphans:
        tables = sorted({str(orphan[0]) for orphan in orphans})
        raise StoreError(
            f"the schema change would leave {len(orphans)} rows of {', '.join(tables)} pointing at "
            "nothing; it was rolled back, nothing changed"
        )


def _says_place_failed(cause: BaseException | None) -> bool:
    """Whether the database itself is out of order, rather than a statement of ours."""
    kind = type(cause)
    lineage = {parent.__name__ for parent in kind.__mro__}
    return "OperationalError" in lineage or kind.__name__ in _OF_THE_PLACE
