"""Adjudication: the queue of pairs on which annotators disagree, one pair a page."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.domain.claim import Support
from monitor.pipeline.adjudicating import (
    Decision,
    Disagreement,
    OtherDecisionError,
    adjudicate,
    disagreements,
    support_of,
)
from monitor.pipeline.label_desk import LabelRefusedError
from monitor.report.screens.adjudication import (
    AdjudicationScreen,
    DecisionView,
    QueueLine,
    Side,
    adjudication_table,
)
from monitor.report.screens.labels import choices, support_word
from monitor.report.screens.links import page_address
from monitor.store import label_plans, support_labels
from monitor.store.label_plans import Assignment
from monitor.store.support_labels import DrawnPair, SupportLabel
from monitor.web.access.acts import act
from monitor.web.access.visiting import AnnotatorOf, VisitorOf, needs
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.pairs import matter_of, whole_text
from monitor.web.problems import not_found
from monitor.web.rendering import render
from monitor.web.screens import Screen

ROUTER = APIRouter()

_PLANS = 200
"""Newest plans of a panel in which a pair's sentence is looked for."""

PanelName = Annotated[str, Query(max_length=200, description="Panel whose pairs are decided.")]
PanelPath = Annotated[str, Path(max_length=200, description="Panel of the pair.")]
PairId = Annotated[str, Path(max_length=100, description="Identity of a pair.")]
OptionalPage = Annotated[
    int | None,
    Query(ge=1, le=1_000_000, description="Place in the queue; the first open one without."),
]


def load_adjudication(
    desk: DeskOf, panel: PanelName = "", page: OptionalPage = None
) -> AdjudicationScreen:
    """Pairs whose labels differ, one at a time, with what was decided."""
    known = desk.bench.read(label_plans.planned_panels)
    labelled = desk.bench.read(support_labels.labelled_panels)
    names = sorted({*known, *labelled})
    if panel and panel not in names:
        raise not_found(f"no labels of a panel {panel[:100]!r}; panels: {', '.join(names[:8])}")
    found = {one: disagreements(desk.bench, one) for one in names}
    left = {one: sum(not each.settled for each in queue) for one, queue in found.items()}
    chosen = panel or next((one for one in names if left[one]), next(iter(names), ""))
    queue = found.get(chosen, ())
    if page is not None and page > max(1, len(queue)):
        raise not_found(f"page: got {page}, and the queue ends with page {max(1, len(queue))}")
    at = page or next((n for n, one in enumerate(queue, 1) if not one.settled), 1)
    empty = AdjudicationScreen(
        panel=chosen or None,
        panels=tuple(left.items()),
        page=at,
        total=len(queue),
        decided=len(queue) - left.get(chosen, 0),
        pair=None,
        matter=None,
        sides=(),
        decision=None,
        choices=choices(),
        reason="",
        guideline="",
        previous=_page(chosen, at - 1) if at > 1 else None,
        following=_page(chosen, at + 1) if at < len(queue) else None,
        problem="",
        queue=tuple(_queued(n, one) for n, one in enumerate(queue, 1)),
    )
    return _with_pair(desk, empty, queue[at - 1]) if queue else empty


def _page(panel: str, page: int) -> str:
    return page_address("adjudicate", panel=panel, page=page)


def _queued(page: int, one: Disagreement) -> QueueLine:
    decision = one.decision if one.settled else None
    return QueueLine(
        page,
        one.pair.identity,
        one.labels[0].claim,
        tuple((label.annotator, label.support.value) for label in one.labels),
        support_of(decision).value if decision else None,
        decision.adjudicator if decision else None,
        decision.reason if decision else None,
    )


def _with_pair(desk: Desk, screen: AdjudicationScreen, one: Disagreement) -> AdjudicationScreen:
    """The screen with the pair that is looked at."""
    panel = screen.panel or ""
    pair, shown = _found(desk, panel, one)
    decision = one.decision
    return replace(
        screen,
        pair=one.pair.identity,
        matter=matter_of(desk, pair, shown, lambda n: _text(panel, one.pair.identity, n)),
        sides=tuple(map(_side, one.labels)),
        decision=None
        if decision is None
        else DecisionView(
            decision.id,
            support_of(decision).value,
            support_word(support_of(decision)),
            decision.reason,
            decision.adjudicator,
            decision.saved_at,
            one.settled,
        ),
        choices=choices(support_of(decision) if decision and one.settled else None),
        reason=decision.reason if decision else "",
        guideline=", ".join(dict.fromkeys(label.guideline for label in one.labels)),
    )


