"""Logging in and out, and the name under which somebody labels."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response

from monitor.domain.access import LONGEST_NAME, Role, Visitor, Way, person_name
from monitor.errors import AccessError
from monitor.pipeline import accounts as changing
from monitor.store import Connection, accounts, answers_seen, audit, sessions
from monitor.web.access.acts import act
from monitor.web.access.logins import account_of_password, begin_session, local_path
from monitor.web.access.own import (
    forget_secret,
    hash_of,
    keep_secret,
    new_secret,
    own_forms,
)
from monitor.web.access.peers import address_of
from monitor.web.access.visiting import VisitorOf, may_choose, needs
from monitor.web.pages.access import Password
from monitor.web.pages.finding import DeskOf
from monitor.web.rendering import render

ROUTER = APIRouter(include_in_schema=False)

Next = Annotated[str | None, Query(max_length=8000)]
_NAME_LASTS = timedelta(days=365)


@ROUTER.get("/login")
def login_page(request: Request, desk: DeskOf, next: Next = None) -> Response:  # noqa: A002
    """The form that asks for name and password."""
    return _login(request, desk, local_path(next), problem=None)


@act(ROUTER, "/login", role=None)
def log_in(
    request: Request,
    desk: DeskOf,
    *,
    name: Annotated[str, Form(max_length=1000)],
    password: Password,
    next: Annotated[str, Form(max_length=8000)] = "/",  # noqa: A002
) -> Response:
    """A session, where name and password are right."""
    found = account_of_password(desk.bench, name, password, address=address_of(request))
    if found is None:
        return _login(request, desk, local_path(next), problem="Name or password is wrong.")
    answer = RedirectResponse(local_path(next), 303)
    begin_session(request, desk.bench, found, answer)
    return answer


@act(ROUTER, "/logout", role=Role.VIEWER, form_on="/who")
def log_out(request: Request, desk: DeskOf, who: VisitorOf) -> Response:
    """The end of this browser's session."""
    bench, secret = desk.bench, own_forms(request).secret
    at = bench.clock.now()
    if secret is not None:
        ended = bench.write(lambda c: sessions.end_session(c, hash_of(secret)))
        if ended:
            bench.write(lambda c: audit.note(c, who, "log out", who.name or "", at=at))
    answer = RedirectResponse("/login" if who.way is Way.PASSWORD else "/", 303)
    forget_secret(request, answer)
    return answer


@ROUTER.get("/who", dependencies=[Depends(needs(Role.VIEWER))])
def who_page(request: Request, who: VisitorOf, next: Next = None) -> Response:  # noqa: A002
    """Who the visitor is, and the form for another name or password."""
    return _who(request, who, local_path(next), typed=who.name or "")


def _who(
    request: Request, who: Visitor, page: str, *, typed: str, problem: str = "", code: int = 200
) -> Response:
    placed = {"next": page, "typed": typed, "problem": problem}
    return render(request, "who.html.j2", code=code, chooses=may_choose(request, who), **placed)


@act(ROUTER, "/who", role=Role.VIEWER)
def give_name(
    request: Request,
    desk: DeskOf,
    who: VisitorOf,
    *,
    name: Annotated[str, Form()] = "",
    next: Annotated[str, Form(max_length=8000)] = "/",  # noqa: A002
) -> Response:
    """The name under which this browser labels, where no account tells it."""
    if not may_choose(request, who):
        raise HTTPException(409, f"your name is that of your {who.way.value}: {who.name}")
    try:
        spelt = person_name(name)
    except AccessError as error:
        typed = name[:LONGEST_NAME]
        return _who(request, who, local_path(next), code=400, problem=str(error), typed=typed)
    forms, at = own_forms(request), desk.bench.clock.now()
    secret = forms.secret or new_secret()
    ends = at + _NAME_LASTS

    def begin(connection: Connection) -> None:
        sessions.begin_session(connection, hash_of(secret), annotator=spelt, at=at, expires_at=ends)
        # Whoever looked at answers in this browser is not blind under another name.
        if who.role.covers(Role.ANNOTATOR):
            answers_seen.pass_on(connection, who.name or answers_seen.UNNAMED, spelt)

    desk.bench.write(begin)
    answer = RedirectResponse(local_path(next), 303)
    keep_secret(request, answer, secret, seconds=int(_NAME_LASTS.total_seconds()))
    return answer


@act(ROUTER, "/who/password", role=Role.VIEWER, form_on="/who")
def change_own_password(
    request: Request,
    desk: DeskOf,
    who: VisitorOf,
    *,
    current: Password,
    password: Password,
    again: Password,
) -> Response:
    """Another password of the visitor's own account."""
    if who.way is not Way.PASSWORD or who.name is None:
        raise HTTPException(409, "only who logged in by a password has one to change")
    if password != again:
        raise AccessError("the new password and its repetition differ; nothing was changed")
    found = account_of_password(desk.bench, who.name, current, address=address_of(request))
    if found is None:
        raise HTTPException(403, "the current password is wrong; nothing was changed")
    changed = changing.change_password(desk.bench, who, found.name, password)
    answer = RedirectResponse("/who", 303)
    begin_session(request, desk.bench, changed, answer)
    return answer


def _login(request: Request, desk: DeskOf, page: str, *, problem: str | None) -> Response:
    asks = desk.bench.read(accounts.any_enabled)
    code = 401 if problem else 200
    return render(request, "login.html.j2", code=code, next=page, problem=problem, asks=asks)
