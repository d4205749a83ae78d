"""Notes of bytes that retention took away: the rows that refer to them stay."""

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import Connection, delete, select

from monitor.store.rows import chunks
from monitor.store.tables import removed_artifact


def clear(connection: Connection, hashes: Iterable[str | None]) -> None:
    """Forget the notes of bytes that are stored again."""
    for part in chunks({one for one in hashes if one is not None}):
        connection.execute(delete(removed_artifact).where(removed_artifact.c.sha256.in_(part)))


def load_removed(connection: Connection, hashes: Collection[str]) -> dict[str, datetime]:
    """When bytes were removed, by hash; those that were not are left out."""
    found: dict[str, datetime] = {}
    columns = removed_artifact.c
    for part in chunks(hashes):
        query = select(columns.sha256, columns.removed_at).where(columns.sha256.in_(part))
        found |= {row.sha256: row.removed_at for row in connection.execute(query)}
    return found


def all_removed(connection: Connection) -> set[str]:
    """Hashes of all bytes that retention noted."""
    return set(connection.execute(select(removed_artifact.c.sha256)).scalars())
