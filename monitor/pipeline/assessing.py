"""Stored evidence -> assessed captures: pages, statements and the verdicts they need.

Verdicts come in three rounds, each only where the one before calls for it: all cited pages
together, each page alone where they suffice together, and the others without a page that does not
suffice alone (Gao et al., 2023). The support matrix, where the settings want it, asks for the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType

from monitor.claims import answer_format
from monitor.domain.assessment import AssessedCapture, AssessedClaim, AssessedStatement, CitedPage
from monitor.domain.baseline import Baseline, PromptBaseline
from monitor.domain.claim import Claim, Judge, Statement, Support, Verdict
from monitor.domain.engine import Access, Engine, Outcome, Reading, Role
from monitor.domain.locale import LocaleState
from monitor.domain.page import FetchStatus
from monitor.engines import ENGINES
from monitor.pipeline.bench import Bench
from monitor.pipeline.book import Book, Evidence
from monitor.pipeline.cited import cited_pages, visible_pages
from monitor.pipeline.counting import mapped
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.run_pages import RunPages, load_pages
from monitor.pipeline.splitting import Splits
from monitor.pipeline.verdicts import VerdictBook
from monitor.scoring.credit import joint_verdict
from monitor.store import captures, citations, runs
from monitor.store.parts import WHOLE, Part, one_capture

Held = tuple[captures.Capture, citations.StoredReading]
"""A capture and the reading of it that counts."""


@dataclass(slots=True)
class Draft:
    """A capture on its way through the rounds."""

    capture: captures.Capture
    stored: citations.StoredReading
    pages: tuple[CitedPage, ...]
    retrieved: tuple[CitedPage, ...]
    statements: tuple[Statement, ...]
    evidence: tuple[Evidence | None, ...]
    """Text of each page, None where unreadable."""
    baseline: PromptBaseline | None
    answer: Evidence | None


def assess_run(
    bench: Bench,
    run: runs.Run,
    book: Book,
    baseline: Baseline | None,
    *,
    splits: Splits,
    part: Part = WHOLE,
) -> tuple[AssessedCapture, ...]:
    """Every stored capture of a run, or of a part of it, assessed by the judge of a book."""
    pages = load_pages(bench, run)
    drafts, others = _drafts(bench, run, baseline, part, pages=pages, splits=splits)
    return _finished(bench, book, drafts, others)


def _finished(
    bench: Bench, book: Book, drafts: list[Draft], others: list[AssessedCapture]
) -> tuple[AssessedCapture, ...]:
    """Drafts with the verdicts they want, then all others."""
    _settle(book, drafts)
    if not bench.settings.judge.matrix:
        return (*(_assessed(book, one) for one in drafts), *others)
    _settle_matrix(book, drafts)
    return (*(_with_matrix(book, one) for one in drafts), *others)


def assess_capture(
    bench: Bench,
    run: runs.Run,
    held: Held,
    book: Book,
    *,
    baseline: Baseline | None,
    splits: Splits,
    pages: RunPages,
) -> AssessedCapture:
    """One capture as its run has it, whatever locale it was heard in."""
    found = splits.of_run(run, one_capture(held[0].id), _answered(held[1:]))
    drafts, others = _drafted(bench, [held], found, baseline, pages)
    return _finished(bench, book, drafts, others)[0]


def judge_part(
    bench: Bench,
    run: runs.Run,
    judge: Judge,
    baseline: Baseline | None,
    *,
    part: Part,
    pages: RunPages,
) -> None:
    """Give and store the verdicts of one part of a run's captures; scoring then finds them."""
    splits = Splits.of(bench, judge)
    drafts, _ = _drafts(bench, run, baseline, part, pages=pages, splits=splits)
    _settle(VerdictBook(bench, judge), drafts)


def _settle(book: Book, drafts: Sequence[Draft]) -> None:
    """The three rounds."""
    for one in drafts:
        _want_first(book, one)
    book.settle("verdicts")
    for one in drafts:
        for statement in one.statements:
            _want_alone(book, one, statement)
    book.settle("verdicts")
    for one in drafts:
        for statement in one.statements:
            _want_rest(book, one, statement)
    book.settle("verdicts")


def _settle_matrix(book: Book, drafts: Sequence[Draft]) -> None:
    """The round of the support matrix, after all others: a paid judge may run out of money."""
    for one in drafts:
        texts = _readable(one, range(len(one.pages)))
        for statement, text in product((s for s in one.statements if s.counted), texts):
            book.want(statement.text, (text,))
    book.settle("matrix", optional=True)


