"""One answer in profile `monitor`: statements, their numbered sources and the product's measures.

Verdicts come in three rounds, each only where the one before calls for it, as in a run: all cited
texts together, each alone where they suffice together, the others without one that does not.
"""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from monitor.claims import pointers, statements
from monitor.domain.assessment import (
    AssessedCapture,
    AssessedClaim,
    AssessedStatement,
    CitedPage,
    PartialPolicy,
    Profile,
)
from monitor.domain.claim import Claim, Question, Statement, Support, Verdict
from monitor.domain.engine import Citation, Outcome, Reading, Retrieval, Role, Span, SpanKind
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Prompt
from monitor.domain.score import Rate
from monitor.pipeline.evaluation.asking import Asking, ask
from monitor.pipeline.evaluation.records import Record
from monitor.pipeline.evaluation.snippets import kind_of
from monitor.pipeline.evaluation.verdict_json import verdict_json
from monitor.scoring.citations import citation_precision, citation_recall
from monitor.scoring.claims import (
    claim_citation_precision,
    contradiction_rate,
    uncited_claims,
    uncited_needing,
)
from monitor.scoring.credit import joint_verdict

Verdicts = dict[Question, Verdict]


def reading_of(record: Record) -> Reading:
    """The answer with its numbered sources as citations, marked where its text points at them."""
    spans: dict[int, list[Span]] = {}
    by_url = {s.url: i for i, s in reversed(list(enumerate(record.sources))) if s.url}
    for one in pointers(record.answer):
        named = [number - 1 for number in one.numbers if 1 <= number <= len(record.sources)]
        linked = [by_url[url] for url in one.urls if url in by_url]
        for index in dict.fromkeys(linked or named):
            spans.setdefault(index, []).append(Span(one.start, one.end, SpanKind.MARKER))
    citations = tuple(
        Citation(
            url=one.url if one.url and by_url[one.url] == index else f"#{index + 1}",
            title=one.title,
            role=Role.DISPLAYED if index in spans else Role.LISTED,
            marks=len(spans.get(index, ())),
            spans=tuple(spans.get(index, ())),
        )
        for index, one in enumerate(record.sources)
    )
    return Reading(Outcome.ANSWERED, text=record.answer, citations=citations)


def statements_of(record: Record) -> tuple[Statement, ...]:
    """Statements of an answer; a bare claim is one that all its passages stand behind."""
    if not record.answer.strip():
        return ()
    if not record.bare:
        return statements(reading_of(record))
    text = record.answer.strip()
    claim = Claim(0, 0, text, 0, len(text))
    cited = tuple(range(len(record.sources)))
    return (Statement(0, text, 0, len(text), kind_of(text)[0], cited, claims=(claim,)),)


def assessed(record: Record, split: tuple[Statement, ...]) -> Asking[AssessedCapture]:
    """The answer with all the verdicts that its measures need."""
    pages = _pages(record, split)
    asked = _Texts(record, pages)
    known: Verdicts = {}
    counted = [one for one in split if one.counted and one.citations]
    known |= yield from ask(q for one in counted for q in asked.first(one))
    several = [one for one in counted if len(one.citations) > 1]
    enough = [one for one in several if asked.joint(known, one).support is Support.FULL]
    known |= yield from ask(
        q for one in enough for index in one.citations for q in asked.of(one.text, (index,))
    )
    known |= yield from ask(
        q
        for one in enough
        for index in one.citations
        if asked.verdict(known, one.text, (index,)).support is not Support.FULL
        for q in asked.of(one.text, _without(one.citations, index))
    )
    return _capture(record, pages, tuple(_statement(asked, known, one) for one in split))


class _Texts:
    """Questions about the sources of one answer, and the verdicts on them."""

    def __init__(self, record: Record, pages: tuple[CitedPage, ...]) -> None:
        self._sources = record.sources
        self._pages = pages

    def of(self, claim: str, indexes: Iterable[int]) -> tuple[Question, ...]:
        """The question about readable sources read together; none where none can be read."""
        texts = tuple(self._sources[i].text for i in indexes if self._pages[i].readable)
        return (Question(claim, texts),) if texts else ()

    def first(self, one: Statement) -> Iterable[Question]:
        """The first round: the statement and each of its claims."""
        for text in (one.text, *(claim.text for claim in one.claims)):
            yield from self.of(text, one.citations)

    def verdict(self, known: Verdicts, claim: str, indexes: tuple[int, ...]) -> Verdict:
        """Verdict over sources read together, some of which may have no text."""
        asked = self.of(claim, indexes)
        joint = known.get(asked[0]) if asked else None
        return joint_verdict(joint, [self._pages[i] for i in indexes])

    def joint(self, known: Verdicts, one: Statement) -> Verdict:
        """Verdict of a statement and all it cites."""
        return self.verdict(known, one.text, one.citations)


