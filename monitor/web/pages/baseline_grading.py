"""Grading the sources of a draft, one at a time and blind, and writing its claims together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.baseline.typed import typed_claim, typed_grade
from monitor.domain.access import Role
from monitor.domain.drafted import PooledSource, SourceDetails, SourceLabel
from monitor.domain.panel import Prompt
from monitor.pipeline.grading_desk import (
    Graded,
    OwnSources,
    keep_grade,
    live_claims,
    own_sources,
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
from monitor.web.pages.forms import FormOf, fields_of, number_of, seconds_of
from monitor.web.problems import not_found
from monitor.web.rendering import render
from monitor.web.screens import Screen

ROUTER = APIRouter()

DraftId = Annotated[int, Path(ge=1, le=2**53, description="Number of a draft of a baseline.")]
PromptId = Annotated[str, Path(max_length=200, description="Id of a prompt.")]
_TEMPLATE = "grading.html.j2"
_PAGE = "/baselines/drafts/{draft}/prompts/{prompt}"


@dataclass(frozen=True, slots=True)
class AskedPrompt:
    """One prompt of a draft as an annotator has it to grade."""

    work: OwnSources
    prompt: Prompt

    @property
    def draft(self) -> Draft:
        """The draft that is graded."""
        return self.work.draft

    def address(self, source: PooledSource | None = None) -> str:
        """Page of this prompt, at one source of it."""
        number = source.position if source else None
        return grading_address(self.draft.id, self.prompt.id, source=number)


@dataclass(frozen=True, slots=True)
class Refused:
    """A form of which nothing was stored: what was typed, and why not."""

    fields: dict[str, str]
    problems: tuple[str, ...]
    code: int

    def page(self, request: Request, screen: GradingScreen) -> Response:
        """The page with the form in it as it was typed."""
        told = replace(screen, problems=self.problems)
        return render(request, _TEMPLATE, code=self.code, screen=told)


def draft_named(desk: DeskOf, draft: DraftId) -> Draft:
    """The draft of a number."""
    found = desk.bench.read(lambda c: drafts.load_draft(c, draft))
    if found is None:
        raise not_found(f"no draft {draft}; the list of drafts is under /baselines")
    return found


DraftOf = Annotated[Draft, Depends(draft_named)]


def asked_prompt(
    desk: DeskOf, draft: DraftOf, prompt: PromptId, annotator: AnnotatorOf
) -> AskedPrompt:
    """The prompt of a draft that an address names, as its annotator sees it."""
    found = draft.plan.panel.prompt(prompt)
    if found is None:
        raise not_found(
            f"no prompt {prompt!r} in this draft; its prompts are under "
            f"/baselines/drafts/{draft.id}"
        )
    return AskedPrompt(own_sources(desk.bench, draft, annotator), found)


AskedOf = Annotated[AskedPrompt, Depends(asked_prompt)]
_Source = Annotated[
    int | None,
    Query(ge=1, le=2**31, description="Position of a source; without it, the first open one."),
]


def load_grading(desk: DeskOf, asked: AskedOf, source: _Source = None) -> GradingScreen:
    """A prompt of a draft with the sources that the visitor grades, without any engine's name."""
    mine = asked.work.of(asked.prompt.id)
    if source is not None:
        here = next((one for one in mine if one.position == source), None)
        if here is None:
            raise not_found(f"no source {source} of this prompt is yours; {asked.address()} is")
    else:
        here = next((one for one in mine if not asked.work.is_done(one)), next(iter(mine), None))
    return _screen(desk, asked, here)


def _screen(desk: DeskOf, asked: AskedPrompt, here: PooledSource | None) -> GradingScreen:
    draft, prompt, graded = asked.draft, asked.prompt, asked.work
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
        source=_source(desk, asked, here) if here else None,
        undo=_undo(graded),
        earlier=grading_address(draft.id, ids[place - 1]) if place else None,
        later=grading_address(draft.id, ids[place + 1]) if place + 1 < len(ids) else None,
        choices=choices(),
        categories=categories(),
        evidence_types=evidence_types(),
        new_claim={"claim": _free_id(desk, asked)},
    )


def _source(desk: DeskOf, asked: AskedPrompt, here: PooledSource) -> SourceView:
    label = asked.work.labels.get((here.prompt, here.page_hash))
    return source_view(here, label, Reading(*source_text(desk.bench, here)))


def _undo(graded: OwnSources) -> UndoView | None:
    last = graded.last
    if last is None:
        return None
    return UndoView(last.prompt, last.page_hash, last.id, grade_word(last.grade))


def _free_id(desk: DeskOf, asked: AskedPrompt) -> str:
    """The first of c1, c2 ... that no claim has or had."""
    known = _known_claims(desk, asked)
    return next(name for n in range(1, len(known) + 2) if (name := f"c{n}") not in known)


SCREENS = (Screen(_PAGE, load_grading, GradingScreen, _TEMPLATE, role=Role.ANNOTATOR),)


@act(ROUTER, f"{_PAGE}/grade", role=Role.ANNOTATOR, form_on=_PAGE, include_in_schema=False)
def grade_source(request: Request, desk: DeskOf, asked: AskedOf, form: FormOf) -> Response:
    """Keep a grade, and go on to the next source without one."""
    fields = fields_of(form)
    here = _posted_source(asked, fields.get("page", ""))
    supports = [one for one in form.getlist("supports") if isinstance(one, str)]
    claims = [one.claim for one in live_claims(desk.bench, asked.draft, asked.prompt.id)]
    typed = typed_grade(fields, supports, claims)
    if typed.grade is None:
        refused = Refused(fields, typed.problems, 422)
        return _refused_grade(request, asked, here, refused, details=typed.details)
    graded = Graded(
        asked.prompt.id,
        here.page_hash,
        typed.grade,
        typed.details,
        seconds_of(fields.get("seconds", "")),
        number_of(fields, "seen"),
    )
    kept = keep_grade(desk.bench, asked.work, graded)
    if isinstance(kept, SourceLabel):
        said = _meanwhile(grade_word(kept.grade))
        refused = Refused(fields | {"seen": str(kept.id)}, (said,), 409)
        return _refused_grade(request, asked, here, refused, details=typed.details)
    return _go_on(desk, asked, here)


