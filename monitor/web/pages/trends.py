"""Trends: measures of a panel over its last runs."""

from typing import Annotated

from fastapi import Query

from monitor.report.screens.trends import TrendsScreen, no_trends, trends_screen, trends_table
from monitor.report.view import ReportView
from monitor.web.pages.families import EngineQuery, require_engine
from monitor.web.pages.finding import ChosenRun, DeskOf
from monitor.web.problems import not_found
from monitor.web.screens import Screen

MeasureQuery = Annotated[
    str | None, Query(max_length=80, description="One measure; without it, the leading ones.")
]


def load_trends(
    desk: DeskOf, run: ChosenRun, measure: MeasureQuery = None, engine: EngineQuery = None
) -> TrendsScreen:
    """Measures over up to twelve runs of a panel, with what happened between them."""
    measure, engine = measure or None, engine or None
    if run is None:
        return no_trends(measure, engine)
    view = desk.view(run)
    require_engine(view, engine)
    require_measure(view, measure)
    return trends_screen(view, measure, engine)


def require_measure(view: ReportView, measure: str | None) -> None:
    """404 for a measure that there is none of."""
    if measure is not None and measure not in view.measures:
        raise not_found(f"no measure {measure!r}; there are {', '.join(view.measures)}")


SCREENS = (Screen("/trends", load_trends, TrendsScreen, "trends.html.j2", table=trends_table),)
