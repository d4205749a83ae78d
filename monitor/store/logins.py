"""Tries to log in that failed, by name and by address, and how long to wait after them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from monitor.store.rows import alone, insert_one
from monitor.store.tables import login_failure

LIMITS = (
    (5, timedelta(minutes=15)),
    (10, timedelta(hours=2)),
    (20, timedelta(hours=24)),
)
"""So many failures of a name within so long, and no more: who goes on waits longer and longer."""
TIMES_OF_ADDRESS = 10
"""So many times as often an address may fail: many people can have one, whom one keeps out."""
_LONGEST = LIMITS[-1][1]
_MOST = LIMITS[-1][0] * TIMES_OF_ADDRESS


def begin_try(connection: Connection, name: str, address: str, *, at: datetime) -> timedelta | None:
    """Count a try as failed beforehand, so that many at once are counted too.

    How long to wait instead, where the name or the address failed too often; that is no try.
    """
    alone(connection, "logins")
    columns = login_failure.c
    waits = [
        waiting(_failures(connection, columns.name == name, at), at),
        waiting(_failures(connection, columns.address == address, at), at, TIMES_OF_ADDRESS),
    ]
    longest = max(waits)
    if longest > timedelta():
        return longest
    connection.execute(delete(login_failure).where(columns.failed_at <= at - _LONGEST))
    row = {"name": name, "address": address, "failed_at": at}
    insert_one(connection, login_failure, row)
    return None


def waiting(failures: Sequence[datetime], at: datetime, times: int = 1) -> timedelta:
    """How long to wait after failures, newest first; no time where there are few of them.

    Few are so many `times` as many as LIMITS say.
    """
    limits = [(most * times, span) for most, span in LIMITS]
    ends = [failures[most - 1] + span for most, span in limits if len(failures) >= most]
    return max([timedelta(), *(end - at for end in ends)])


def forget_tries(connection: Connection, name: str, address: str | None = None) -> None:
    """Forget the failures of a name, of one address or of all."""
    query = delete(login_failure).where(login_failure.c.name == name)
    if address is not None:
        query = query.where(login_failure.c.address == address)
    connection.execute(query)


def _failures(connection: Connection, of: object, at: datetime) -> list[datetime]:
    columns = login_failure.c
    query = select(columns.failed_at).where(of, columns.failed_at > at - _LONGEST)  # type: ignore[arg-type]
    return list(connection.execute(query.order_by(columns.failed_at.desc()).limit(_MOST)).scalars())