def _text(panel: str, identity: str, number: int) -> str:
    return page_address("adjudicate", panel, identity, "texts", number)


def _side(one: SupportLabel) -> Side:
    return Side(
        one.id, one.annotator, one.support.value, support_word(one.support), one.note or "",
        one.guideline, one.saved_at,
    )  # fmt: skip


def _found(desk: Desk, panel: str, one: Disagreement) -> tuple[DrawnPair, Assignment | None]:
    """A pair as a draw has it, with what its plan shows; a plain one where no plan has it."""
    first = one.labels[0]
    plain = DrawnPair("", "", "", first.claim, first.evidence, one.pair)
    for plan in desk.bench.read(lambda c: label_plans.load_plans(c, panel, limit=_PLANS)):
        draw = desk.bench.read(partial(support_labels.load_draw, key=plan.draw))
        for place, pair in enumerate(draw.pairs if draw else ()):
            if pair.pair == one.pair:
                return pair, plan.assignments[place]
    return plain, None


@ROUTER.get(
    "/adjudicate/{panel}/{pair}/texts/{number}",
    include_in_schema=False,
    dependencies=[Depends(needs(Role.ADMIN))],
)
def tell_text(
    desk: DeskOf, panel: PanelPath, pair: PairId, number: Annotated[int, Path(ge=1, le=1000)]
) -> Response:
    """The whole text of a cited page, as text."""
    _, one = _queued_pair(desk, panel, pair)
    return whole_text(desk, one.labels[0].evidence, number)


@act(
    ROUTER,
    "/adjudicate/{panel}/{pair}",
    role=Role.ADMIN,
    form_on="/adjudicate?panel={panel}",
    include_in_schema=False,
)
def decide(
    request: Request,
    desk: DeskOf,
    panel: PanelPath,
    pair: PairId,
    *,
    who: VisitorOf,
    name: AnnotatorOf,
    support: Annotated[Support, Form()],
    labels: Annotated[str, Form(pattern=r"^\d{1,16}(,\d{1,16})*$", max_length=2_000)],
    seen: Annotated[int, Form(ge=0, le=2**53)],
    note: Annotated[str, Form(max_length=100_000)] = "",
) -> Response:
    """Store a decision, and go on to the next pair of which there is none."""
    place, one = _queued_pair(desk, panel, pair)
    rows = tuple(int(row) for row in labels.split(","))
    try:
        said = Decision(support, note, name, rows, seen)
        adjudicate(desk.bench, panel, one.pair, said, who=who)
    except (LabelRefusedError, OtherDecisionError) as error:
        screen = replace(load_adjudication(desk, panel, place), problem=str(error), reason=note)
        code = 422 if isinstance(error, LabelRefusedError) else 409
        return render(
            request, "adjudication.html.j2", code=code, screen=screen, wanted=support.value
        )
    queue = disagreements(desk.bench, panel)
    open_ones = [n for n, other in enumerate(queue, 1) if not other.settled]
    following = next((n for n in open_ones if n > place), next(iter(open_ones), None))
    return RedirectResponse(page_address("adjudicate", panel=panel, page=following), 303)


def _queued_pair(desk: Desk, panel: str, identity: str) -> tuple[int, Disagreement]:
    """The place and pair of an identity; 404 where its labels do not differ."""
    for place, one in enumerate(disagreements(desk.bench, panel), 1):
        if one.pair.identity == identity:
            return place, one
    raise not_found(
        f"no pair {identity[:100]} of {panel[:100]!r} whose labels differ; the queue is under "
        f"{page_address('adjudicate')}"
    )


SCREENS = (
    Screen(
        "/adjudicate",
        load_adjudication,
        AdjudicationScreen,
        "adjudication.html.j2",
        table=adjudication_table,
        role=Role.ADMIN,
    ),
)
