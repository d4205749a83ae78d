"""Routes that change something: each names the role it takes, and is sent by our own forms only."""

from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from monitor.domain.access import Role
from monitor.web.access.bodies import MOST_BYTES, capped
from monitor.web.access.own import own_forms
from monitor.web.access.peers import part_of
from monitor.web.access.visiting import needs, token_of, visitor
from monitor.web.problems import PROBLEMS

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_KINDS = (*_FORMS, "application/json")
_AGAIN = "load the page again and send the form from there"


async def own_form(request: Request) -> None:
    """HTTPException 403 for a form or a call that was not made for this very session.

    A program that shows a token needs no form: no browser adds that by itself.
    """
    if token_of(request) is not None:
        return
    given = request.headers.get("x-csrf-token")
    if given is None and _kind(request) in _FORMS:
        field = (await request.form()).get("csrf")
        given = field if isinstance(field, str) else None
    if given is None:
        raise HTTPException(403, f"the form's own mark (csrf) is missing; {_AGAIN}")
    if not own_forms(request).holds(given):
        raise HTTPException(403, f"the form was made for another session; {_AGAIN}")


def act(
    router: APIRouter,
    path: str,
    *,
    role: Role | None,
    form_on: str | None = None,
    uploads: bool = False,
    **more: Any,
) -> Callable[..., Any]:
    """Decorator of a function that a POST calls; the only way by which routes change anything.

    Role, origin and kind are checked before the body is read. Bodies are short unless it `uploads`.
    A role of None is for logging in. `form_on` is the page that has the form, to which who loads
    the address is led; None where the address is that of a page itself.
    """
    asked = [] if role is None else [Depends(needs(role))]
    if form_on is not None:
        router.add_api_route(
            path,
            _to_page(form_on),
            methods=["GET"],
            dependencies=asked,
            include_in_schema=False,
            route_class_override=Leading,
        )

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        router.add_api_route(
            path,
            function,
            methods=["POST"],
            dependencies=[*asked, Depends(own_form)],
            route_class_override=_Uploading if uploads else _Acting,
            responses={**PROBLEMS, **more.pop("responses", {})},
            **more,
        )
        return function

    return declare


def _to_page(page: str) -> Callable[[Request], Response]:
    """What leads to a page whose path has the names of this one in it."""

    def lead(request: Request) -> Response:
        named = {name: quote(str(one), safe="") for name, one in request.path_params.items()}
        return RedirectResponse(page.format(**named), 303)

    return lead


class Leading(APIRoute):
    """A route from the address of a form to the page that has it."""


class _Acting(APIRoute):
    """A route whose visitor is looked at before its body is."""

    uploads = False

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What the library makes of the route, behind our own checks."""
        answer = super().get_route_handler()
        asked = [d.dependency for d in self.dependencies if hasattr(d.dependency, "role")]

        async def handle(request: Request) -> Response:
            for check in filter(None, asked):
                check(await run_in_threadpool(visitor, request))
            _refuse_foreign(request)
            _refuse_odd(request)
            most = MOST_BYTES
            if self.uploads:
                most = part_of(request).upload_megabytes * 1024 * 1024
            return await answer(Request(request.scope, capped(request, most)))

        return handle


class _Uploading(_Acting):
    """A route that takes files."""

    uploads = True


def _refuse_foreign(request: Request) -> None:
    """HTTPException 403 where the browser says that another site sends this."""
    if token_of(request) is not None:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site not in {"same-origin", "none"}:
            raise HTTPException(403, f"another site sent this ({site[:20]}); {_AGAIN}")
        return
    origin = request.headers.get("origin")
    if origin is not None and not _is_own(request, origin):
        raise HTTPException(403, f"a page of {origin[:100]!r} sent this; {_AGAIN}")


def _is_own(request: Request, origin: str) -> bool:
    """Whether an origin is the address that the browser asked, or a name of the settings."""
    try:
        parts = urlsplit(origin)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not host:
        return False
    usual = {"http": 80, "https": 443}
    asked = request.url
    if host in part_of(request).hosts:
        return True
    same_port = (port or usual[parts.scheme]) == (asked.port or usual[parts.scheme])
    return host == (asked.hostname or "").lower() and same_port


def _refuse_odd(request: Request) -> None:
    """HTTPException 415 for a body of a kind that no form of ours sends."""
    headers = request.headers
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if has_body and _kind(request) not in _KINDS:
        raise HTTPException(
            415,
            f"got a body of kind {_kind(request)[:60]!r}; expected one of {', '.join(_KINDS)}",
        )


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
