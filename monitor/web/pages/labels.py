"""The desk of annotators: plans of labelling, what each of them has to do, and new plans."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse

from monitor.domain.access import Role
from monitor.pipeline.label_desk import Planned, load_planned, own_work, with_pairs, work_of
from monitor.pipeline.label_progress import PlanProgress, double_agreement, plan_progress
from monitor.report.screens.labels import (
    NEW_PLAN,
    DeskScreen,
    LeadView,
    PlanLine,
    desk_table,
)
from monitor.report.screens.links import page_address
from monitor.store import label_plans, runs, support_labels
from monitor.store.support_labels import SupportLabel
from monitor.web.access.visiting import VisitorOf, may_choose
from monitor.web.desk import Desk
from monitor.web.pages.agreement import agreement_view
from monitor.web.pages.finding import DeskOf, PageNumber, PanelQuery, Window, require_panel
from monitor.web.problems import not_found
from monitor.web.screens import Screen

ROUTER = APIRouter()

_PLANS = 10
"""Plans of one page of the desk."""
_RUNS = 20
"""Newest runs that a form offers to draw from."""

PlanId = Annotated[int, Path(ge=1, le=2**53, description="Number of a plan of labelling.")]


def load_desk(
    request: Request,
    desk: DeskOf,
    who: VisitorOf,
    *,
    page: PageNumber = 1,
    panel: PanelQuery = None,
) -> DeskScreen:
    """Plans of labelling, of a panel or of all, with what the visitor has to do."""
    bench, lead, panel = desk.bench, who.role is Role.ADMIN, panel or None
    require_panel(desk, panel)
    window = Window(page, _PLANS)
    pager = window.pager(
        bench.read(partial(label_plans.count_plans, panel=panel)),
        lambda number: page_address("label", panel=panel, page=number),
    )
    found = bench.read(
        lambda c: label_plans.load_plans(c, panel, limit=window.size, offset=window.offset)
    )
    planned = [with_pairs(bench, one) for one in found]
    histories = {
        panel: bench.read(partial(support_labels.load_label_history, panel=panel))
        for panel in {one.panel for one in found}
    }
    lines = tuple(
        _line(desk, one, who.name, histories[one.plan.panel], lead=lead) for one in planned
    )
    return DeskScreen(
        annotator=who.name,
        may_choose=may_choose(request, who),
        is_lead=lead,
        panel=panel,
        plans=lines,
        pager=pager,
        runs=_runs(desk) if lead else (),
        new_plan=NEW_PLAN if lead else {},
    )


def _runs(desk: Desk) -> tuple[str, ...]:
    found = desk.bench.read(lambda c: runs.list_runs(c, states=runs.TELLING, limit=_RUNS))
    return tuple(one.public_id for one in found)


def _line(
    desk: Desk,
    planned: Planned,
    annotator: str | None,
    history: Sequence[SupportLabel],
    *,
    lead: bool,
) -> PlanLine:
    """One plan; only the lead is told of others."""
    plan = planned.plan
    work = work_of(planned, annotator, history)
    following = work.next_open()
    return PlanLine(
        plan=plan.id,
        panel=plan.panel,
        run=planned.draw.run,
        guideline=plan.guideline,
        made=plan.made_at,
        pairs=len(plan.assignments),
        annotators=len(plan.annotators),
        mine=len(work.positions),
        done=len(work.labelled),
        open=len(work.open),
        go_on=None if following is None else page_address("label", plan.id, following),
        look_back=page_address("label", plan.id, work.positions[-1]) if work.positions else None,
        lead=_lead(desk, planned, plan_progress(desk.bench, planned, history)) if lead else None,
    )


def _lead(desk: Desk, planned: Planned, progress: PlanProgress) -> LeadView:
    """How all annotators stand and agree."""
    key = (
        "agreement",
        planned.plan.id,
        desk.bench.read(lambda c: support_labels.label_mark(c, planned.plan.panel)),
    )
    found = agreement_view(desk, key, lambda: double_agreement(planned, progress))
    return LeadView(
        progress.by_annotator, progress.double, progress.both, progress.disagreements, found
    )


def plan_named(desk: DeskOf, plan: PlanId) -> Planned:
    """The plan of a path; 404 where there is none."""
    found = load_planned(desk.bench, plan)
    if found is None:
        raise not_found(f"no plan {plan}; the plans are under /label")
    return found


@ROUTER.get("/label/{plan}", include_in_schema=False)
def go_on(desk: DeskOf, who: VisitorOf, plan: PlanId) -> RedirectResponse:
    """The first pair that the visitor has not labelled, else the desk."""
    found = plan_named(desk, plan)
    following = own_work(desk.bench, found, who.name).next_open()
    where = page_address("label") if following is None else page_address("label", plan, following)
    return RedirectResponse(where, status_code=303)


SCREENS = (Screen("/label", load_desk, DeskScreen, "label_desk.html.j2", table=desk_table),)