def _drafts(
    bench: Bench,
    run: runs.Run,
    baseline: Baseline | None,
    part: Part,
    *,
    pages: RunPages,
    splits: Splits,
) -> tuple[list[Draft], list[AssessedCapture]]:
    """Answered captures as drafts, all other stored ones assessed as they are.

    Those that were heard in another locale than the one asked for are left out.
    """
    readings = bench.read(lambda c: citations.load_readings(c, run.id, part))
    found = splits.of_run(run, part, _answered(readings.values()))
    held = (
        (capture, readings[capture.id])
        for capture in bench.read(lambda c: captures.load_captures(c, run.id, part))
        if capture.id in readings and capture.locale_state is not LocaleState.CONTRADICTED
    )
    return _drafted(bench, held, found, baseline, pages)


def _answered(readings: Iterable[citations.StoredReading]) -> list[citations.StoredReading]:
    return [one for one in readings if one.reading.outcome is Outcome.ANSWERED]


def _drafted(
    bench: Bench,
    held: Iterable[Held],
    found: Mapping[int, tuple[Statement, ...]],
    baseline: Baseline | None,
    pages: RunPages,
) -> tuple[list[Draft], list[AssessedCapture]]:
    """Captures with their readings as drafts, those that were not answered as they are."""
    drafts, others = [], []
    for capture, stored in held:
        if stored.reading.outcome is not Outcome.ANSWERED:
            others.append(bare_capture(capture, stored))
            continue
        graded = baseline_for(baseline, capture.prompt)
        own = graded if isinstance(graded, PromptBaseline) else None
        split = found[stored.id]
        drafts.append(_draft(bench, capture, stored, pages, split=split, baseline=own))
    return drafts, others


def _draft(
    bench: Bench,
    capture: captures.Capture,
    stored: citations.StoredReading,
    run_pages: RunPages,
    *,
    split: tuple[Statement, ...],
    baseline: PromptBaseline | None,
) -> Draft:
    """An answered capture with its counted citations and their texts."""
    searched = [
        (index, Role.RETRIEVED, 0, False, identity)
        for index, identity in enumerate(mapped(bench, stored.retrieved_identities))
    ]
    cited = visible_pages(bench, stored, run_pages)
    answer = " ".join(s.text for s in split)
    return Draft(
        capture=capture,
        stored=stored,
        pages=cited,
        retrieved=cited_pages(searched, run_pages),
        statements=split,
        evidence=tuple(run_pages.texts.get(p.page_key) if p.readable else None for p in cited),
        baseline=baseline,
        answer=Evidence.of(answer) if answer.strip() else None,
    )


def statement_pages(draft_pages: Sequence[CitedPage], statement: Statement) -> tuple[int, ...]:
    """Indexes of the pages a statement cites, distinct, in order of first mark."""
    of_citation = {c: index for index, page in enumerate(draft_pages) for c in page.citations}
    found = (of_citation[c] for c in statement.citations if c in of_citation)
    return tuple(dict.fromkeys(found))


def _readable(draft: Draft, indexes: Iterable[int]) -> tuple[Evidence, ...]:
    """Texts of those pages that can be read."""
    return tuple(text for i in indexes if (text := draft.evidence[i]) is not None)


def _want_first(book: Book, draft: Draft) -> None:
    """Joint verdicts of statements and claims, and all verdicts against the baseline."""
    for statement in draft.statements:
        cited = _readable(draft, statement_pages(draft.pages, statement))
        if cited and statement.counted:
            book.want(statement.text, cited)
            for claim in statement.claims:
                book.want(claim.text, cited)
    if draft.baseline is None:
        return
    standard = _standard(draft.baseline)
    for wanted in draft.baseline.claims:
        for text in draft.evidence:
            if text is not None:
                book.want(wanted.text, (text,))
        if draft.answer is not None:
            book.want(wanted.text, (draft.answer,))
    if standard is not None:
        for statement in draft.statements:
            if statement.needs_citation and not statement_pages(draft.pages, statement):
                for claim in statement.claims:
                    book.want(claim.text, (standard,))


def _standard(baseline: PromptBaseline) -> Evidence | None:
    """All baseline claims of a prompt as one text."""
    return Evidence.of("\n".join(c.text for c in baseline.claims)) if baseline.claims else None


def _want_alone(book: Book, draft: Draft, statement: Statement) -> None:
    """Condition A, only where several pages suffice together."""
    indexes = statement_pages(draft.pages, statement)
    if len(indexes) < 2 or not _suffices(book, draft, statement, indexes):
        return
    for index in indexes:
        text = draft.evidence[index]
        if text is not None:
            book.want(statement.text, (text,))


def _want_rest(book: Book, draft: Draft, statement: Statement) -> None:
    """Condition B, only for pages that do not suffice alone."""
    indexes = statement_pages(draft.pages, statement)
    if len(indexes) < 2 or not _suffices(book, draft, statement, indexes):
        return
    for index in indexes:
        if _verdict(book, draft, statement.text, (index,)).support is not Support.FULL:
            book.want(statement.text, _readable(draft, (i for i in indexes if i != index)))


