"""Runs: their list, the first screen of one, and the rows behind its numbers."""

from monitor.web.pages.overview import OVERVIEW
from monitor.web.pages.panels import PANEL
from monitor.web.pages.progress import ROUTER
from monitor.web.pages.run_captures import CAPTURES, FUNNEL
from monitor.web.pages.run_first import FIRST, MATRIX, SLICES
from monitor.web.pages.run_rows import ROWS

__all__ = ["ROUTER", "SCREENS"]

SCREENS = (OVERVIEW, PANEL, FIRST, MATRIX, SLICES, ROWS, CAPTURES, FUNNEL)