def _without(indexes: tuple[int, ...], index: int) -> tuple[int, ...]:
    return tuple(one for one in indexes if one != index)


def _pages(record: Record, split: tuple[Statement, ...]) -> tuple[CitedPage, ...]:
    """One page a source; sources that only could be cited are no sign of listing without marks."""
    cited = {index for one in split for index in one.citations}
    return tuple(
        CitedPage(
            page_key=one.url or f"#{index + 1}",
            clean_url=one.url,
            family="",
            unit=None,
            role=Role.DISPLAYED if index in cited else Role.LISTED,
            marks=int(index in cited),
            citations=(index,),
            has_span=index in cited or not record.shown,
            group=f"#{index + 1}",
            fetch_status=FetchStatus.OK if one.text.strip() else FetchStatus.NO_TEXT,
        )
        for index, one in enumerate(record.sources)
    )


def _statement(asked: _Texts, known: Verdicts, one: Statement) -> AssessedStatement:
    """A statement with the verdicts of its conditions."""
    if not one.citations or not one.counted:
        return AssessedStatement(
            one, one.citations, tuple(AssessedClaim(claim, None) for claim in one.claims)
        )
    joint = asked.joint(known, one)
    alone: dict[int, Verdict] = {}
    rest: dict[int, Verdict] = {}
    if len(one.citations) > 1 and joint.support is Support.FULL:
        alone = {i: asked.verdict(known, one.text, (i,)) for i in one.citations}
        rest = {
            i: asked.verdict(known, one.text, _without(one.citations, i))
            for i in one.citations
            if alone[i].support is not Support.FULL
        }
    claims = tuple(
        AssessedClaim(claim, asked.verdict(known, claim.text, one.citations))
        for claim in one.claims
    )
    return AssessedStatement(
        one, one.citations, claims, joint, MappingProxyType(alone), MappingProxyType(rest)
    )


def _capture(
    record: Record, pages: tuple[CitedPage, ...], split: tuple[AssessedStatement, ...]
) -> AssessedCapture:
    return AssessedCapture(
        capture_id=record.number,
        prompt=Prompt(str(record.number), record.question, ""),
        engine="",
        repeat=1,
        outcome=Outcome.ANSWERED,
        reason=None,
        retrieval=Retrieval.UNKNOWN,
        shows_citations=True,
        exposes_retrieved=False,
        pages=pages,
        statements=split,
    )


def monitor_rates(capture: AssessedCapture) -> dict[str, Rate]:
    """Counts of one answer; totals pool them."""
    return {
        "citation_recall": citation_recall(capture, Profile.MONITOR),
        "citation_precision": citation_precision(capture, Profile.MONITOR),
        "claim_citation_precision": claim_citation_precision(capture, PartialPolicy.HALF),
        "contradiction_rate": contradiction_rate(capture),
        "uncited_claims": uncited_claims(capture),
        "uncited_needing": uncited_needing(capture),
    }


def assessed_json(capture: AssessedCapture) -> list[dict[str, Any]]:
    """Statements with their verdicts; sources are numbered from 1."""
    return [
        {
            "text": one.statement.text,
            "kind": one.statement.kind.value,
            "counted": one.statement.counted,
            "citations": [index + 1 for index in one.pages],
            "unmapped": one.statement.unmapped,
            "together": None if one.joint is None else verdict_json(one.joint),
            "alone": {str(i + 1): verdict_json(v) for i, v in one.alone.items()},
            "rest": {str(i + 1): verdict_json(v) for i, v in one.rest.items()},
            "claims": [
                {
                    "text": claim.claim.text,
                    "verdict": None if claim.joint is None else verdict_json(claim.joint),
                }
                for claim in one.claims
            ],
        }
        for one in capture.statements
    ]


def judged(capture: AssessedCapture) -> Iterable[Verdict]:
    """Every verdict of an answer."""
    for one in capture.statements:
        joint = () if one.joint is None else (one.joint,)
        claims = (claim.joint for claim in one.claims if claim.joint is not None)
        yield from (*joint, *claims, *one.alone.values(), *one.rest.values())
