"""Who asks for a page, and whether that is enough for it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from monitor.domain.access import ApiToken, Role, Visitor, Way, person_name
from monitor.errors import AccessError, StoreError
from monitor.report.screens.links import page_address
from monitor.store import Connection, accounts, sessions, tokens
from monitor.web.access.own import hash_of, own_forms
from monitor.web.access.peers import is_at_machine, is_believed, part_of
from monitor.web.desk import desk_of

_NOTED_EACH = timedelta(minutes=1)
"""How often it is noted that a session or a token is in use."""
_BEARER = {"www-authenticate": "Bearer"}


def visitor(request: Request) -> Visitor:
    """The visitor of a request; HTTPException 401 where one must log in first.

    A browser that asks for a page is sent to the login instead.
    """
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is None:
        own_forms(request)
        try:
            known = _found(request)
        except StoreError as error:
            raise HTTPException(503, "the store cannot be read; the log says why") from error
        request.state.visitor = known
    return known


VisitorOf = Annotated[Visitor, Depends(visitor)]


def named_visitor(request: Request, who: VisitorOf) -> Visitor:
    """The visitor with a name to label under; who has none yet is asked for it first."""
    if who.name is not None:
        return who
    ask = page_address("who", next=_asked_page(request))
    if _wants_page(request):
        raise HTTPException(303, f"give a name first, under {ask}", {"location": ask})
    raise HTTPException(409, f"labels are kept under a name, and you gave none: give one at {ask}")


NamedVisitor = Annotated[Visitor, Depends(named_visitor)]


def annotator(who: NamedVisitor) -> str:
    """The name under which labels of a visitor are kept."""
    assert who.name is not None
    return who.name


AnnotatorOf = Annotated[str, Depends(annotator)]


def needs(role: Role) -> Callable[..., None]:
    """A dependency that refuses visitors whose role does not cover this one."""

    def check(who: VisitorOf) -> None:
        if not who.role.covers(role):
            raise HTTPException(403, f"this takes the role {role.value}; yours is {who.role.value}")

    check.role = role  # type: ignore[attr-defined]
    return check


def token_of(request: Request) -> str | None:
    """What a program shows in its Authorization header, or None."""
    way, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if way.lower() == "bearer" else None


def _found(request: Request) -> Visitor:
    secret = token_of(request)
    if secret is not None:
        return _program(request, secret)
    header = part_of(request).proxy_user_header
    if header is not None and header in request.headers:
        return _passed_on(request, request.headers.getlist(header))
    is_closed, session = _looked_up(request)
    if session is not None and session.account is not None:
        return Visitor(session.account.name, session.account.role, Way.PASSWORD)
    if is_closed or header is not None:
        raise _login_first(request)
    name = session.annotator if session else None
    if is_at_machine(request):
        return Visitor(name, Role.ADMIN, Way.MACHINE)
    if is_believed(request):
        return Visitor(name, part_of(request).proxy_role, Way.PROXY)
    return Visitor(name, Role.VIEWER, Way.MACHINE)


def _program(request: Request, secret: str) -> Visitor:
    """The visitor of a token."""
    bench = desk_of(request).bench
    found: ApiToken | None = bench.read(lambda c: tokens.token_of_hash(c, hash_of(secret)))
    if found is None:
        raise HTTPException(
            401, "no such token, or it was revoked; an admin makes one under /access", _BEARER
        )
    at = bench.clock.now()
    if found.used_at is None or at - found.used_at >= _NOTED_EACH:
        bench.writer.submit(lambda c: tokens.use_token(c, found.id, at=at))
    return Visitor(found.name, found.role, Way.TOKEN)


def _passed_on(request: Request, names: list[str]) -> Visitor:
    """The visitor whom the trusted proxy names; HTTPException where another one says so."""
    if not is_believed(request):
        raise HTTPException(
            403,
            "a header of this request names who asks, and it does not come from an address of "
            "web.proxies; only the trusted proxy may say that",
        )
    try:
        (name,) = map(person_name, names)
    except (AccessError, ValueError):
        raise HTTPException(400, "the proxy's header holds no single name of a person") from None
    found = desk_of(request).bench.read(lambda c: accounts.find_account(c, name))
    if found is None:
        return Visitor(name, part_of(request).proxy_role, Way.PROXY)
    if not found.is_enabled:
        raise HTTPException(403, f"the account {name!r} is disabled; ask an admin")
    return Visitor(found.name, found.role, Way.PROXY)


def _looked_up(request: Request) -> tuple[bool, sessions.Session | None]:
    """Whether there are accounts, and the session of the browser that asks."""
    bench, secret = desk_of(request).bench, own_forms(request).secret
    at = bench.clock.now()
    idle = timedelta(hours=part_of(request).session_idle_hours)

    def look(connection: Connection) -> tuple[bool, sessions.Session | None]:
        found = None
        if secret is not None:
            found = sessions.find_session(connection, hash_of(secret), at=at, idle_since=at - idle)
        return accounts.any_enabled(connection), found

    is_closed, found = bench.read(look)
    if found is not None and at - found.seen_at >= _NOTED_EACH:
        bench.writer.submit(lambda c: sessions.see_session(c, found.id, at=at))
    return is_closed, found


def _login_first(request: Request) -> HTTPException:
    if _wants_page(request):
        where = page_address("login", next=_asked_page(request))
        return HTTPException(303, f"log in first, under {where}", {"location": where})
    return HTTPException(401, "log in at /login, or show a token of an API account", _BEARER)


def _wants_page(request: Request) -> bool:
    """Whether a browser asks for a page, so that it can be sent to another one."""
    return request.method in {"GET", "HEAD"} and not request.url.path.startswith("/api/")


def _asked_page(request: Request) -> str | None:
    """The page to go back to, with its query; None after a form, and for the first page."""
    if not _wants_page(request) or request.url.path == "/":
        return None
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def may_choose(request: Request, who: Visitor) -> bool:
    """Whether the name is what the visitor says, rather than what an account or a proxy does."""
    is_named = part_of(request).proxy_user_header is not None
    return who.way is Way.MACHINE or (who.way is Way.PROXY and not is_named)
