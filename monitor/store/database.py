"""One database by URL: SQLite in a file by default, PostgreSQL where several machines work.

Sessions are synchronous and belong to threads. SQLite runs with WAL, one writer at a time by
BEGIN IMMEDIATE (a deferred transaction that turns writer fails at once when another one wrote),
30 s of patience, and foreign keys on.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, NoSuchModuleError

from monitor.errors import StoreError

_WRITES = "monitor_writes"
_OPEN = 2
"""libpq's PQTRANS_INTRANS: in a valid transaction block."""
_PRAGMAS = (
    "PRAGMA busy_timeout=30000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    # At most 64 MiB of pages: 2 MiB, the default, reads every index of a large store anew.
    "PRAGMA cache_size=-65536",
)


class Database:
    """An open store: hands out connections for reading and for writing, in any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def shown_url(self) -> str:
        """Its URL without the password, fit for messages."""
        return self._engine.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is one file on this machine."""
        return self._engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one moment of the store and changes nothing."""
        options = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with (
            self._actionable(),
            self._engine.connect().execution_options(**options) as connection,
        ):
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one transaction: committed at the end, rolled back on any error."""
        with (
            self._actionable(),
            self._engine.connect().execution_options(**{_WRITES: True}) as connection,
            connection.begin(),
        ):
            yield connection

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

    def close(self) -> None:
        """Give back every pooled connection."""
        self._engine.dispose()

    @contextmanager
    def _actionable(self) -> Iterator[None]:
        """Turn failures of the place (locked, full, gone) into a StoreError with advice."""
        try:
            yield
        except IntegrityError:
            raise  # a fault of ours: keep the traceback
        except DatabaseError as error:
            if _says_place_failed(error.orig):
                raise StoreError(
                    f"the database {self.shown_url} failed: {error.orig}; "
                    "check that it is reachable, writable, not full and not held by another program"
                    ", and that `monitor db upgrade` ran"
                ) from error
            raise


def open_database(url: str) -> Database:
    """Database behind `sqlite:///path` or `postgresql://...`; StoreError names what is wrong."""
    address = _address(url)
    try:
        engine = create_engine(address, pool_pre_ping=address.drivername != "sqlite", **_pool())
    except ModuleNotFoundError as error:
        raise StoreError(
            f"no driver for {address.render_as_string(hide_password=True)}: "
            f"the package {error.name} is not installed; install psycopg[binary]"
        ) from error
    except NoSuchModuleError as error:
        raise StoreError(_unknown_kind(address.drivername)) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return Database(engine)


def _pool() -> dict[str, Any]:
    return {"pool_size": 8, "max_overflow": 56, "pool_timeout": 60}


def _address(url: str) -> URL:
    """Parsed URL with our drivers; the folder of an SQLite file is made."""
    try:
        address = make_url(url)
    except (ArgumentError, ValueError) as error:  # a port that is no number is a ValueError
        raise StoreError(
            f"database URL {url[:20]!r}... cannot be read: expected sqlite:///path/to/file.db "
            "or postgresql://user@host/name"
        ) from error
    if address.drivername in {"postgres", "postgresql"}:
        return address.set(drivername="postgresql+psycopg")
    if address.drivername not in {"sqlite", "postgresql+psycopg"}:
        raise StoreError(_unknown_kind(address.drivername))
    if address.drivername == "sqlite":
        _make_folder(address.database)
    return address


def _unknown_kind(name: str) -> str:
    return f"database kind {name!r} is unknown: expected sqlite or postgresql"


def _make_folder(path: str | None) -> None:
    if not path or path == ":memory:" or path.startswith("file:"):
        raise StoreError(
            f"an SQLite store needs a plain file, got {path or 'no path'!r}: "
            "write sqlite:///data/monitor.db"
        )
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder of the database {path}: {error}") from error


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
    return "OperationalError" in lineage or kind.__name__ in {"DatabaseError", "UndefinedTable"}
