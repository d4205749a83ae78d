"""Screens as HTML: one environment that escapes everything and shows control characters."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import jinja2
from fastapi import Request
from fastapi.responses import HTMLResponse

from monitor.report.charts import palette
from monitor.report.screens import links
from monitor.report.templating import environment
from monitor.web.access.own import keep_fresh, own_forms

_HERE = Path(__file__).resolve().parent
_REPORT = _HERE.parent / "report" / "templates"
_TEMPLATES = _HERE / "templates"


def render(request: Request, template: str, *, code: int = 200, **placed: Any) -> HTMLResponse:
    """A page under a status code: what is placed, and what every page knows of its request."""
    state = request.state
    known = {
        "request": request,
        "visitor": getattr(state, "visitor", None),
        "csrf": own_forms(request),
        "here": request.url.path,
        "address": str(request.url.path) + (f"?{request.url.query}" if request.url.query else ""),
        "version": static_version(),
        "in_sandbox": bool(request.app.state.desk.bench.settings.sandbox.hosts),
    }
    page = HTMLResponse(_environment().get_template(template).render(known | placed), code)
    keep_fresh(request, page)
    return page


def style() -> str:
    """The one style sheet: that of reports, then what only pages need."""
    parts = [_REPORT / "report.css", *sorted((_HERE / "static").glob("*.css"))]
    return "\n".join(path.read_text("utf-8") for path in parts)


def script() -> str:
    """The one script, made of small files; no page needs it."""
    parts = sorted((_HERE / "static").glob("*.js"))
    return "\n".join(path.read_text("utf-8") for path in parts)


def icon() -> str:
    """The picture of the application in a browser's tabs."""
    return (_HERE / "static" / "icon.svg").read_text("utf-8")


@cache
def static_version() -> str:
    """Changes whenever style or script do, so that both may be kept by browsers."""
    return sha256((style() + script()).encode()).hexdigest()[:12]


@cache
def _environment() -> jinja2.Environment:
    made = environment(_TEMPLATES)
    made.globals |= {"link_to": links, "colours_of": palette}
    return made
