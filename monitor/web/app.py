"""The application: /health, /metrics and a page of runs; it only reads."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import jinja2
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from monitor.web.guard import Guard
from monitor.web.health import HealthWatch
from monitor.web.metrics import CONTENT_TYPE, exposition
from monitor.web.views import health_json, run_rows

_HERE = Path(__file__).resolve().parent / "templates"


def _printed(value: Any) -> Any:
    """Nothing in place of None and of an empty choice."""
    return "" if value is None or isinstance(value, jinja2.Undefined) else value


_PAGES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_HERE),
    autoescape=True,
    finalize=_printed,
    trim_blocks=True,
    lstrip_blocks=True,
)


def make_app(health: HealthWatch, *, hosts: Collection[str] = ()) -> Starlette:
    """The application over one source of health; `hosts` are names it goes by beside addresses."""
    pages = _Pages(health)
    return Starlette(
        routes=[
            Route("/", pages.runs),
            Route("/health", pages.health),
            Route("/metrics", pages.metrics),
            Route("/style.css", pages.style),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
    )


class _Pages:
    """What is shown under each path."""

    def __init__(self, health: HealthWatch) -> None:
        self._health = health
        self._style = (_HERE / "style.css").read_text("utf-8")

    async def health(self, _request: Request) -> Response:
        """200 while all is well, else 503; the body says why."""
        health = await self._health.look()
        return JSONResponse(health_json(health), status_code=503 if health.problems else 200)

    async def metrics(self, _request: Request) -> Response:
        """Always 200: that the store is away is a metric, too."""
        health = await self._health.look()
        return Response(exposition(health), media_type=CONTENT_TYPE)

    async def runs(self, _request: Request) -> Response:
        """The page of runs."""
        health = await self._health.look()
        rows = run_rows(health.examination) if health.examination else ()
        page = _PAGES.get_template("runs.html.j2").render(health=health, rows=rows)
        return HTMLResponse(page, status_code=503 if health.examination is None else 200)

    async def style(self, _request: Request) -> Response:
        """The one style sheet."""
        return Response(self._style, media_type="text/css")
