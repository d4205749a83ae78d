"""What went wrong, as a page for people and as JSON for programs: what, where, what to do."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response

from monitor.config.logs import log
from monitor.errors import MonitorError, StoreBusyError, StoreError, UnfitError
from monitor.report.words import visible
from monitor.web.rendering import render

_SHOWN = 200
"""Characters of what was sent that a message repeats."""

_SECRETS = frozenset({"password", "current", "again", "csrf"})
"""Fields of forms of which no page repeats what was sent."""

TITLES: Mapping[int, str] = {
    202: "Being counted",
    303: "Elsewhere first",
    400: "That cannot be done",
    401: "Log in first",
    403: "Not yours to do",
    404: "Not here",
    405: "Not this way",
    408: "Too slow",
    409: "Not as things stand",
    413: "Too large",
    415: "Of another kind",
    422: "Not understood",
    429: "Too often",
    500: "A fault of ours",
    503: "Not now",
}


class Problem(BaseModel):
    """Why there is no answer."""

    detail: str
    """What, where, got, expected, what to do."""


PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": TITLES[code]}
    for code in (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
}
"""Answers that any route of the API may give beside its own."""


def not_found(what: str) -> HTTPException:
    """404, saying what is not there and what is."""
    return HTTPException(404, what)


def add_problem_pages(app: FastAPI) -> None:
    """Have every error answered by a page, or by JSON under /api."""
    app.add_exception_handler(StarletteHTTPException, _of_http)
    app.add_exception_handler(RequestValidationError, _of_request)
    app.add_exception_handler(MonitorError, _of_monitor)
    app.add_exception_handler(Exception, _of_fault)


def is_api(request: Request) -> bool:
    """Whether a program asks, which wants JSON."""
    return request.url.path.startswith("/api/")


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    return _answer(request, error.status_code, str(error.detail), error.headers)


async def _of_request(request: Request, error: Exception) -> Response:
    """One line for each part of a request that is not as expected."""
    assert isinstance(error, RequestValidationError)
    missing = "fill it in" if _is_form(request) else "pages link to this address with it"
    told = (_part(one, missing) for one in error.errors()[:20])
    return _answer(request, 422, "; ".join(told))


def _is_form(request: Request) -> bool:
    """Whether a form of a page was sent, rather than an address asked for or a call made."""
    return request.method == "POST" and not is_api(request)


def _part(one: Mapping[str, Any], missing: str) -> str:
    """One part of a request: what it is called, what was got, what is expected."""
    name = ".".join(str(part) for part in one["loc"][1:]) or one["loc"][0]
    if one["type"] == "missing":
        return f"{name}: missing, and needed; {missing}"
    if name in _SECRETS:
        return f"{name}: {one['msg']}"
    return f"{name}: got {str(one.get('input'))[:_SHOWN]!r}; {one['msg']}"


async def _of_monitor(request: Request, error: Exception) -> Response:
    status = 400
    if isinstance(error, StoreError) and not isinstance(error, UnfitError):
        status = 503 if isinstance(error, StoreBusyError) else 409
    return _answer(request, status, str(error))


async def _of_fault(request: Request, error: Exception) -> Response:
    """A fault of the program: told without its inside, which the log has."""
    log("page_failed", level="error", error=error)
    return _answer(request, 500, "A fault of the program; the log says more.")


def _answer(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None
) -> Response:
    told = visible(detail)
    if is_api(request):
        return JSONResponse({"detail": told}, status_code=status, headers=dict(headers or {}))
    title = TITLES.get(status, "That did not work")
    page = render(
        request,
        "problem.html.j2",
        code=status,
        status=status,
        title=title,
        detail=told,
        # A page is at the address of each form, or what leads to it.
        is_form=_is_form(request) and "route" in request.scope,
    )
    page.headers.update(headers or {})
    return page
