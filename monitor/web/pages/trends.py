"""Trends: measures of a panel over its last runs."""

from monitor.report.screens.trends import TrendsScreen, no_trends, trends_screen, trends_table
from monitor.web.pages.finding import (
    ChosenRun,
    DeskOf,
    EngineQuery,
    MeasureQuery,
    PanelQuery,
    require_engine,
    require_measure,
)
from monitor.web.screens import Screen


def load_trends(
    desk: DeskOf,
    run: ChosenRun,
    measure: MeasureQuery = None,
    *,
    engine: EngineQuery = None,
    panel: PanelQuery = None,
) -> TrendsScreen:
    """Measures over up to twelve runs of a panel, with what happened between them."""
    measure, engine = measure or None, engine or None
    if run is None:
        return no_trends(measure, engine, panel or None)
    view = desk.view(run)
    require_engine(view, engine)
    require_measure(view, measure)
    return trends_screen(view, measure, engine)


SCREENS = (Screen("/trends", load_trends, TrendsScreen, "trends.html.j2", table=trends_table),)
