"""Runs: their list, the first screen of one, and the rows behind its numbers."""

from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse

from monitor.domain.access import Role
from monitor.web.access.visiting import needs
from monitor.web.pages.overview import OVERVIEW
from monitor.web.pages.panels import PANEL
from monitor.web.pages.progress import ROUTER as PROGRESS
from monitor.web.pages.run_captures import CAPTURES, FUNNEL
from monitor.web.pages.run_first import FIRST, MATRIX, SLICES
from monitor.web.pages.run_rows import ROWS

__all__ = ["ROUTER", "SCREENS"]

SCREENS = (OVERVIEW, PANEL, FIRST, MATRIX, SLICES, ROWS, CAPTURES, FUNNEL)

ROUTER = APIRouter()
ROUTER.include_router(PROGRESS)


@ROUTER.get("/runs", include_in_schema=False, dependencies=[Depends(needs(Role.VIEWER))])
def list_runs() -> RedirectResponse:
    """The list of runs, which stands on the first page."""
    return RedirectResponse("/#runs", status_code=308)