def _suffices(book: Book, draft: Draft, statement: Statement, indexes: tuple[int, ...]) -> bool:
    """Whether the readable pages together fully support a statement."""
    return _verdict(book, draft, statement.text, indexes).support is Support.FULL


def _verdict(book: Book, draft: Draft, claim: str, indexes: tuple[int, ...]) -> Verdict:
    """Verdict over pages read together, some of which may be unreadable."""
    readable = _readable(draft, indexes)
    joint = book.get(claim, readable) if readable else None
    return joint_verdict(joint, [draft.pages[i] for i in indexes])


def _assessed(book: Book, draft: Draft) -> AssessedCapture:
    """A draft with all its verdicts filled in."""
    reading = draft.stored.reading
    bare = bare_capture(draft.capture, draft.stored)
    return replace(
        bare,
        pages=draft.pages,
        retrieved=draft.retrieved,
        statements=tuple(_statement(book, draft, s) for s in draft.statements),
        answer_format=None if reading.without_text else answer_format(reading),
        evidence=MappingProxyType(_baseline_evidence(book, draft)),
        stated=MappingProxyType(_stated(book, draft)),
    )


def _with_matrix(book: Book, draft: Draft) -> AssessedCapture:
    """The same with the verdict of each counted statement and each visible page alone."""
    cells = {
        (place, index): _verdict(book, draft, statement.text, (index,))
        for place, statement in enumerate(draft.statements)
        if statement.counted
        for index in range(len(draft.pages))
    }
    return replace(_assessed(book, draft), matrix=MappingProxyType(cells))


def bare_capture(capture: captures.Capture, stored: citations.StoredReading) -> AssessedCapture:
    """A capture with nothing but its outcome."""
    engine, reading = ENGINES[capture.engine], stored.reading
    return AssessedCapture(
        capture_id=capture.id,
        prompt=capture.prompt,
        engine=capture.engine,
        repeat=capture.repeat,
        outcome=reading.outcome,
        reason=reading.reason,
        retrieval=reading.retrieval,
        shows_citations=engine.shows_citations,
        exposes_retrieved=engine.exposes_retrieved and _tells_searches(engine, reading),
        lists_sources=engine.lists_sources,
        shopping=reading.shopping,
    )


def _tells_searches(engine: Engine, reading: Reading) -> bool:
    """Whether what was searched is told; of a surface some documents have it and some do not."""
    return engine.access is Access.API or bool(reading.retrieved)


def _statement(book: Book, draft: Draft, statement: Statement) -> AssessedStatement:
    """A statement with the verdicts of its conditions."""
    indexes = statement_pages(draft.pages, statement)
    if not indexes or not statement.counted:
        return AssessedStatement(
            statement, indexes, tuple(_uncited(book, draft, statement, c) for c in statement.claims)
        )
    joint = _verdict(book, draft, statement.text, indexes)
    alone: dict[int, Verdict] = {}
    rest: dict[int, Verdict] = {}
    if len(indexes) == 1:
        alone[indexes[0]] = joint
    elif joint.support is Support.FULL:
        alone = {i: _verdict(book, draft, statement.text, (i,)) for i in indexes}
        rest = {
            i: _verdict(book, draft, statement.text, tuple(j for j in indexes if j != i))
            for i in indexes
            if alone[i].support is not Support.FULL
        }
    assessed = tuple(
        AssessedClaim(c, _verdict(book, draft, c.text, indexes)) for c in statement.claims
    )
    return AssessedStatement(
        statement, indexes, assessed, joint, MappingProxyType(alone), MappingProxyType(rest)
    )


def _uncited(book: Book, draft: Draft, statement: Statement, claim: Claim) -> AssessedClaim:
    """A claim without citation, held against the baseline's claims where there are any."""
    standard = _standard(draft.baseline) if draft.baseline else None
    if standard is None or not statement.needs_citation:
        return AssessedClaim(claim, None)
    return AssessedClaim(claim, None, book.get(claim.text, (standard,)))


def _baseline_evidence(book: Book, draft: Draft) -> dict[tuple[str, int], Verdict]:
    """(baseline claim, page) -> verdict of that page alone."""
    if draft.baseline is None:
        return {}
    return {
        (claim.id, index): _verdict(book, draft, claim.text, (index,))
        for claim in draft.baseline.claims
        for index in range(len(draft.pages))
    }


def _stated(book: Book, draft: Draft) -> dict[str, Verdict]:
    """Baseline claim -> does the answer text state it; nobody can say where it is not at hand."""
    if draft.baseline is None:
        return {}
    if draft.stored.reading.without_text:
        unknown = Verdict(Support.NOT_ASSESSABLE, (FetchStatus.NO_TEXT.value,))
        return {c.id: unknown for c in draft.baseline.claims}
    if draft.answer is None:
        return {}
    return {c.id: book.get(c.text, (draft.answer,)) for c in draft.baseline.claims}
