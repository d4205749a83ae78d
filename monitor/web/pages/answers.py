"""One answer: as a reader saw it, its statements by support, and the proof of each."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from monitor.pipeline.one_answer import OneAnswer, load_held, one_answer
from monitor.pipeline.source_proofs import citing_views
from monitor.report.screens.answer import AnswerScreen, answer_screen, answer_table
from monitor.report.screens.answer_shown import Chosen
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk, desk_of
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.seeing import note_seen
from monitor.web.problems import not_found
from monitor.web.screens import Screen

_MOST = 2**63 - 1
"""Largest id that a store can hold."""

CaptureId = Annotated[int, Path(ge=1, le=_MOST, description="Id of a capture.")]
_Source = Annotated[int | None, Query(ge=1, le=_MOST, description="Number of a cited page.")]
_Statement = Annotated[int | None, Query(ge=1, le=_MOST, description="Number of a statement.")]


def answer_named(desk: Desk, capture: int) -> OneAnswer:
    """The answer of an id; 404 says what is stored of it instead."""
    found = one_answer(desk.answers, capture)
    if found is not None:
        return found
    held = load_held(desk.answers, capture)
    if held is None:
        raise not_found(f"no capture {capture}; a run's captures are under its page, runs under /")
    run, one = held
    raise not_found(
        f"capture {capture} of {run.public_id} ({one.engine}, {one.prompt.id}) is {one.state.value}"
        ": nothing came back yet, or nobody read it; `monitor status` tells how far its run is"
    )


def answer_of(request: Request, capture: CaptureId) -> OneAnswer:
    """The answer that a path names."""
    return answer_named(desk_of(request), capture)


AnswerOf = Annotated[OneAnswer, Depends(answer_of)]


def source_of(one: OneAnswer, number: int) -> int:
    """The number of a cited page; 404 where the answer cites fewer."""
    cited = len(one.view.view.pages)
    if number > cited:
        raise not_found(f"capture {one.capture.id} cites {cited} pages; {number} is none of them")
    return number


def chosen_of(one: AnswerOf, source: _Source = None, statement: _Statement = None) -> Chosen:
    """What of an answer the query names; 404 where it has less."""
    said = len(one.view.view.statements)
    if statement is not None and statement > said:
        raise not_found(
            f"capture {one.capture.id} has {said} statements; {statement} is none of them"
        )
    if source is not None:
        source_of(one, source)
    return Chosen(source, statement).within(one.view)


ChosenOf = Annotated[Chosen, Depends(chosen_of)]


def load_answer(desk: DeskOf, one: AnswerOf, chosen: ChosenOf, who: VisitorOf) -> AnswerScreen:
    """One answer with its proof."""
    note_seen(desk, one.capture.id, who)
    citing = citing_views(one, chosen.source) if chosen.source else ()
    return answer_screen(one.view, chosen, citing)


def looks_at(desk: DeskOf, capture: CaptureId, who: VisitorOf) -> None:
    """Remember who opens a part of an answer, as if they had opened its page."""
    note_seen(desk, capture, who)


SCREENS = (
    Screen("/captures/{capture}", load_answer, AnswerScreen, "answer.html.j2", table=answer_table),
)
