"""Accounts and tokens: each change with the note of who made it, in one transaction."""

import hashlib
import secrets

from monitor.domain.access import Account, Role, Visitor, person_name
from monitor.errors import AccessError, StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.passwords import hashed, require_good
from monitor.store import Connection, accounts, audit, logins, tokens

TOKEN_BEGINS = "mon_"  # noqa: S105 - how every token begins, so that scanners know one


def add_account(
    bench: Bench, who: Visitor, name: str, *, role: Role, password: str | None
) -> Account:
    """A new account; AccessError or StoreError where it may not be."""
    spelt, at = person_name(name), bench.clock.now()
    kept = None
    if password is not None:
        require_good(password, spelt)
        kept = hashed(password)

    def add(connection: Connection) -> Account:
        accounts.hold_admins(connection)
        if role is not Role.ADMIN and not accounts.enabled_admins(connection):
            raise AccessError(
                f"account {spelt!r} would be the only one and no admin: everybody must log in as "
                "soon as there is an account, and nobody could change any; add an admin first"
            )
        alike = accounts.find_alike(connection, spelt)
        if alike is not None or accounts.add_account(connection, spelt, role, kept, at=at) is None:
            raise StoreError(f"there is an account {alike or spelt!r} already; choose another name")
        body = {"role": role.value, "password": kept is not None}
        audit.note(connection, who, "add account", spelt, at=at, body=body)
        return _account(connection, spelt)

    return bench.write(add)


def require_account(bench: Bench, name: str) -> None:
    """AccessError where nobody has an account of a name."""
    bench.read(lambda c: _account(c, name))


def change_password(bench: Bench, who: Visitor, name: str, password: str) -> Account:
    """Give an account another password; its sessions end, and failed logins are forgotten."""
    require_good(password, name)
    kept, at = hashed(password), bench.clock.now()

    def change(connection: Connection) -> Account:
        found = _account(connection, name)
        accounts.set_password(connection, found.id, kept, at=at)
        logins.forget_tries(connection, found.name)
        audit.note(connection, who, "change password", found.name, at=at)
        return _account(connection, name)

    return bench.write(change)


def change_role(bench: Bench, who: Visitor, name: str, role: Role) -> None:
    """Give an account another role; its sessions end. The last admin stays one."""
    at = bench.clock.now()

    def change(connection: Connection) -> None:
        accounts.hold_admins(connection)
        found = _account(connection, name)
        if role is not Role.ADMIN:
            _keep_an_admin(connection, found)
        accounts.set_role(connection, found.id, role, at=at)
        body = {"before": found.role.value, "after": role.value}
        audit.note(connection, who, "change role", found.name, at=at, body=body)

    bench.write(change)


def set_enabled(
    bench: Bench, who: Visitor, name: str, *, enabled: bool, even_last: bool = False
) -> None:
    """Disable an account, or enable it again; its sessions end.

    The last admin is disabled only where that is meant: nobody is asked for a password then.
    """
    at = bench.clock.now()

    def change(connection: Connection) -> None:
        accounts.hold_admins(connection)
        found = _account(connection, name)
        if not enabled and not even_last:
            _keep_an_admin(connection, found)
        accounts.set_enabled(connection, found.id, enabled=enabled, at=at)
        action = "enable account" if enabled else "disable account"
        audit.note(connection, who, action, found.name, at=at)

    bench.write(change)


def add_token(bench: Bench, who: Visitor, name: str, role: Role) -> str:
    """A new token of a program: the secret itself, which nobody can be shown again."""
    spelt, at = person_name(name), bench.clock.now()
    secret = TOKEN_BEGINS + secrets.token_urlsafe(32)
    kept = hashlib.sha256(secret.encode()).hexdigest()

    def add(connection: Connection) -> str:
        added = tokens.add_token(connection, spelt, role, kept, made_by=who.name, at=at)
        if added is None:
            raise StoreError(
                f"there is or was a token {spelt!r}: names of tokens are used once; choose another"
            )
        audit.note(connection, who, "add token", spelt, at=at, body={"role": role.value})
        return secret

    return bench.write(add)


def revoke_token(bench: Bench, who: Visitor, name: str) -> None:
    """Have a token open nothing any more."""
    at = bench.clock.now()

    def revoke(connection: Connection) -> None:
        found = tokens.find_token(connection, name)
        if found is None:
            raise AccessError(f"no token {name[:80]!r}; `monitor tokens list` names them")
        if not tokens.revoke_token(connection, found.id, at=at):
            raise StoreError(f"the token {found.name!r} was revoked already")
        audit.note(connection, who, "revoke token", found.name, at=at)

    bench.write(revoke)


def _account(connection: Connection, name: str) -> Account:
    """The account of a name; AccessError where there is none."""
    found = accounts.find_account(connection, name)
    if found is None:
        raise AccessError(f"no account {name[:80]!r}; `monitor accounts list` names them")
    return found


def _keep_an_admin(connection: Connection, found: Account) -> None:
    """StoreError where an account is the last one that may change accounts; admins are held."""
    if accounts.enabled_admins(connection) == {found.name}:
        raise StoreError(
            f"{found.name!r} is the last admin: nobody could change accounts any more; make "
            "another account an admin first"
        )
