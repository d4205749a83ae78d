"""Accounts, tokens and what was done, for admins."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from monitor.domain.access import LONGEST_NAME, Role
from monitor.pipeline import accounts as changing
from monitor.report.screens.access import AccessScreen, access_screen, access_table
from monitor.report.screens.audit import DEEDS, AuditScreen, audit_screen, audit_table
from monitor.store import accounts, audit, tokens
from monitor.web.access.acts import act
from monitor.web.access.visiting import VisitorOf
from monitor.web.pages.finding import DeskOf
from monitor.web.rendering import render
from monitor.web.screens import Screen

ROUTER = APIRouter(include_in_schema=False)

Name = Annotated[str, Form(max_length=4 * LONGEST_NAME)]
Password = Annotated[str, Form(max_length=10_000)]
RoleOf = Annotated[Role, Form()]
_DeedId = Annotated[
    int | None, Query(ge=1, le=2**63 - 1, description="A page beside this number of a deed.")
]
_Rows = Annotated[int, Query(ge=1, le=1000, description="Rows of a page.")]


def load_access(desk: DeskOf) -> AccessScreen:
    """Accounts and tokens, disabled and revoked ones too."""
    return desk.bench.read(
        lambda c: access_screen(accounts.list_accounts(c), tokens.list_tokens(c))
    )


def load_audit(
    desk: DeskOf, before: _DeedId = None, after: _DeedId = None, rows: _Rows = DEEDS
) -> AuditScreen:
    """What was done by whom, newest first."""
    found = desk.bench.read(
        lambda c: audit.list_deeds(c, limit=rows + 1, before=before, after=after)
    )
    if after is not None:
        return audit_screen(
            found[-rows:], rows=rows, has_newer=len(found) > rows, has_older=bool(found)
        )
    return audit_screen(
        found[:rows], rows=rows, has_newer=before is not None, has_older=len(found) > rows
    )


@act(ROUTER, "/access/accounts", role=Role.ADMIN, form_on="/access")
def add_account(
    desk: DeskOf, who: VisitorOf, *, name: Name, role: RoleOf, password: Password
) -> Response:
    """A new account."""
    changing.add_account(desk.bench, who, name, role=role, password=password)
    return _back()


@act(ROUTER, "/access/accounts/role", role=Role.ADMIN, form_on="/access")
def change_role(desk: DeskOf, who: VisitorOf, name: Name, role: RoleOf) -> Response:
    """Another role of an account."""
    changing.change_role(desk.bench, who, name, role)
    return _back()


@act(ROUTER, "/access/accounts/password", role=Role.ADMIN, form_on="/access")
def change_password(desk: DeskOf, who: VisitorOf, name: Name, password: Password) -> Response:
    """Another password of an account."""
    changing.change_password(desk.bench, who, name, password)
    return _back()


@act(ROUTER, "/access/accounts/disable", role=Role.ADMIN, form_on="/access")
def disable(desk: DeskOf, who: VisitorOf, name: Name) -> Response:
    """An account that opens nothing any more."""
    changing.set_enabled(desk.bench, who, name, enabled=False)
    return _back()


@act(ROUTER, "/access/accounts/enable", role=Role.ADMIN, form_on="/access")
def enable(desk: DeskOf, who: VisitorOf, name: Name) -> Response:
    """An account that opens what it did."""
    changing.set_enabled(desk.bench, who, name, enabled=True)
    return _back()


@act(ROUTER, "/access/tokens", role=Role.ADMIN, form_on="/access")
def add_token(
    request: Request, desk: DeskOf, who: VisitorOf, *, name: Name, role: RoleOf
) -> Response:
    """A new token, shown on this page and never again."""
    secret = changing.add_token(desk.bench, who, name, role)
    return render(request, "access_token.html.j2", name=name.strip(), role=role, secret=secret)


@act(ROUTER, "/access/tokens/revoke", role=Role.ADMIN, form_on="/access")
def revoke(desk: DeskOf, who: VisitorOf, name: Name) -> Response:
    """A token that opens nothing any more."""
    changing.revoke_token(desk.bench, who, name)
    return _back()


def _back() -> Response:
    return RedirectResponse("/access", 303)


SCREENS = (
    Screen(
        "/access",
        load_access,
        AccessScreen,
        "access.html.j2",
        table=access_table,
        role=Role.ADMIN,
    ),
    Screen(
        "/access/audit",
        load_audit,
        AuditScreen,
        "audit.html.j2",
        table=audit_table,
        role=Role.ADMIN,
    ),
)
