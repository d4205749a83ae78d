"""Measures explained, with the counts of a run in the place of words."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Path

from monitor.domain.access import Role, Visitor
from monitor.pipeline.label_desk import with_pairs
from monitor.pipeline.label_progress import double_agreement, plan_progress
from monitor.pipeline.measure_examples import overlap_examples, recall_examples
from monitor.pipeline.reporting import measure_notes
from monitor.report.screens.measure_examples import (
    BEING_COUNTED,
    Aside,
    LabelledTwice,
    agreement_aside,
    overlap_aside,
    recall_aside,
)
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
from monitor.store import label_plans, pages, scores, support_labels
from monitor.store.runs import Run
from monitor.web.access.visiting import VisitorOf
from monitor.web.counting import StillCountingError
from monitor.web.desk import Desk
from monitor.web.pages.agreement import agreement_view
from monitor.web.pages.finding import ChosenRun, DeskOf
from monitor.web.problems import not_found
from monitor.web.screens import Screen

MeasureName = Annotated[str, Path(max_length=100, description="Name of a measure.")]
T = TypeVar("T")

_SOON = 0.5
"""Seconds that a page waits for the examples of one measure."""
_LEADS = "how far people agree is told to an admin alone, here and under /label"


def load_measures(desk: DeskOf, run: ChosenRun, who: VisitorOf) -> MeasuresScreen:
    """Every measure: its meaning, its formula, and an example of a run."""
    if run is None:
        return measures_screen(None, measure_notes())
    asides = {name: find(desk, run, who) for name, find in _ASIDES.items()}
    return measures_screen(desk.view(run), measure_notes(), asides)


def load_measure(desk: DeskOf, run: ChosenRun, who: VisitorOf, name: MeasureName) -> MeasureScreen:
    """One measure at length."""
    find = _ASIDES.get(name)
    asides = {name: find(desk, run, who)} if run and find else {}
    found = measure_screen(name, desk.view(run) if run else None, measure_notes(), asides)
    if found is None:
        raise not_found(f"no measure {name!r}; there are {', '.join(measure_names())}")
    return found


def _overlap(desk: Desk, run: Run, _: Visitor) -> Aside:
    view = desk.view(run)
    found = _counted(desk, run, "overlap", lambda: overlap_examples(desk.bench, run, view))
    return Aside((), BEING_COUNTED) if found is None else overlap_aside(found, _labels(view))


def _recall(desk: Desk, run: Run, _: Visitor) -> Aside:
    view = desk.view(run)
    found = _counted(desk, run, "recall", lambda: recall_examples(desk.bench, run, view))
    return Aside((), BEING_COUNTED) if found is None else recall_aside(found, _labels(view))


def _labels(view: ReportView) -> dict[str, str]:
    return {one.name: one.label for one in view.engines}


def _counted(desk: Desk, run: Run, what: str, work: Callable[[], T]) -> T | None:
    """What is counted of a run in the background, once; None while that takes longer."""
    key = (
        f"example of {what}",
        run.id,
        desk.bench.read(lambda c: scores.scoring_mark(c, run.id)),
        desk.bench.read(lambda c: pages.fetch_mark(c, run.id)),
    )
    try:
        return desk.counting.get(key, work, patience=_SOON)
    except StillCountingError:
        return None


def _agreement(desk: Desk, run: Run, who: Visitor) -> Aside:
    """Agreement on the newest plan of a run's panel; who may have pairs to label learns nothing."""
    if not who.role.covers(Role.ADMIN):
        return Aside((), _LEADS)
    bench = desk.bench
    plans = bench.read(lambda c: label_plans.load_plans(c, run.panel, limit=1))
    if not plans:
        return agreement_aside(None)
    planned = with_pairs(bench, plans[0])
    history = bench.read(lambda c: support_labels.load_label_history(c, run.panel))
    progress = plan_progress(bench, planned, history)
    mark = bench.read(lambda c: support_labels.label_mark(c, run.panel))
    key = ("agreement", planned.plan.id, mark)
    found = agreement_view(desk, key, lambda: double_agreement(planned, progress))
    said: dict[support_labels.PairKey, set[str]] = {}
    for one in progress.labels:
        said.setdefault(one.pair, set()).add(one.support.value)
    return agreement_aside(
        LabelledTwice(
            plan=planned.plan.id,
            annotators=tuple(sorted({one.annotator for one in progress.labels})),
            alike=sum(len(words) == 1 for words in said.values()),
            pairs=len(said),
            agreement=found,
        )
    )


_ASIDES: dict[str, Callable[[Desk, Run, Visitor], Aside]] = {
    "overlap": _overlap,
    "visible_citation_recall": _recall,
    "agreement": _agreement,
}
"""Measures that no scorecard has -> what finds their examples."""

SCREENS = (
    Screen("/measures", load_measures, MeasuresScreen, "measures.html.j2", table=measures_table),
    Screen("/measures/{name}", load_measure, MeasureScreen, "measure.html.j2", table=measure_table),
)
