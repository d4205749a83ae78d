"""The form by which the lead makes a plan of labelling; what is refused comes back as typed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.errors import AccessError, StoreBusyError, StoreError, UnfitError
from monitor.pipeline.label_plans import PlanWish, annotators_of, plan_labels
from monitor.pipeline.labelling import MOST_PAIRS
from monitor.report.screens.labels import NEW_PLAN
from monitor.report.screens.links import page_address
from monitor.store import runs
from monitor.web.access.acts import act
from monitor.web.access.visiting import VisitorOf
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.forms import FormOf, fields_of, number_of
from monitor.web.pages.labels import load_desk
from monitor.web.rendering import render

ROUTER = APIRouter()


@dataclass(frozen=True, slots=True)
class TypedPlan:
    """What is wished of a plan, or None with what is wrong, in the words of the form."""

    wish: PlanWish | None
    problems: tuple[str, ...]


@act(ROUTER, "/label/plans", role=Role.ADMIN, form_on="/label", include_in_schema=False)
def make_plan(request: Request, desk: DeskOf, who: VisitorOf, form: FormOf) -> Response:
    """Draw pairs of a run and assign each of them; what cannot be comes back as it was typed."""
    fields = {**NEW_PLAN, **fields_of(form)}
    code = 303
    typed = typed_plan(fields)
    problems = typed.problems
    run = desk.bench.read(lambda c: runs.load_run(c, fields.get("run", "")))
    if run is None:
        said = f"Run to draw from: no run {fields.get('run', '')[:200]!r}; choose one of the list"
        problems, code = (said, *problems), 404
    elif typed.wish is None:
        code = 400
    else:
        try:
            plan_labels(desk.bench, run, typed.wish, made_by=who.name, who=who)
        except StoreBusyError:
            raise
        except StoreError as error:
            problems, code = (str(error),), 400 if isinstance(error, UnfitError) else 409
    if not problems:
        return RedirectResponse(page_address("label"), 303)
    told = replace(load_desk(request, desk, who), problems=problems, new_plan=fields)
    return render(request, "label_desk.html.j2", code=code, screen=told)


def typed_plan(fields: Mapping[str, str]) -> TypedPlan:
    """A plan as a form sent it. One annotator alone labels nothing twice, whatever share stands."""
    problems: list[str] = []
    pairs = number_of(fields, "pairs") or 0
    if not 1 <= pairs <= MOST_PAIRS:
        problems.append(f"Pairs: got {fields['pairs'][:40]!r}; expected 1 to {MOST_PAIRS}")
    names: tuple[str, ...] = ()
    try:
        names = annotators_of(fields["annotators"])
    except AccessError as error:
        problems.append(f"Annotators: {error}")
    else:
        if not names:
            problems.append("Annotators: name at least one, with commas between several")
    share = _share(fields["double"])
    if share is None:
        got = fields["double"][:40]
        problems.append(f"Labelled by two of them, in %: got {got!r}; expected 0 to 100")
    guideline = fields["guideline"].strip()
    if not 1 <= len(guideline) <= 64:
        problems.append(
            f"Version of the guideline: got {len(guideline)} characters; expected 1 and at most "
            "64, such as 2026-12"
        )
    if problems or share is None:
        return TypedPlan(None, tuple(problems))
    return TypedPlan(PlanWish(names, guideline, share if len(names) > 1 else 0.0, pairs), ())


def _share(written: str) -> float | None:
    try:
        percent = float(written)
    except ValueError:
        return None
    return round(percent / 100, 6) if 0 <= percent <= 100 else None
