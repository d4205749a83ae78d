"""Runs: the list, the first screen of one, and the rows behind its numbers."""

from monitor.report.screens.matrix import MatrixScreen, matrix_screen
from monitor.web.pages.finding import DeskOf, RunOf
from monitor.web.pages.overview import OVERVIEW
from monitor.web.pages.run_rows import ROWS
from monitor.web.screens import Screen


def load_matrix(desk: DeskOf, run: RunOf) -> MatrixScreen:
    """Engines of a run by measures."""
    return matrix_screen(desk.view(run))


SCREENS = (
    OVERVIEW,
    Screen("/runs/{run}", load_matrix, MatrixScreen, "run.html.j2"),
    ROWS,
)
