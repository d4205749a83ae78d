"""Who may read what is no page: metrics, and the description of the API."""

from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.web.access.peers import is_at_machine, part_of
from monitor.web.access.visiting import needs, visitor

_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": (
        "A token that an admin made under /access or by `monitor tokens add`. None is needed at "
        "the machine itself while there is no account, nor by a browser that is logged in."
    ),
}


def metrics_reader(request: Request) -> None:
    """HTTPException 401 for who may not read /metrics.

    A scraper at this machine may, also while the store cannot be read: that is a metric, too.
    """
    if not (part_of(request).open_metrics or is_at_machine(request)):
        visitor(request)


def add_description(app: FastAPI, path: str) -> None:
    """Answer the OpenAPI document of an application, to whoever may look at its pages."""

    def tell_description() -> Response:
        """The document."""
        return JSONResponse(described(app))

    guarded = [Depends(needs(Role.VIEWER))]
    app.get(path, include_in_schema=False, dependencies=guarded)(tell_description)


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the token that a program may show."""
    schema = app.openapi()
    schema.setdefault("components", {})["securitySchemes"] = {"bearer": _BEARER}
    schema["security"] = [{}, {"bearer": []}]
    return schema
