"""Small steps that all nouns share: inserting many rows, refusing unknown ids, writing alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Insert,
    Row,
    Select,
    Table,
    bindparam,
    func,
    insert,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from monitor.domain.keys import content_key, text_key
from monitor.domain.source import UrlFlag, UrlIdentity
from monitor.errors import StoreError
from monitor.store.types import UtcTime, storable

T = TypeVar("T")

Version = int | str
"""Version of what made a derived row; kept as text."""

_AT_ONCE = 4000
"""Rows of one call of the driver: more save nothing, and all of a large run would fill memory."""

CHUNK = 500
"""Values per IN list: far under every limit on bound parameters."""


def alone(connection: Connection, *subject: str | int) -> None:
    """Wait until no other transaction that names this subject goes on; one looks, then writes.

    SQLite has one writer anyway. Changes that the writer commits together hold their subjects until
    the last of them is done: where two processes hold the same ones in another order, PostgreSQL
    ends one of them, and the writer does it again.
    """
    if connection.dialect.name == "postgresql":
        key = int(content_key(subject, _KEY_DIGITS), 16)
        connection.execute(select(func.pg_advisory_xact_lock(key)))


_KEY_DIGITS = 15
"""Hex digits of a lock's key: the server knows numbers of 63 bits."""


def insert_many(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows by one prepared statement, some thousands in memory at a time."""
    for part in chunks(rows, _AT_ONCE):
        connection.execute(insert(table).inline(), part)


def insert_one(connection: Connection, table: Table, row: Mapping[str, Any]) -> int:
    """Insert a row and return its `id`."""
    key = connection.execute(insert(table), row).inserted_primary_key
    return int(key[0]) if key else 0


def insert_numbered(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> tuple[int, ...]:
    """Insert rows and return their `id`s, in the order of the rows."""
    if len(rows) == 1:
        return (insert_one(connection, table, rows[0]),)
    query = insert(table).returning(table.c.id, sort_by_parameter_order=True)
    return tuple(connection.execute(query, rows).scalars()) if rows else ()


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert rows, leaving alone those whose unique columns are there already; how many are new."""
    if not rows:
        return 0
    # Without the option the count of PostgreSQL's driver is not asked for, and reads -1.
    options = {"preserve_rowcount": True}
    query = _or_nothing(connection, table)
    return connection.execute(query, rows, execution_options=options).rowcount


def insert_one_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> int | None:
    """Insert a row and return its `id`; None where its unique columns are there already."""
    query = _or_nothing(connection, table).returning(table.c.id)
    found: int | None = connection.execute(query, row).scalar()
    return found


def _or_nothing(connection: Connection, table: Table) -> Insert:
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).inline().on_conflict_do_nothing()
    return sqlite.insert(table).inline().on_conflict_do_nothing()


def one_row(connection: Connection, query: Select[Any], what: str) -> Row[Any]:
    """The only row of a query; StoreError names what was sought and not found."""
    row = connection.execute(query).first()
    if row is None:
        raise StoreError(f"the store has no {what}: it was never saved; check the database URL")
    return row


def first_time(column: Column[Any], name: str) -> ColumnElement[datetime]:
    """The time a column holds already, else the parameter `name`."""
    # Without its type the parameter would pass as the plain one: no zone check, no UTC.
    return func.coalesce(column, bindparam(name, type_=UtcTime))


def chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """The values in lists of at most `size`."""
    rest = iter(values)
    while part := list(islice(rest, size)):
        yield part


@lru_cache(32_768)
def page_hash(page_key: str) -> str:
    """Fixed-length stand-in of a page key, for indexes."""
    return text_key(storable(page_key))


def identity_columns(identity: UrlIdentity) -> dict[str, Any]:
    """Columns that hold a URL's identity."""
    key = identity.page_key
    return {
        "clean_url": identity.clean_url,
        "page_key": key,
        "page_hash": None if key is None else page_hash(key),
        "family": identity.family,
        "unit": identity.unit,
        "flags": [flag.value for flag in identity.flags],
    }


def identity_of(row: Row[Any]) -> UrlIdentity:
    """A URL's identity from a row of citation or retrieved_source."""
    return UrlIdentity(
        raw=row.raw,
        clean_url=row.clean_url,
        page_key=row.page_key,
        family=row.family,
        unit=row.unit,
        flags=tuple(UrlFlag(flag) for flag in row.flags),
    )
