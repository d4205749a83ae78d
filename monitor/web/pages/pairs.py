"""One pair to label: the page, what its form does, and the whole texts behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Path, Request
from fastapi.responses import PlainTextResponse, RedirectResponse
from pydantic import Field
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.domain.claim import Support
from monitor.errors import MonitorError
from monitor.pipeline.label_desk import (
    LONGEST_NOTE,
    Given,
    LabelRefusedError,
    NotAssignedError,
    OtherLabelError,
    OwnWork,
    Planned,
    give,
    own_work,
    take_back,
)
from monitor.pipeline.label_sheets import passages_of
from monitor.pipeline.removed import text_of
from monitor.report.screens.labels import (
    PairMatter,
    PairScreen,
    PassageView,
    Undo,
    choices,
    neighbours,
    support_word,
)
from monitor.report.screens.links import page_address
from monitor.store.label_plans import Assignment
from monitor.store.support_labels import DrawnPair
from monitor.web.access.acts import act
from monitor.web.access.visiting import AnnotatorOf, needs
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.forms import seconds_of
from monitor.web.pages.labels import PlanId, plan_named
from monitor.web.problems import PROBLEMS, not_found
from monitor.web.rendering import render
from monitor.web.screens import API, Screen

ROUTER = APIRouter()

PlanOf = Annotated[Planned, Depends(plan_named)]
Position = Annotated[int, Path(ge=1, le=1_000_000, description="Place of a pair in its draw.")]

STATUS: tuple[tuple[type[MonitorError], int], ...] = (
    (NotAssignedError, 403),
    (LabelRefusedError, 422),
    (OtherLabelError, 409),
)
"""What each reason to store nothing is answered by."""


def load_pair(desk: DeskOf, planned: PlanOf, position: Position, who: AnnotatorOf) -> PairScreen:
    """One pair as its annotator sees it: no engine, no verdict, no label of others."""
    if not planned.has(position):
        last = len(planned.plan.assignments)
        raise not_found(f"pair {position}: plan {planned.plan.id} has pairs 1 to {last}")
    work = own_work(desk.bench, planned, who)
    return pair_screen(desk, planned, position, work=work, annotator=who)


def pair_screen(
    desk: Desk, planned: Planned, position: int, *, work: OwnWork, annotator: str
) -> PairScreen:
    """A pair beside what its annotator did already."""
    plan = planned.plan
    assigned = position in work.positions
    given = work.labelled.get(position)
    around = neighbours(work.positions, position)
    before, behind = (
        None if one is None else page_address("label", plan.id, one) for one in around
    )
    return PairScreen(
        plan=plan.id,
        panel=plan.panel,
        guideline=plan.guideline,
        position=position,
        annotator=annotator,
        assigned=assigned,
        place=work.positions.index(position) + 1 if assigned else 0,
        done=len(work.labelled),
        total=len(work.positions),
        matter=matter_of(
            desk,
            planned.pair(position),
            planned.assignment(position),
            lambda number: page_address("label", plan.id, position, "texts", number),
        ),
        choices=choices(given.support if given else None),
        note=(given.note or "") if given else "",
        seen=work.newest.get(position, 0),
        previous=before,
        following=behind,
        undo=Undo(work.last[1].id, work.last[0]) if work.last else None,
        problem="",
    )


def matter_of(
    desk: Desk,
    pair: DrawnPair,
    shown: Assignment | None,
    address: Callable[[int], str],
) -> PairMatter:
    """A claim with the passages of its texts; what stands around it only where a plan has it."""
    urls = {sha256: url for url, sha256 in shown.sources} if shown else {}
    return PairMatter(
        pair.claim,
        shown.statement if shown else "",
        shown.question if shown else "",
        tuple(
            _passage(
                desk,
                pair.claim,
                number,
                sha256=sha256,
                url=urls.get(sha256, ""),
                whole=address(number),
            )
            for number, sha256 in enumerate(pair.evidence, 1)
        ),
    )


def _passage(desk: Desk, claim: str, number: int, sha256: str, url: str, whole: str) -> PassageView:
    text = text_of(desk.bench, sha256)
    if text is None:
        return PassageView(number, url, (), None)
    return PassageView(number, url, passages_of(claim, text), whole)


@ROUTER.get(
    "/label/{plan}/{position}/texts/{number}",
    include_in_schema=False,
    dependencies=[Depends(needs(Role.ANNOTATOR))],
)
def tell_text(desk: DeskOf, plan: PlanId, position: Position, number: Position) -> Response:
    """The whole text of a cited page, as text."""
    planned = plan_named(desk, plan)
    evidence = planned.pair(position).evidence if planned.has(position) else ()
    return whole_text(desk, evidence, number)


def whole_text(desk: Desk, evidence: Sequence[str], number: int) -> Response:
    """The text that is so many-th of a pair's, as text; 404 where there is none any more."""
    if number > len(evidence):
        raise not_found(f"text {number}: the pair has {len(evidence)}")
    text = text_of(desk.bench, evidence[number - 1])
    if text is None:
        raise not_found(f"text {number} of the pair: retention removed it")
    return PlainTextResponse(text, headers={"x-content-type-options": "nosniff"})


