"""A turn of a Google page: its question, its answer as a reading, and how complete both are."""

from collections.abc import Iterator, Sequence

from lxml import etree
from lxml.html import HtmlElement

from monitor.domain.engine import VISIBLE, Outcome, Reading, Retrieval
from monitor.domain.turn import Completeness, Turn
from monitor.engines.surfaces.google_answer import Body, read_body
from monitor.engines.surfaces.google_page import GooglePage, language_of, question_of

LEAST_COVERAGE = 0.95
"""Part of the visible characters below which an answer may have lost some of its text."""


def read_turn(
    page: GooglePage,
    scope: HtmlElement,
    bodies: Sequence[HtmlElement],
    *,
    finished: bool,
    index: int = 0,
) -> Turn:
    """A turn with an answer; one whose end is not in the page is truncated."""
    prompt = _asked_in(page, scope) or (question_of(page) if index == 0 else None)
    body = read_body(page, scope, bodies)
    layout = page.layout(
        in_document=body.in_document,
        shown=body.shown,
        coverage=body.coverage,
        also=body.disagreement,
    )
    language = language_of(page)
    return Turn(
        index=index,
        id=None,
        prompt=prompt,
        reading=_reading(body, (*_warnings(page, body), *layout.disagreements), finished=finished),
        completeness=Completeness(
            hidden_citations=body.hidden,
            offsets_exact=body.offsets_exact,
            model_known=False,
            locale_known=language is not None,
            retrieved_known=False,
        ),
        layout=layout,
        language=language,
    )


def ended_turn(page: GooglePage, reading: Reading) -> Turn:
    """A turn without an answer: a wall, a refusal, an absence."""
    language = language_of(page)
    return Turn(
        index=0,
        id=None,
        prompt=question_of(page),
        reading=reading,
        completeness=Completeness(
            hidden_citations=0,
            offsets_exact=False,
            model_known=False,
            locale_known=language is not None,
            retrieved_known=False,
        ),
        layout=page.layout(in_document=0, shown=0, coverage=None),
        language=language,
    )


def _reading(body: Body, warnings: tuple[str, ...], *, finished: bool) -> Reading:
    if not body.text.strip():
        empty = "the place of the answer has no visible words"
        return Reading(Outcome.LAYOUT_UNKNOWN, warnings=(empty, *warnings))
    unfinished = () if finished else ("the mark of a finished answer is missing",)
    sources = any(one.role in VISIBLE for one in body.citations)
    return Reading(
        Outcome.ANSWERED if finished else Outcome.TRUNCATED,
        text=body.text,
        citations=body.citations,
        retrieval=Retrieval.USED if sources else Retrieval.UNKNOWN,
        warnings=(*unfinished, *warnings),
        hidden_citations=body.hidden,
    )


def _warnings(page: GooglePage, body: Body) -> Iterator[str]:
    """What a reader of the numbers should know, in words."""
    if (unseen := body.in_document - body.shown) > 0:
        yield f"{unseen} citation(s) in the document are not shown and not counted"
    if body.hidden is None:
        yield "citations are shown whose sources the page does not hold"
    elif body.hidden:
        yield f"{body.hidden} source(s) behind labels are not in the page"
    if page.payload.unread:
        yield f"{page.payload.unread} comment(s) with sources could not be read"
    if body.coverage is not None and body.coverage < LEAST_COVERAGE:
        yield f"{body.coverage:.0%} of the visible text is in the answer"


def _asked_in(page: GooglePage, scope: HtmlElement) -> str | None:
    """The question as a turn repeats it, without its label."""
    labels = page.members.get("question_label", frozenset())
    for one in page.inside(scope, "question"):
        parts = (
            part
            for inner in one.iter(etree.Element)
            for part in (inner.text if inner not in labels else None, _tail(inner, one))
        )
        words = " ".join("".join(part or "" for part in parts).split())
        if words:
            return words
    return None


def _tail(inner: HtmlElement, outer: HtmlElement) -> str | None:
    return None if inner is outer else inner.tail
