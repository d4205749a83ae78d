"""Tokens of programs, by their hash."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from monitor.domain.access import ApiToken, Role
from monitor.store.rows import insert_one_new
from monitor.store.tables import api_token


def add_token(
    connection: Connection,
    name: str,
    role: Role,
    token_hash: str,
    *,
    made_by: str | None,
    at: datetime,
) -> int | None:
    """Insert a token and return its id; None where the name is taken."""
    row = {
        "name": name,
        "token_hash": token_hash,
        "role": role.value,
        "made_by": made_by,
        "created_at": at,
    }
    return insert_one_new(connection, api_token, row)


def list_tokens(connection: Connection) -> tuple[ApiToken, ...]:
    """All tokens by name, revoked ones too."""
    return tuple(_token(row) for row in connection.execute(select(api_token).order_by("name")))


def find_token(connection: Connection, name: str) -> ApiToken | None:
    """The token of a name, or None."""
    row = connection.execute(select(api_token).where(api_token.c.name == name)).first()
    return None if row is None else _token(row)


def token_of_hash(connection: Connection, token_hash: str) -> ApiToken | None:
    """The token of a secret, where nobody revoked it."""
    columns = api_token.c
    query = select(api_token).where(columns.token_hash == token_hash, columns.revoked_at.is_(None))
    row = connection.execute(query).first()
    return None if row is None else _token(row)


def use_token(connection: Connection, token_id: int, *, at: datetime) -> None:
    """Note that a token was used."""
    connection.execute(update(api_token).where(api_token.c.id == token_id).values(used_at=at))


def revoke_token(connection: Connection, token_id: int, *, at: datetime) -> bool:
    """Revoke a token for ever; False where it was revoked already."""
    columns = api_token.c
    query = update(api_token).where(columns.id == token_id, columns.revoked_at.is_(None))
    return bool(connection.execute(query.values(revoked_at=at)).rowcount)


def _token(row: Row[Any]) -> ApiToken:
    return ApiToken(
        row.id, row.name, Role(row.role), row.made_by, row.created_at, row.used_at, row.revoked_at
    )
