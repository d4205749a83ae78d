"""The application: pages, their JSON twins under /api/v1, /health and /metrics."""

from collections.abc import Collection

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from monitor import __version__
from monitor.web.access.reading import add_description, metrics_reader
from monitor.web.counting import add_counting_pages
from monitor.web.desk import Desk
from monitor.web.guard import Guard
from monitor.web.health import HealthWatch
from monitor.web.health_json import health_json
from monitor.web.metrics import CONTENT_TYPE, exposition
from monitor.web.pages import ROUTERS, SCREENS
from monitor.web.problems import add_problem_pages
from monitor.web.rendering import icon, script, style
from monitor.web.screens import API, add_screens

_KEPT = {"cache-control": "public, max-age=31536000, immutable"}
"""For files whose address changes with them."""


def make_app(health: HealthWatch, *, hosts: Collection[str] = ()) -> FastAPI:
    """The application over one source of health; `hosts` are names it goes by beside addresses."""
    app = FastAPI(
        title="Citation monitor",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    app.state.desk = Desk(health.bench, health)
    app.state.web = health.bench.settings.web
    app.add_middleware(Guard, hosts=hosts)
    add_problem_pages(app)
    add_counting_pages(app)
    add_screens(app, SCREENS)
    for router in ROUTERS:
        app.include_router(router)
    add_description(app, f"{API}/openapi.json")
    _add_signals(app, health)
    _add_static(app)
    return app


def _add_signals(app: FastAPI, health: HealthWatch) -> None:
    """What supervisors and Prometheus ask for."""

    async def tell_health() -> Response:
        """200 while all is well, else 503; the body says why."""
        found = await health.look()
        return JSONResponse(health_json(found), status_code=503 if found.problems else 200)

    async def tell_metrics() -> Response:
        """Always 200: that the store is away is a metric, too."""
        return Response(exposition(await health.look()), media_type=CONTENT_TYPE)

    app.get("/health", include_in_schema=False)(tell_health)
    app.get("/metrics", include_in_schema=False, dependencies=[Depends(metrics_reader)])(
        tell_metrics
    )


def _add_static(app: FastAPI) -> None:
    """The one style sheet, the one script and the icon."""
    sheet, program, drawing = style(), script(), icon()

    def tell_style(request: Request) -> Response:
        """The style sheet."""
        return Response(sheet, media_type="text/css", headers=_kept(request))

    def tell_script(request: Request) -> Response:
        """The script."""
        return Response(program, media_type="text/javascript", headers=_kept(request))

    def tell_icon(request: Request) -> Response:
        """The icon."""
        return Response(drawing, media_type="image/svg+xml", headers=_kept(request))

    app.get("/static/icon.svg", include_in_schema=False)(tell_icon)
    app.get("/static/style.css", include_in_schema=False)(tell_style)
    app.get("/static/monitor.js", include_in_schema=False)(tell_script)


def _kept(request: Request) -> dict[str, str]:
    return _KEPT if "v" in request.query_params else {}
