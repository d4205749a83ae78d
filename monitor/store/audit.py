"""What was done by whom: rows that nobody changes or takes out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from monitor.domain.access import Deed, Role, Visitor, Way
from monitor.store.rows import insert_one
from monitor.store.tables import audit


def note(
    connection: Connection,
    who: Visitor,
    action: str,
    subject: str,
    *,
    at: datetime,
    body: Mapping[str, Any] | None = None,
) -> int:
    """Note what a visitor did, in the transaction that does it; never put a secret into it."""
    row = {
        "done_at": at,
        "actor": who.name,
        "role": who.role.value,
        "way": who.way.value,
        "action": action,
        "subject": subject,
        "body": None if body is None else dict(body),
    }
    return insert_one(connection, audit, row)


def list_deeds(
    connection: Connection, *, limit: int, before: int | None = None, after: int | None = None
) -> tuple[Deed, ...]:
    """Newest deeds first: all of them, those older than one of an id, or those just newer."""
    query = select(audit).limit(limit)
    if after is not None:
        rows = connection.execute(query.where(audit.c.id > after).order_by(audit.c.id)).all()[::-1]
        return tuple(map(_deed, rows))
    if before is not None:
        query = query.where(audit.c.id < before)
    return tuple(map(_deed, connection.execute(query.order_by(audit.c.id.desc()))))


def _deed(row: Any) -> Deed:
    return Deed(
        row.id, row.done_at, row.actor, Role(row.role), Way(row.way), row.action, row.subject,
        row.body,
    )  # fmt: skip
