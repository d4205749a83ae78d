"""Accounts: who may log in, by which password hash, with which role."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, exists, select, update

from monitor.domain.access import Account, Role
from monitor.store.rows import alone, insert_one_new
from monitor.store.tables import account


def any_enabled(connection: Connection, *, with_password: bool = False) -> bool:
    """Whether somebody has an account that opens something, so that others must log in."""
    query = select(account.c.id).where(account.c.disabled_at.is_(None))
    if with_password:
        query = query.where(account.c.password_hash.is_not(None))
    return bool(connection.execute(select(exists(query))).scalar())


def hold_admins(connection: Connection) -> None:
    """Wait until nobody else adds an account or changes who is an admin."""
    alone(connection, "admins")


def enabled_admins(connection: Connection) -> frozenset[str]:
    """Names of accounts that may change accounts now."""
    query = select(account.c.name).where(
        account.c.disabled_at.is_(None), account.c.role == Role.ADMIN.value
    )
    return frozenset(connection.execute(query).scalars())


def list_accounts(connection: Connection) -> tuple[Account, ...]:
    """All accounts by name, disabled ones too."""
    return tuple(account_of(r) for r in connection.execute(select(account).order_by("name")))


def find_account(connection: Connection, name: str) -> Account | None:
    """The account of a name, or None."""
    row = connection.execute(select(account).where(account.c.name == name)).first()
    return None if row is None else account_of(row)


def find_alike(connection: Connection, name: str) -> str | None:
    """Name of an account that people would take for this one: only its case differs."""
    names = connection.execute(select(account.c.name)).scalars()
    return next((one for one in names if one.casefold() == name.casefold()), None)


def password_hash(connection: Connection, account_id: int) -> str | None:
    """The stored hash of an account's password; None for who has none."""
    query = select(account.c.password_hash).where(account.c.id == account_id)
    found: str | None = connection.execute(query).scalar()
    return found


def add_account(
    connection: Connection, name: str, role: Role, hashed: str | None, *, at: datetime
) -> int | None:
    """Insert an account and return its id; None where the name is taken."""
    row = {
        "name": name,
        "password_hash": hashed,
        "role": role.value,
        "created_at": at,
        "changed_at": at,
    }
    return insert_one_new(connection, account, row)


def set_password(
    connection: Connection, account_id: int, hashed: str, *, at: datetime | None
) -> None:
    """Keep another hash; sessions from before `at` are void, with None they stay."""
    changed = {"password_hash": hashed} | ({} if at is None else {"changed_at": at})
    connection.execute(update(account).where(account.c.id == account_id).values(changed))


def set_role(connection: Connection, account_id: int, role: Role, *, at: datetime) -> None:
    """Give another role; sessions from before are void."""
    query = update(account).where(account.c.id == account_id)
    connection.execute(query.values(role=role.value, changed_at=at))


def set_enabled(connection: Connection, account_id: int, *, enabled: bool, at: datetime) -> None:
    """Disable an account, or enable it again; sessions from before are void."""
    query = update(account).where(account.c.id == account_id)
    connection.execute(query.values(disabled_at=None if enabled else at, changed_at=at))


def account_of(row: Row[Any]) -> Account:
    """An account from its row."""
    return Account(
        id=row.id,
        name=row.name,
        role=Role(row.role),
        has_password=row.password_hash is not None,
        created_at=row.created_at,
        changed_at=row.changed_at,
        disabled_at=row.disabled_at,
    )
