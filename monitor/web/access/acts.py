"""Routes that change something: each names the role it takes, and is sent by our own forms only."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends, Request

from monitor.domain.access import Role
from monitor.web.access.visiting import needs


def own_form(request: Request) -> None:
    """HTTPException 403 for a form or a call that was not made for this very session."""


def act(router: APIRouter, path: str, *, role: Role, **more: Any) -> Callable[..., Any]:
    """Decorator of a function that a POST calls; the only way by which routes change anything."""
    return router.post(path, dependencies=[Depends(needs(role)), Depends(own_form)], **more)
