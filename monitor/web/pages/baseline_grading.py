"""Grading the sources of a draft, one at a time and blind, and writing its claims together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData
from starlette.responses import Response

from monitor.baseline.typed import typed_claim, typed_grade
from monitor.domain.access import Role
from monitor.domain.drafted import PooledSource, SourceDetails, SourceLabel
from monitor.domain.panel import Prompt
from monitor.pipeline.grading_desk import (
    Desk,
    Graded,
    desk_of_annotator,
    keep_grade,
    live_claims,
    source_text,
)
from monitor.report.screens.grading import (
    ClaimView,
    GradingScreen,
    Reading,
    SourceView,
    UndoView,
    categories,
    choices,
    claim_view,
    details_fields,
    evidence_types,
    grade_word,
    grading_address,
    place_views,
    source_view,
)
from monitor.store import drafts
from monitor.store.drafts import ClaimEdit, Draft
from monitor.web.access.acts import act
from monitor.web.access.visiting import AnnotatorOf
from monitor.web.desk import desk_of
from monitor.web.pages.finding import DeskOf
from monitor.web.problems import not_found
from monitor.web.rendering import render
from monitor.web.screens import API, Screen

ROUTER = APIRouter()

DraftId = Annotated[int, Path(ge=1, le=2**53, description="Number of a draft of a baseline.")]
PromptId = Annotated[str, Path(max_length=200, description="Id of a prompt.")]
_Answer = Callable[[SourceDetails, tuple[str, ...], int], Response]
_LONGEST_SECONDS = 86_400.0
_TEMPLATE = "grading.html.j2"
_PAGE = "/baselines/drafts/{draft}/prompts/{prompt}"


@dataclass(frozen=True, slots=True)
class Table:
    """What an annotator has before them: one prompt of a draft, and their sources of it."""

    desk: Desk
    prompt: Prompt

    @property
    def draft(self) -> Draft:
        """The draft that is graded."""
        return self.desk.draft

    def address(self, source: PooledSource | None = None) -> str:
        """Page of this prompt, at one source of it."""
        number = source.position if source else None
        return grading_address(self.draft.id, self.prompt.id, source=number)


def draft_named(desk: DeskOf, draft: DraftId) -> Draft:
    """The draft of a number."""
    found = desk.bench.read(lambda c: drafts.load_draft(c, draft))
    if found is None:
        raise not_found(f"no draft {draft}; the list of drafts is under /baselines")
    return found


DraftOf = Annotated[Draft, Depends(draft_named)]


def table_of(desk: DeskOf, draft: DraftOf, prompt: PromptId, annotator: AnnotatorOf) -> Table:
    """The prompt of a draft that an address names, as its annotator sees it."""
    found = draft.plan.panel.prompt(prompt)
    if found is None:
        raise not_found(
            f"no prompt {prompt!r} in this draft; its prompts are under "
            f"/baselines/drafts/{draft.id}"
        )
    return Table(desk_of_annotator(desk.bench, draft, annotator), found)


TableOf = Annotated[Table, Depends(table_of)]
_Source = Annotated[
    int | None,
    Query(ge=1, le=2**31, description="Position of a source; without it, the first open one."),
]


def load_grading(desk: DeskOf, table: TableOf, source: _Source = None) -> GradingScreen:
    """A prompt of a draft with the sources that the visitor grades, without any engine's name."""
    mine = table.desk.of(table.prompt.id)
    if source is not None:
        here = next((one for one in mine if one.position == source), None)
        if here is None:
            raise not_found(f"no source {source} of this prompt is yours; {table.address()} is")
    else:
        here = next((one for one in mine if not table.desk.is_done(one)), next(iter(mine), None))
    return _screen(desk, table, here)


