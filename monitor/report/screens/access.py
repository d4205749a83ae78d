"""Who may do what, and what was done by whom, as admins see it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.access import Account, ApiToken, Deed, Role, Way
from monitor.report.screens.links import page_address
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


@dataclass(frozen=True, slots=True)
class DeedLine:
    """One thing that somebody did, as a row shows it."""

    id: int
    done_at: datetime
    actor: str | None
    """None: who did it gave no name."""
    role: Role
    way: Way
    action: str
    subject: str
    more: str
    """What else is told of it, as JSON; empty for nothing."""


@dataclass(frozen=True, slots=True)
class AuditScreen:
    """Deeds, newest first, a page of them."""

    deeds: tuple[DeedLine, ...]
    newer: str | None
    older: str | None


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


def audit_screen(
    deeds: Sequence[Deed], *, rows: int, has_newer: bool, has_older: bool
) -> AuditScreen:
    """A page of deeds, and where the others are."""
    asked = None if rows == DEEDS else rows
    newer = older = None
    if deeds and has_newer:
        newer = page_address("access", "audit", after=deeds[0].id, rows=asked)
    if deeds and has_older:
        older = page_address("access", "audit", before=deeds[-1].id, rows=asked)
    return AuditScreen(tuple(map(_line, deeds)), newer, older)


DEEDS = 50
"""Rows of a page, unless another number is asked for."""


def audit_table(screen: AuditScreen) -> Table:
    """The same page of deeds as rows."""
    header = ("id", "done_at", "actor", "role", "way", "action", "subject", "more")
    return header, [
        (
            one.id, one.done_at.isoformat(), one.actor, one.role.value, one.way.value, one.action,
            one.subject, one.more,
        )
        for one in screen.deeds
    ]  # fmt: skip


def _line(one: Deed) -> DeedLine:
    more = "" if one.body is None else json.dumps(dict(one.body), ensure_ascii=False)
    return DeedLine(
        one.id, one.done_at, one.actor, one.role, one.way, one.action, one.subject, more
    )
