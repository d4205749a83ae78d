"""Logging in: slow for who guesses, and the same for names that nobody has."""

import hashlib
import math
from contextlib import suppress
from datetime import timedelta

from fastapi import HTTPException, Request
from starlette.responses import Response

from monitor.domain.access import Account, Role, Visitor, Way, person_name
from monitor.errors import AccessError
from monitor.pipeline.bench import Bench
from monitor.pipeline.passwords import checked
from monitor.store import Connection, accounts, audit, logins, sessions
from monitor.web.access.own import hash_of, keep_secret, new_secret, own_forms
from monitor.web.access.peers import address_of, part_of

_NOBODY = Visitor(None, Role.VIEWER, Way.PASSWORD)


def account_of_password(bench: Bench, name: str, password: str, *, address: str) -> Account | None:
    """The account that a name and its password open; None where they open none.

    HTTPException 429 where the name or the address failed too often.
    """
    found, stored = bench.read(lambda c: _looked_up(c, name))
    key = found.name if found else _stand_in(name)
    at = bench.clock.now()
    wait = bench.write(lambda c: logins.begin_try(c, key, address, at=at))
    if wait is not None:
        raise _too_often(wait)
    outcome = checked(stored, password)
    if found is None or not found.is_enabled or not outcome.is_right:
        subject = found.name if found else "a name without account"
        body = {"address": address}
        bench.write(lambda c: audit.note(c, _NOBODY, "fail to log in", subject, at=at, body=body))
        return None

    def keep(connection: Connection) -> None:
        logins.forget_tries(connection, key, address)
        if outcome.rehashed is not None:
            accounts.set_password(connection, found.id, outcome.rehashed, at=None)

    bench.write(keep)
    return found


def begin_session(request: Request, bench: Bench, account: Account, answer: Response) -> None:
    """Have the asking browser be that of an account from now on, by a secret of its own."""
    before, secret, at = own_forms(request).secret, new_secret(), bench.clock.now()
    lasts = timedelta(days=part_of(request).session_days)

    def begin(connection: Connection) -> None:
        if before is not None:
            sessions.end_session(connection, hash_of(before))
        sessions.begin_session(
            connection, hash_of(secret), account_id=account.id, at=at, expires_at=at + lasts
        )
        who = Visitor(account.name, account.role, Way.PASSWORD)
        body = {"address": address_of(request)}
        audit.note(connection, who, "log in", account.name, at=at, body=body)

    bench.write(begin)
    keep_secret(request, answer, secret, seconds=math.ceil(lasts.total_seconds()))


def local_path(text: str | None) -> str:
    """A page of ours to go on with; the first one for any other address."""
    path = text or "/"
    is_plain = all("!" <= one <= "~" or one > "\xa0" for one in path)
    is_local = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if is_local and is_plain and len(path) <= 4000 else "/"


def _looked_up(connection: Connection, name: str) -> tuple[Account | None, str | None]:
    """The account of a name as somebody typed it, and its hash."""
    try:
        found = accounts.find_account(connection, person_name(name))
    except AccessError:
        return None, None
    return found, accounts.password_hash(connection, found.id) if found else None


def _stand_in(name: str) -> str:
    """What is counted for a name that nobody has: people type passwords there by mistake."""
    with suppress(AccessError):
        # Each spelling of one name counts for it, as it does where somebody has the name.
        name = person_name(name)
    return "?" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]


def _too_often(wait: timedelta) -> HTTPException:
    seconds = math.ceil(wait.total_seconds())
    minutes = math.ceil(seconds / 60)
    return HTTPException(
        429,
        f"too many logins failed for this name or from this address; try again in {minutes} "
        "minutes, or have an admin run `monitor accounts password NAME`, which forgets them",
        {"retry-after": str(seconds)},
    )