@act(ROUTER, "/label/{plan}/{position}", role=Role.ANNOTATOR, include_in_schema=False)
def label(
    request: Request,
    desk: DeskOf,
    planned: PlanOf,
    position: Position,
    *,
    who: AnnotatorOf,
    support: Annotated[Support, Form()],
    seen: Annotated[int, Form(ge=0, le=2**53)],
    note: Annotated[str, Form(max_length=100_000)] = "",
    seconds: Annotated[str, Form(max_length=30)] = "",
) -> Response:
    """Store a label and go on to the next pair without one."""
    screen = load_pair(desk, planned, position, who)
    given = Given(who, support, note, seconds_of(seconds), seen)
    try:
        give(desk.bench, planned, position, given)
    except (NotAssignedError, LabelRefusedError, OtherLabelError) as error:
        told = f"{error}{_both(desk, planned, position, given)}"
        screen = replace(screen, problem=told, note=note)
        code = _code_of(error)
        return render(request, "label_pair.html.j2", code=code, screen=screen, wanted=support.value)
    following = own_work(desk.bench, planned, who).next_open(position)
    where = ("label",) if following is None else ("label", planned.plan.id, following)
    return RedirectResponse(page_address(*where), status_code=303)


def _both(desk: Desk, planned: Planned, position: int, given: Given) -> str:
    """What is stored beside what was handed in, where both are there and differ."""
    stored = own_work(desk.bench, planned, given.annotator).labelled.get(position)
    if stored is None or stored.support is given.support:
        return ""
    why = f" ({stored.note})" if stored.note else ""
    return f". Stored: {support_word(stored.support)}{why}; yours: {support_word(given.support)}"


@act(
    ROUTER,
    "/label/{plan}/{position}/undo",
    role=Role.ANNOTATOR,
    form_on="/label/{plan}/{position}",
    include_in_schema=False,
)
def undo(
    desk: DeskOf,
    planned: PlanOf,
    position: Position,  # noqa: ARG001 - the page on which the key was struck
    *,
    who: AnnotatorOf,
    label: Annotated[int, Form(ge=1, le=2**53)],
) -> RedirectResponse:
    """Take the visitor's own last label back, and show its pair."""
    place = take_back(desk.bench, planned, who, label)
    return RedirectResponse(page_address("label", planned.plan.id, place), status_code=303)


@dataclass(frozen=True, slots=True)
class LabelCall:
    """A label as a program hands it in; the annotator is whoever asks."""

    plan: Annotated[int, Field(ge=1, le=2**53, description="Number of a plan.")]
    position: Annotated[int, Field(ge=1, le=1_000_000, description="Place of the pair.")]
    support: Annotated[Support, Field(description="The label.")]
    note: Annotated[str | None, Field(max_length=LONGEST_NOTE, description="Reason.")] = None
    seconds: Annotated[float | None, Field(ge=0, description="How long it took.")] = None
    seen: Annotated[
        int, Field(ge=0, le=2**53, description="`seen` of the pair as it was read; 0 for none.")
    ] = 0


@dataclass(frozen=True, slots=True)
class LabelKept:
    """A label as it is stored."""

    label: int
    plan: int
    position: int
    support: Support
    annotator: str
    next: int | None
    """Place of the next pair without a label; None where all have one."""


@act(
    ROUTER,
    f"{API}/labels",
    role=Role.ANNOTATOR,
    responses=PROBLEMS,
    operation_id="labels_give",
    summary="Store one label of the visitor for a pair of a plan.",
)
def give_label(desk: DeskOf, who: AnnotatorOf, call: LabelCall) -> LabelKept:
    """Store one label; the same one twice is stored once."""
    planned = plan_named(desk, call.plan)
    load_pair(desk, planned, call.position, who)
    given = Given(who, call.support, call.note, call.seconds, call.seen)
    try:
        kept = give(desk.bench, planned, call.position, given)
    except (NotAssignedError, LabelRefusedError, OtherLabelError) as error:
        raise HTTPException(_code_of(error), str(error)) from error
    following = own_work(desk.bench, planned, who).next_open(call.position)
    return LabelKept(kept.id, call.plan, call.position, kept.support, who, following)


def _code_of(error: MonitorError) -> int:
    return next(code for kind, code in STATUS if isinstance(error, kind))


SCREENS = (
    Screen(
        "/label/{plan}/{position}",
        load_pair,
        PairScreen,
        "label_pair.html.j2",
        role=Role.ANNOTATOR,
    ),
)
