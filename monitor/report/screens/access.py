"""Who may do what, as admins see it: accounts, and tokens of programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.access import Account, ApiToken, Role
from monitor.report.tables import Table


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One account, without its password's hash."""

    name: str
    role: Role
    has_password: bool
    is_enabled: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TokenLine:
    """One token of a program, without its secret."""

    name: str
    role: Role
    made_by: str | None
    created_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class AccessScreen:
    """Accounts and tokens, as admins see them."""

    accounts: tuple[AccountLine, ...]
    tokens: tuple[TokenLine, ...]
    asks_for_login: bool
    """Whether there is an account, so that everybody else must log in."""


def access_screen(accounts: Sequence[Account], tokens: Sequence[ApiToken]) -> AccessScreen:
    """Accounts and tokens as admins see them."""
    return AccessScreen(
        tuple(
            AccountLine(one.name, one.role, one.has_password, one.is_enabled, one.created_at)
            for one in accounts
        ),
        tuple(
            TokenLine(one.name, one.role, one.made_by, one.created_at, one.used_at, one.revoked_at)
            for one in tokens
        ),
        any(one.is_enabled for one in accounts),
    )


def access_table(screen: AccessScreen) -> Table:
    """Accounts, then tokens, as rows; what one kind does not have is empty."""
    header = (
        "kind", "name", "role", "usable", "has_password", "created_at", "made_by", "used_at",
        "revoked_at",
    )  # fmt: skip
    accounts = [
        (
            "account", one.name, one.role.value, _WORD[one.is_enabled],
            _WORD[one.has_password], one.created_at.isoformat(), None, None, None,
        )
        for one in screen.accounts
    ]  # fmt: skip
    tokens = [
        (
            "token", one.name, one.role.value, _WORD[one.revoked_at is None], None,
            one.created_at.isoformat(), one.made_by, _moment(one.used_at), _moment(one.revoked_at),
        )
        for one in screen.tokens
    ]  # fmt: skip
    return header, [*accounts, *tokens]


_WORD = {True: "yes", False: "no"}


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
