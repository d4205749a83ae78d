"""What one cited page is worth for an answer: passages, support alone and with others, its text."""

from collections.abc import Iterator
from dataclasses import dataclass

from monitor.domain.assessment import AssessedStatement
from monitor.domain.claim import Support, Verdict
from monitor.pipeline.one_answer import OneAnswer
from monitor.pipeline.quoting import page_quote
from monitor.pipeline.statement_views import EXCERPT
from monitor.report.answer_view import CitingView
from monitor.report.view import QuoteView

_SHOWN = 100
"""Statements of one page whose passages are cut out."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A quote in the text of a page."""

    start: int
    end: int
    statement: int
    """Index of the statement it stands behind."""


def citing_views(one: OneAnswer, number: int) -> tuple[CitingView, ...]:
    """Every statement that cites a page, by the number of its chip."""
    index = number - 1
    places = [n for n, s in enumerate(one.assessed.statements) if index in s.pages]
    return tuple(_citing(one, place, index, cut=n < _SHOWN) for n, place in enumerate(places))


def _citing(one: OneAnswer, place: int, index: int, *, cut: bool) -> CitingView:
    statement = one.assessed.statements[place]
    alone, rest = statement.alone.get(index), statement.rest.get(index)
    told = alone or statement.joint
    return CitingView(
        statement=place,
        text=statement.statement.text,
        together=_support(statement.joint),
        alone=_support(alone),
        without=_support(rest),
        quote=_quote(one, statement, index) if cut else None,
        gaps=told.gaps if told else (),
        reasons=told.reasons if told else (),
    )


def _support(verdict: Verdict | None) -> Support | None:
    return verdict.support if verdict else None


def _quote(one: OneAnswer, statement: AssessedStatement, index: int) -> QuoteView | None:
    """Passage of this page: of all pages together, else of this one by itself."""
    for verdict, pages in (
        (statement.joint, statement.pages),
        (statement.alone.get(index), (index,)),
    ):
        if verdict is None:
            continue
        found = page_quote(verdict, pages, one.assessed, one.pages, around=EXCERPT)
        if found is not None and found.page == index + 1:
            return found
    return None


def marks_in(one: OneAnswer, number: int) -> tuple[Mark, ...]:
    """Every quote of a page that a verdict of the answer rests on, in the order of the text."""
    found = {mark for mark in _marks(one, number - 1) if mark.start < mark.end}
    return tuple(sorted(found, key=lambda mark: (mark.start, mark.end, mark.statement)))


def _marks(one: OneAnswer, index: int) -> Iterator[Mark]:
    for place, statement in enumerate(one.assessed.statements):
        for verdict, pages in _verdicts(statement, index):
            readable = [i for i in pages if one.assessed.pages[i].readable]
            span, quoted = verdict.quote_span, verdict.evidence
            if span is None or quoted is None or quoted >= len(readable):
                continue
            if readable[quoted] == index:
                yield Mark(*span, place)


def _verdicts(
    statement: AssessedStatement, index: int
) -> Iterator[tuple[Verdict, tuple[int, ...]]]:
    """Verdicts of a statement that read a page, each with the pages that it read."""
    if index not in statement.pages:
        return
    if statement.joint is not None:
        yield statement.joint, statement.pages
    if index in statement.alone:
        yield statement.alone[index], (index,)
