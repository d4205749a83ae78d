"""The outbox: messages to the outside, kept until they are sent or given up.

A message is saved in the transaction of what it tells, so neither exists without the other. It is
claimed before it is sent and marked after: whoever dies in between sends it once more, by another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, exists, or_, select, update

from monitor.store.rows import insert_new
from monitor.store.tables import delivery


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be told to the outside, once."""

    key: str
    """What makes it one message however often it is saved."""
    kind: str
    """Which sender takes it."""
    target: str
    """For whom, by name: an address that is a secret is looked up when it is sent."""
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as it stands in the outbox."""

    id: int
    message: Message
    state: str
    """`waiting`, `sent` or `given_up`."""
    attempts: int
    created_at: datetime
    due_at: datetime
    """When it may be tried; while somebody tries, when the next one may."""
    sent_at: datetime | None
    error: str | None


def save(
    connection: Connection,
    message: Message,
    *,
    at: datetime,
    instead_of: Sequence[str] = (),
    lease: timedelta = timedelta(),
) -> bool:
    """Put a message into the outbox; whether it is new there.

    Waiting messages of the keys in `instead_of` are overtaken by it and taken out. One of them may
    be under way, so the new one waits until that try has ended for sure.
    """
    row = {
        "key": message.key,
        "kind": message.kind,
        "target": message.target,
        "body": dict(message.body),
        "state": "waiting",
        "attempts": 0,
        "created_at": at,
        "due_at": _after(connection, instead_of, at=at, lease=lease),
    }
    new = bool(insert_new(connection, delivery, [row]))
    if new and instead_of:
        connection.execute(delete(delivery).where(*_waiting(instead_of)))
    return new


def _after(
    connection: Connection, keys: Sequence[str], *, at: datetime, lease: timedelta
) -> datetime:
    """When a message may go that overtakes those of the keys."""
    if not keys:
        return at
    tried = select(delivery.c.due_at).where(*_waiting(keys), delivery.c.attempts > 0)
    ends = connection.execute(tried).scalars().all()
    latest: datetime = max([at, *ends])
    return min(latest, at + lease)


def _waiting(keys: Sequence[str]) -> tuple[Any, ...]:
    return delivery.c.key.in_(keys), delivery.c.state == "waiting"


_BEFORE = delivery.alias("before")

_BLOCKED = exists().where(
    _BEFORE.c.target == delivery.c.target,
    _BEFORE.c.state == "waiting",
    _BEFORE.c.id < delivery.c.id,
)
"""An earlier message for the same target still waits: messages arrive in their order."""


def claim(connection: Connection, *, at: datetime, lease: timedelta) -> Delivery | None:
    """The oldest message that is due, kept from others for the time of the lease; None for none."""
    columns = delivery.c
    query = (
        select(delivery)
        .where(columns.state == "waiting", columns.due_at <= at, ~_BLOCKED)
        .order_by(columns.id)
        .limit(1)
        .with_for_update(skip_locked=True, of=delivery)
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    # Without an error while somebody tries: what has one lies between two tries.
    taken = {"attempts": row.attempts + 1, "due_at": at + lease, "error": None}
    connection.execute(update(delivery).where(columns.id == row.id).values(**taken))
    return _delivery_of(row, **taken)


def mark_sent(connection: Connection, one: Delivery, *, at: datetime) -> None:
    """Note that a claimed message was taken."""
    _settle(connection, one, state="sent", sent_at=at, error=None)


def mark_failed(connection: Connection, one: Delivery, error: str, *, due: datetime | None) -> None:
    """Note why a try failed: it is due again then, or given up where there is no such time."""
    if due is None:
        _settle(connection, one, state="given_up", error=error)
    else:
        _settle(connection, one, due_at=due, error=error)


def _settle(connection: Connection, one: Delivery, **values: Any) -> None:
    """Change a claimed message, unless another one has claimed it since."""
    columns = delivery.c
    connection.execute(
        update(delivery)
        .where(columns.id == one.id, columns.state == "waiting", columns.attempts == one.attempts)
        .values(**values)
    )


def next_due(connection: Connection) -> datetime | None:
    """When the next waiting message may be tried; None where nothing waits."""
    columns = delivery.c
    query = select(columns.due_at).where(columns.state == "waiting", ~_BLOCKED)
    return connection.execute(query.order_by(columns.due_at).limit(1)).scalar()


def load(connection: Connection, key: str) -> Delivery | None:
    """The message of a key, or None."""
    row = connection.execute(select(delivery).where(delivery.c.key == key)).first()
    return None if row is None else _delivery_of(row)


def load_all(
    connection: Connection,
    *,
    kind: str | None = None,
    states: Collection[str] = ("waiting", "sent", "given_up"),
    limit: int | None = None,
) -> tuple[Delivery, ...]:
    """Messages in these states, newest first; of one kind where it is named."""
    columns = delivery.c
    query = select(delivery).where(columns.state.in_(states)).order_by(columns.id.desc())
    if kind is not None:
        query = query.where(columns.kind == kind)
    return tuple(map(_delivery_of, connection.execute(query.limit(limit))))


def load_of(connection: Connection, *prefixes: str) -> tuple[Delivery, ...]:
    """Messages whose keys begin in one of these ways, oldest first."""
    if not prefixes:
        return ()
    begins = or_(*(_begins(connection, one) for one in prefixes))
    query = select(delivery).where(begins).order_by(delivery.c.id)
    return tuple(map(_delivery_of, connection.execute(query)))


def _begins(connection: Connection, prefix: str) -> ColumnElement[bool]:
    """Whether a key begins so; by the index where keys are ordered by their code points."""
    key = delivery.c.key
    begins = key.startswith(prefix, autoescape=True)
    if connection.dialect.name != "sqlite":
        return begins
    return and_(key >= prefix, key < prefix + _LAST, begins)


_LAST = "\U0010ffff"
"""Comes after every character of a key."""


def revive(
    connection: Connection,
    kind: str,
    *,
    target: str | None = None,
    at: datetime,
) -> int:
    """Let messages of a kind that were given up, or wait for their next try, be tried now.

    Those given up get every try again; `target` keeps to those for one target. What may be under
    way is left alone. Returns how many were changed.
    """
    columns = delivery.c
    fresh = {"state": "waiting", "attempts": 0, "due_at": at}
    revived = connection.execute(
        update(delivery).where(*_given_up(kind, target)).values(**fresh)
    ).rowcount
    paused = [
        columns.kind == kind,
        columns.state == "waiting",
        columns.error.is_not(None),
        columns.due_at > at,
    ]
    paused += [] if target is None else [columns.target == target]
    return revived + connection.execute(update(delivery).where(*paused).values(due_at=at)).rowcount


def forget(connection: Connection, kind: str, *, target: str | None = None) -> int:
    """Take messages of a kind that were given up out of the outbox; returns how many."""
    return connection.execute(delete(delivery).where(*_given_up(kind, target))).rowcount


def _given_up(kind: str, target: str | None) -> tuple[Any, ...]:
    columns = delivery.c
    found = (columns.kind == kind, columns.state == "given_up")
    return found if target is None else (*found, columns.target == target)


def withdraw(connection: Connection, key: str) -> None:
    """Take a message out of the outbox that was not sent."""
    columns = delivery.c
    connection.execute(delete(delivery).where(columns.key == key, columns.state != "sent"))


def _delivery_of(row: Row[Any], **newer: Any) -> Delivery:
    fields = {
        "state": row.state,
        "attempts": row.attempts,
        "created_at": row.created_at,
        "due_at": row.due_at,
        "sent_at": row.sent_at,
        "error": row.error,
    }
    return Delivery(row.id, Message(row.key, row.kind, row.target, row.body), **(fields | newer))