def _screen(desk: DeskOf, table: Table, here: PooledSource | None) -> GradingScreen:
    draft, prompt, graded = table.draft, table.prompt, table.desk
    ids = [one.id for one in draft.plan.panel.prompts]
    place = ids.index(prompt.id)
    mine = graded.of(prompt.id)
    claims = tuple(map(claim_view, live_claims(desk.bench, draft, prompt.id)))
    labels = {p: one for (of, p), one in graded.labels.items() if of == prompt.id}
    return GradingScreen(
        draft=draft.id,
        panel=draft.panel,
        version=draft.version,
        guideline=draft.guideline,
        is_open=draft.state == "open",
        annotator=graded.annotator,
        is_asked=graded.annotator in draft.plan.annotators,
        prompt=prompt.id,
        question=prompt.text,
        number=place + 1,
        prompts=len(ids),
        claims=claims,
        places=place_views(draft.id, mine, labels, here),
        done=sum(map(graded.is_done, mine)),
        source=_source(desk, table, here) if here else None,
        undo=_undo(graded),
        earlier=grading_address(draft.id, ids[place - 1]) if place else None,
        later=grading_address(draft.id, ids[place + 1]) if place + 1 < len(ids) else None,
        choices=choices(),
        categories=categories(),
        evidence_types=evidence_types(),
        new_claim={"claim": _free_id(desk, table)},
    )


def _source(desk: DeskOf, table: Table, here: PooledSource) -> SourceView:
    label = table.desk.labels.get((here.prompt, here.page_hash))
    return source_view(here, label, Reading(*source_text(desk.bench, here)))


def _undo(graded: Desk) -> UndoView | None:
    last = graded.last
    if last is None:
        return None
    return UndoView(last.prompt, last.page_hash, last.id, grade_word(last.grade))


def _free_id(desk: DeskOf, table: Table) -> str:
    """The first of c1, c2 ... that no claim has or had."""
    known = _known_claims(desk, table)
    return next(name for n in range(1, len(known) + 2) if (name := f"c{n}") not in known)


SCREENS = (Screen(_PAGE, load_grading, GradingScreen, _TEMPLATE, role=Role.ANNOTATOR),)


async def form_of(request: Request) -> FormData:
    """The form that a request carries."""
    return await request.form()


FormOf = Annotated[FormData, Depends(form_of)]


def fields_of(form: FormData) -> dict[str, str]:
    """Field -> its text; the last one counts where a name comes twice, and files are none."""
    return {name: one for name, one in form.multi_items() if isinstance(one, str)}


@act(ROUTER, f"{_PAGE}/grade", role=Role.ANNOTATOR, include_in_schema=False)
def grade_source(request: Request, desk: DeskOf, table: TableOf, form: FormOf) -> Response:
    """Keep a grade, and go on to the next source without one."""
    fields = fields_of(form)
    here = _posted_source(table, fields.get("page", ""))
    supports = [one for one in form.getlist("supports") if isinstance(one, str)]
    claims = [one.claim for one in live_claims(desk.bench, table.draft, table.prompt.id)]
    typed = typed_grade(fields, supports, claims)
    if typed.grade is None:
        refused = _refused(request, table, here, fields)
        return refused(typed.details, typed.problems, 422)
    graded = Graded(
        table.prompt.id,
        here.page_hash,
        typed.grade,
        typed.details,
        seconds_of(fields),
        number_of(fields, "seen"),
    )
    kept = keep_grade(desk.bench, table.desk, graded)
    if isinstance(kept, SourceLabel):
        refused = _refused(request, table, here, fields | {"seen": str(kept.id)})
        said = grade_word(kept.grade)
        return refused(typed.details, (_meanwhile(said),), 409)
    return _go_on(desk, table, here)


def _meanwhile(said: str) -> str:
    what = "took your grade back" if said == "open" else f"graded this source as {said}"
    return (
        f"in another window you {what} meanwhile, so nothing was stored; what you typed here is "
        "below as it was, and grading it again replaces that"
    )


def _go_on(desk: DeskOf, table: Table, here: PooledSource) -> Response:
    """The next open source of any prompt; the overview of the draft once all are graded."""
    fresh = desk_of_annotator(desk.bench, table.draft, table.desk.annotator)
    following = fresh.next_open(here)
    if following is None:
        return RedirectResponse(f"/baselines/drafts/{table.draft.id}?done=1", 303)
    where = grading_address(table.draft.id, following.prompt, source=following.position)
    return RedirectResponse(where, 303)


@act(ROUTER, f"{_PAGE}/undo", role=Role.ANNOTATOR, include_in_schema=False)
def undo_grade(desk: DeskOf, table: TableOf, form: FormOf) -> Response:
    """Take an own grade back by a further act, and show its source again."""
    fields = fields_of(form)
    here = _posted_source(table, fields.get("page", ""))
    back = Graded(
        table.prompt.id,
        here.page_hash,
        None,
        SourceDetails(note="taken back"),
        None,
        number_of(fields, "seen"),
    )
    keep_grade(desk.bench, table.desk, back)
    return RedirectResponse(table.address(here), 303)


