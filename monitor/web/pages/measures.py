"""Measures explained, with the counts of a run in the place of words."""

from typing import Annotated

from fastapi import Path

from monitor.pipeline.reporting import measure_notes
from monitor.report.screens.measures import (
    MeasureScreen,
    MeasuresScreen,
    measure_names,
    measure_screen,
    measure_table,
    measures_screen,
    measures_table,
)
from monitor.report.view import ReportView
from monitor.store.runs import Run
from monitor.web.desk import Desk
from monitor.web.pages.finding import ChosenRun, DeskOf
from monitor.web.problems import not_found
from monitor.web.screens import Screen

MeasureName = Annotated[str, Path(max_length=100, description="Name of a measure.")]


def load_measures(desk: DeskOf, run: ChosenRun) -> MeasuresScreen:
    """Every measure: its meaning, its formula, and an example of a run."""
    return measures_screen(_view(desk, run), measure_notes())


def load_measure(desk: DeskOf, run: ChosenRun, name: MeasureName) -> MeasureScreen:
    """One measure at length."""
    found = measure_screen(name, _view(desk, run), measure_notes())
    if found is None:
        raise not_found(f"no measure {name!r}; there are {', '.join(measure_names())}")
    return found


def _view(desk: Desk, run: Run | None) -> ReportView | None:
    return desk.view(run) if run else None


SCREENS = (
    Screen("/measures", load_measures, MeasuresScreen, "measures.html.j2", table=measures_table),
    Screen("/measures/{name}", load_measure, MeasureScreen, "measure.html.j2", table=measure_table),
)