def _meanwhile(said: str) -> str:
    what = "took your grade back" if said == "open" else f"graded this source as {said}"
    return (
        f"in another window you {what} meanwhile, so nothing was stored; what you typed here is "
        "below as it was, and grading it again replaces that"
    )


def _go_on(desk: DeskOf, asked: AskedPrompt, here: PooledSource) -> Response:
    """The next open source of any prompt; the overview of the draft once all are graded."""
    fresh = own_sources(desk.bench, asked.draft, asked.work.annotator)
    following = fresh.next_open(here)
    if following is None:
        return RedirectResponse(f"/baselines/drafts/{asked.draft.id}?done=1", 303)
    where = grading_address(asked.draft.id, following.prompt, source=following.position)
    return RedirectResponse(where, 303)


@act(ROUTER, f"{_PAGE}/undo", role=Role.ANNOTATOR, form_on=_PAGE, include_in_schema=False)
def undo_grade(desk: DeskOf, asked: AskedOf, form: FormOf) -> Response:
    """Take an own grade back by a further act, and show its source again."""
    fields = fields_of(form)
    here = _posted_source(asked, fields.get("page", ""))
    newest = asked.work.labels.get((here.prompt, here.page_hash))
    # What was typed beside the grade stays for the next one.
    details = newest.details if newest else SourceDetails()
    back = Graded(asked.prompt.id, here.page_hash, None, details, None, number_of(fields, "seen"))
    keep_grade(desk.bench, asked.work, back)
    return RedirectResponse(asked.address(here), 303)


def _posted_source(asked: AskedPrompt, page: str) -> PooledSource:
    found = next((one for one in asked.work.of(asked.prompt.id) if one.page_hash == page), None)
    if found is None:
        raise not_found(
            f"no source {page[:64]!r} of this prompt is yours to grade; load {asked.address()} anew"
        )
    return found


def _refused_grade(
    request: Request,
    asked: AskedPrompt,
    here: PooledSource,
    refused: Refused,
    *,
    details: SourceDetails,
) -> Response:
    """The page of the source, with what was typed of it."""
    screen = _screen(desk_of(request), asked, here)
    assert screen.source is not None
    source = replace(
        screen.source,
        seen=number_of(refused.fields, "seen"),
        fields={**details_fields(details), **refused.fields},
        supports=details.supports,
    )
    return refused.page(request, replace(screen, source=source))


@act(ROUTER, f"{_PAGE}/claims", role=Role.ANNOTATOR, form_on=_PAGE, include_in_schema=False)
def write_claim(request: Request, desk: DeskOf, asked: AskedOf, form: FormOf) -> Response:
    """Keep a claim, or remove it; who saved it since the form was shown is told instead."""
    fields = fields_of(form)
    typed = typed_claim(fields)
    removes = fields.get("act") == "remove"
    here = _here(asked, fields)
    if removes and typed.claim not in _known_claims(desk, asked):
        raise not_found(f"no claim {typed.claim[:64]!r} in this prompt; nothing was removed")
    if typed.words is None and not removes:
        return _refused_claim(request, asked, here, Refused(fields, typed.problems, 422))
    edit = ClaimEdit(
        asked.draft.id,
        asked.prompt.id,
        typed.claim,
        None if removes else typed.words,
        asked.work.annotator,
        number_of(fields, "row"),
    )
    at = desk.bench.clock.now()
    kept = desk.bench.write(lambda c: drafts.save_claim(c, edit, at=at))
    if isinstance(kept, int):
        return RedirectResponse(f"{asked.address(here)}#claims", 303)
    said = (
        f"{kept.annotator} {'saved' if kept.words else 'removed'} claim {kept.claim} meanwhile, so "
        "nothing was stored; both are below, and saving yours now replaces theirs"
    )
    refused = Refused(fields | {"row": str(kept.id)}, (said,), 409)
    return _refused_claim(request, asked, here, refused, other=claim_view(kept))


def _known_claims(desk: DeskOf, asked: AskedPrompt) -> set[str]:
    written = desk.bench.read(lambda c: drafts.load_claims(c, asked.draft.id, asked.prompt.id))
    return {one.claim for one in written}


def _here(asked: AskedPrompt, fields: Mapping[str, str]) -> PooledSource | None:
    mine = asked.work.of(asked.prompt.id)
    return next((one for one in mine if one.page_hash == fields.get("page")), None)


def _refused_claim(
    request: Request,
    asked: AskedPrompt,
    here: PooledSource | None,
    refused: Refused,
    *,
    other: ClaimView | None = None,
) -> Response:
    """The page with what was typed of a claim, and the other text where there is one."""
    fields = refused.fields
    screen = replace(_screen(desk_of(request), asked, here), other=other)
    typed = fields.get("claim", "").strip()
    if all(one.claim != typed for one in screen.claims):
        return refused.page(request, replace(screen, new_claim=fields))
    row = number_of(fields, "row") or 0
    claims = tuple(
        replace(one, row=row, fields=fields, annotator=asked.work.annotator)
        if one.claim == typed
        else one
        for one in screen.claims
    )
    return refused.page(request, replace(screen, claims=claims))
