"""One declaration for a page, its JSON twin and its table as CSV, so that they cannot differ."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse
from pydantic import TypeAdapter
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.report.csv import to_csv
from monitor.report.tables import Table
from monitor.web.access.visiting import needs
from monitor.web.counting import COUNTING
from monitor.web.problems import PROBLEMS
from monitor.web.rendering import render

API = "/api/v1"
_LONGEST_NAME = 120
"""Characters of a file's name before its ending, which every file system takes."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A page by its path, what loads what it shows, and where that is placed."""

    path: str
    load: Callable[..., Any]
    """A dependency with typed parameters, made of the path and the query; returns the screen."""
    model: Any
    """Dataclass that `load` returns."""
    template: str
    twin: str | None = None
    """Path of the twin under /api/v1, where it is not the page's own."""
    table: Callable[[Any], Table] | None = None
    """Header and rows of the CSV, for what is tabular: made of the screen, or of `whole`."""
    role: Role = Role.VIEWER
    is_counted: bool = False
    """Whether it may have to be counted first, and is answered by 202 meanwhile."""
    whole: Callable[..., Any] | None = None
    """Dependency that loads what the CSV tells, where that is more than the screen holds."""


def add_screens(app: FastAPI, screens: Sequence[Screen]) -> None:
    """Answer the page of each screen, its twin, and its CSV where it has one."""
    for one in screens:
        twin = API + (one.twin or one.path)
        guarded: dict[str, Any] = {"dependencies": [Depends(needs(one.role))]}
        other = PROBLEMS | COUNTING if one.is_counted else PROBLEMS
        app.get(one.path, response_class=HTMLResponse, include_in_schema=False, **guarded)(
            _page(one)
        )
        if one.table is not None:
            # First: a path that may hold slashes would take it for one of its own.
            app.get(
                f"{twin}/table.csv",
                response_class=Response,
                responses={**other, 200: {"content": {"text/csv": {}}}},
                operation_id=f"{_operation(twin)}_csv",
                summary=f"{_summary(one.load)} As CSV.",
                **guarded,
            )(_csv(one, one.table))
        app.get(
            twin,
            response_model=one.model,
            responses=other,
            operation_id=_operation(twin),
            summary=_summary(one.load),
            **guarded,
        )(_twin(one))


def _page(one: Screen) -> Callable[..., Response]:
    def page(request: Request, screen: Any) -> Response:
        return render(
            request,
            one.template,
            screen=screen,
            twin=_beside(request, one, ""),
            csv=_beside(request, one, "/table.csv") if one.table else "",
        )

    # The type of a parameter is read from the function: it depends on the screen.
    page.__annotations__["screen"] = Annotated[one.model, Depends(one.load)]
    return page


def _twin(one: Screen) -> Callable[..., Response]:
    adapter: TypeAdapter[Any] = TypeAdapter(one.model)

    def twin(screen: Any) -> Response:
        # `fallback`: mappings that nobody may change are no dict to the library.
        told = adapter.dump_json(screen, fallback=dict, warnings=False)
        return Response(told, media_type="application/json")

    twin.__annotations__["screen"] = Annotated[one.model, Depends(one.load)]
    return twin


def _csv(one: Screen, table: Callable[[Any], Table]) -> Callable[..., Response]:
    def rows(request: Request, screen: Any) -> Response:
        header, cells = table(screen)
        return Response(
            to_csv(header, cells),
            media_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{_file_name(request)}"'},
        )

    told = (
        Annotated[Any, Depends(one.whole)] if one.whole else Annotated[one.model, Depends(one.load)]
    )
    rows.__annotations__["screen"] = told
    return rows


def _file_name(request: Request) -> str:
    """What a table is saved as: its page and what was chosen there."""
    page = request.url.path.removeprefix(API).removesuffix("/table.csv")
    said = "-".join([page, *request.query_params.values()])
    return re.sub("[^A-Za-z0-9._]+", "-", said).strip("-.")[:_LONGEST_NAME] + ".csv"


def _beside(request: Request, one: Screen, ending: str) -> str:
    """Address of the twin of the page that was asked for, with its query."""
    path = request.url.path if one.twin is None else one.twin.format(**request.path_params)
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{API}{path}{ending}{query}"


def _operation(path: str) -> str:
    return re.sub(r"\{(\w+)(:path)?\}", r"\1", path.removeprefix(f"{API}/")).replace("/", "_")


def _summary(load: Callable[..., Any]) -> str:
    return (load.__doc__ or "").strip().partition("\n")[0]
