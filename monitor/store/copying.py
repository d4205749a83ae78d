"""The rows of one store in another: copied in order, continued where that was cut, compared.

Tables go in the order in which they refer to one another, rows in the order of their keys, in a
transaction for some thousands of them. So what was copied is always the first part of the whole,
and its digest tells whether it is a part of this store or of some other one.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    Table,
    collate,
    func,
    insert,
    select,
    tuple_,
)
from sqlalchemy.exc import DataError

from monitor.domain.keys import canonical_json
from monitor.errors import StoreError
from monitor.store.database import Database
from monitor.store.tables import metadata

Key = tuple[Any, ...]
"""Primary key of a row."""

BATCH = 2_000
"""Rows of one transaction, and rows in memory at a time."""

_EXACT = 2**53
"""Whole numbers up to here are the same as integers and as floats."""


@dataclass(frozen=True, slots=True)
class Digest:
    """How many rows there are, and one hash over all of them."""

    rows: int
    sha256: str


def table_names() -> tuple[str, ...]:
    """Names of all tables, each after those it refers to."""
    return tuple(table.name for table in metadata.sorted_tables)


def count_rows(connection: Connection, name: str) -> int:
    """Rows of a table."""
    counted = connection.execute(select(func.count()).select_from(metadata.tables[name]))
    return int(counted.scalar_one())


def last_key(connection: Connection, name: str) -> Key | None:
    """The highest key of a table, or None where it is empty."""
    table = metadata.tables[name]
    query = select(*table.primary_key).order_by(*(one.desc() for one in _order(connection, table)))
    row = connection.execute(query.limit(1)).first()
    return None if row is None else tuple(row)


def digest(connection: Connection, name: str, up_to: Key | None = None) -> Digest:
    """Digest of a table's rows in the order of their keys, up to a key or all of them.

    It is the same on every kind of database: times in UTC, numbers by value, JSON in one form.
    """
    table = metadata.tables[name]
    query = _rows(connection, table)
    if up_to is not None:
        query = query.where(_key(connection, table) <= _values(table, up_to))
    seen, rows = hashlib.sha256(), 0
    for part in _batches(connection, query):
        for row in part:
            seen.update(canonical_json([_plain(value) for value in row]))
            seen.update(b"\n")
        rows += len(part)
    return Digest(rows, seen.hexdigest())


@dataclass(frozen=True, slots=True)
class Begun:
    """What of a table is in the target already."""

    name: str
    rows: int
    last: Key | None


def begun(source: Connection, target: Database, name: str) -> Begun:
    """How far a table was copied before; StoreError where the target has rows of its own."""
    with target.read() as connection:
        last = last_key(connection, name)
        there = Digest(0, "") if last is None else digest(connection, name)
    if last is not None and digest(source, name, last) != there:
        raise StoreError(
            f"{target.shown_url} holds other rows in {name} than this store: expected none, or the "
            "first part of a copy of it; name an empty database, or empty this one"
        )
    return Begun(name, there.rows, last)


def copy_rest(
    source: Connection, target: Database, part: Begun, copied: Callable[[int], None]
) -> None:
    """Copy the rows of a table that are not in the target yet; hear of every committed batch."""
    table = metadata.tables[part.name]
    query = _rows(source, table)
    if part.last is not None:
        query = query.where(_key(source, table) > _values(table, part.last))
    for batch in _batches(source, query):
        _insert(target, table, batch)
        copied(len(batch))


def set_counters(connection: Connection) -> None:
    """Let PostgreSQL count on from the highest id of every table; SQLite does so by itself."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        if "id" not in table.primary_key:
            continue
        highest = select(func.coalesce(func.max(table.c.id), 0)).scalar_subquery()
        counter = func.pg_get_serial_sequence(table.name, "id")
        connection.execute(select(func.setval(counter, highest + 1, False)))


def _insert(target: Database, table: Table, part: list[Any]) -> None:
    try:
        with target.write() as connection:
            connection.execute(insert(table).inline(), [row._asdict() for row in part])
    except DataError as error:
        keys = [column.name for column in table.primary_key]
        first, last = ([getattr(row, key) for key in keys] for row in (part[0], part[-1]))
        raise StoreError(
            f"a row of {table.name} from {first} to {last} does not fit into {target.shown_url}: "
            f"{error.orig}; nothing of this batch was written"
        ) from error


def _rows(connection: Connection, table: Table) -> Select[Any]:
    return select(table).order_by(*_order(connection, table))


def _order(connection: Connection, table: Table) -> list[ColumnElement[Any]]:
    """Columns of the key, texts by their bytes: each database has its own idea of an alphabet."""
    is_postgres = connection.dialect.name == "postgresql"
    return [
        column if isinstance(column.type, Integer) or not is_postgres else collate(column, "C")
        for column in table.primary_key
    ]


def _key(connection: Connection, table: Table) -> ColumnElement[Any]:
    return tuple_(*_order(connection, table))


def _values(table: Table, key: Key) -> ColumnElement[Any]:
    return tuple_(*key, types=[column.type for column in table.primary_key])


def _batches(connection: Connection, query: Select[Any]) -> Iterator[list[Any]]:
    """Rows of a query, a batch of them in memory at a time."""
    rows = connection.execute(query.execution_options(yield_per=BATCH))
    for part in rows.partitions():
        yield list(part)


def _plain(value: Any) -> Any:
    """A column's value as JSON, the same from every database."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    raise TypeError(f"no plain form for {type(value).__name__}")


def _number(value: float) -> int | float | str:
    """A number by its value: JSONB does not tell 1.0 from 1, nor 1e22 from its digits."""
    if isinstance(value, int) and abs(value) <= _EXACT:
        return value
    try:
        inexact = float(value)
    except OverflowError:
        return str(value)
    whole = inexact.is_integer() and abs(inexact) <= _EXACT
    return int(inexact) if whole else repr(inexact)