def _posted_source(table: Table, page: str) -> PooledSource:
    found = next((one for one in table.desk.of(table.prompt.id) if one.page_hash == page), None)
    if found is None:
        raise not_found(
            f"no source {page[:64]!r} of this prompt is yours to grade; load {table.address()} anew"
        )
    return found


def _refused(
    request: Request, table: Table, here: PooledSource, fields: Mapping[str, str]
) -> _Answer:
    """Answers with the page as it was, what was typed still in its form."""

    def answer(details: SourceDetails, problems: tuple[str, ...], status: int) -> Response:
        screen = _screen(desk_of(request), table, here)
        assert screen.source is not None
        seen = number_of(fields, "seen")
        kept = {**details_fields(details), **fields}
        source = replace(screen.source, seen=seen, fields=kept, supports=details.supports)
        return show(request, table, replace(screen, source=source, problems=problems), status)

    return answer


def show(request: Request, table: Table, screen: GradingScreen, status: int) -> Response:
    """The page of a prompt after a form was refused."""
    twin = API + table.address()
    page = render(request, _TEMPLATE, screen=screen, twin=twin, csv="")
    page.status_code = status
    return page


@act(ROUTER, f"{_PAGE}/claims", role=Role.ANNOTATOR, include_in_schema=False)
def write_claim(request: Request, desk: DeskOf, table: TableOf, form: FormOf) -> Response:
    """Keep a claim, or remove it; who saved it since the form was shown is told instead."""
    fields = fields_of(form)
    typed = typed_claim(fields)
    removes = fields.get("act") == "remove"
    here = _here(table, fields)
    if removes and typed.claim not in _known_claims(desk, table):
        raise not_found(f"no claim {typed.claim[:64]!r} in this prompt; nothing was removed")
    if typed.words is None and not removes:
        return _claim_refused(request, table, here, (fields, typed.problems, None, 422))
    edit = ClaimEdit(
        table.draft.id,
        table.prompt.id,
        typed.claim,
        None if removes else typed.words,
        table.desk.annotator,
        number_of(fields, "row"),
    )
    at = desk.bench.clock.now()
    kept = desk.bench.write(lambda c: drafts.save_claim(c, edit, at=at))
    if isinstance(kept, int):
        return RedirectResponse(f"{table.address(here)}#claims", 303)
    said = (
        f"{kept.annotator} {'saved' if kept.words else 'removed'} claim {kept.claim} meanwhile, so "
        "nothing was stored; both are below, and saving yours now replaces theirs"
    )
    fields["row"] = str(kept.id)
    return _claim_refused(request, table, here, (fields, (said,), claim_view(kept), 409))


def _known_claims(desk: DeskOf, table: Table) -> set[str]:
    written = desk.bench.read(lambda c: drafts.load_claims(c, table.draft.id, table.prompt.id))
    return {one.claim for one in written}


def _here(table: Table, fields: Mapping[str, str]) -> PooledSource | None:
    mine = table.desk.of(table.prompt.id)
    return next((one for one in mine if one.page_hash == fields.get("page")), None)


def _claim_refused(
    request: Request,
    table: Table,
    here: PooledSource | None,
    said: tuple[dict[str, str], tuple[str, ...], ClaimView | None, int],
) -> Response:
    """The page with what was typed of a claim, and the other text where there is one."""
    fields, problems, other, status = said
    screen = _screen(desk_of(request), table, here)
    claims = screen.claims
    if any(one.claim == fields.get("claim", "").strip() for one in claims):
        claims = tuple(
            replace(one, row=number_of(fields, "row") or 0, fields=fields)
            if one.claim == fields.get("claim", "").strip()
            else one
            for one in claims
        )
        fresh = screen.new_claim
    else:
        fresh = fields
    told = replace(screen, claims=claims, new_claim=fresh, problems=problems, other=other)
    return show(request, table, told, status)


def number_of(fields: Mapping[str, str], name: str) -> int | None:
    """The id that a form names; None for none, or for what is no id."""
    written = fields.get(name, "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 19 else None


def seconds_of(fields: Mapping[str, str]) -> float | None:
    """Seconds that a form was looked at; None where no script counted them."""
    try:
        found = float(fields.get("seconds", ""))
    except ValueError:
        return None
    return found if isfinite(found) and 0 <= found <= _LONGEST_SECONDS else None
