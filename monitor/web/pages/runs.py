"""Runs: their list, the first screen of one, and the rows behind its numbers."""

from monitor.web.pages.overview import OVERVIEW
from monitor.web.pages.run_first import FIRST, MATRIX
from monitor.web.pages.run_rows import ROWS

SCREENS = (OVERVIEW, FIRST, MATRIX, ROWS)
