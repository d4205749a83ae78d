"""Sessions of browsers, by the hash of the secret that each keeps in its cookie."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from monitor.domain.access import Account
from monitor.store.accounts import account_of
from monitor.store.rows import insert_one
from monitor.store.tables import account, web_session


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that is known again."""

    id: int
    annotator: str | None
    """The name that somebody without an account gave."""
    created_at: datetime
    seen_at: datetime
    account: Account | None


def find_session(
    connection: Connection, token_hash: str, *, at: datetime, idle_since: datetime
) -> Session | None:
    """The session of a secret that still holds, or None.

    One of an account holds until it expires, unless nobody was seen since `idle_since`, the
    account was disabled, or its password or role changed.
    """
    columns = web_session.c
    query = select(web_session).where(columns.token_hash == token_hash, columns.expires_at > at)
    row = connection.execute(query).first()
    if row is None:
        return None
    owner = None
    if row.account_id is not None:
        owner = account_of(
            connection.execute(select(account).where(account.c.id == row.account_id)).one()
        )
        is_void = row.created_at < owner.changed_at or row.seen_at <= idle_since
        if is_void or not owner.is_enabled:
            return None
    return Session(row.id, row.annotator, row.created_at, row.seen_at, owner)


def begin_session(
    connection: Connection,
    token_hash: str,
    *,
    account_id: int | None = None,
    annotator: str | None = None,
    at: datetime,
    expires_at: datetime,
) -> None:
    """Know a browser from now on; sessions that expired are forgotten."""
    connection.execute(delete(web_session).where(web_session.c.expires_at <= at))
    end_session(connection, token_hash)
    row = {
        "token_hash": token_hash,
        "account_id": account_id,
        "annotator": annotator,
        "created_at": at,
        "seen_at": at,
        "expires_at": expires_at,
    }
    insert_one(connection, web_session, row)


def see_session(connection: Connection, session_id: int, *, at: datetime) -> None:
    """Note that a session was used."""
    columns = web_session.c
    query = update(web_session).where(columns.id == session_id, columns.seen_at < at)
    connection.execute(query.values(seen_at=at))


def end_session(connection: Connection, token_hash: str) -> bool:
    """Forget a session; False where there was none."""
    query = delete(web_session).where(web_session.c.token_hash == token_hash)
    return bool(connection.execute(query).rowcount)
