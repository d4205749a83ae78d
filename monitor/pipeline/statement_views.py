"""Statements of an assessed answer as a report shows them: support, gaps and passages."""

from dataclasses import replace

from monitor.domain.assessment import AssessedCapture, AssessedClaim, AssessedStatement
from monitor.domain.baseline import PromptBaseline
from monitor.domain.claim import Support
from monitor.pipeline.quoting import page_quote
from monitor.pipeline.run_pages import RunPages
from monitor.report.evidence import STATEMENTS_SHOWN
from monitor.report.view import ByBaselineView, ClaimView, StatementView
from monitor.scoring.credit import PENDING

EXCERPT = 320
"""Code points of page text shown on either side of a quote."""


def judges_of(one: AssessedCapture) -> tuple[str, ...]:
    """Who gave the verdicts of an answer, in order of appearance."""
    joint = (s.joint for s in one.statements)
    return tuple(dict.fromkeys(v.judge for v in (*joint, *one.stated.values()) if v and v.judge))


def statement_views(
    one: AssessedCapture, graded: PromptBaseline | None, run_pages: RunPages
) -> tuple[StatementView, ...]:
    """Every statement; passages are cut out for those alone that a report shows."""
    return tuple(
        replace(
            _statement(s, one, run_pages if number < STATEMENTS_SHOWN else None, graded),
            alone=_alone(s),
            elsewhere=_elsewhere(number, s, one),
        )
        for number, s in enumerate(one.statements)
    )


def _alone(one: AssessedStatement) -> tuple[tuple[int, Support], ...]:
    """What each of several cited pages supports by itself, where that was asked."""
    if len(one.pages) < 2:
        return ()
    return tuple((i + 1, one.alone[i].support) for i in one.pages if i in one.alone)


def _elsewhere(place: int, one: AssessedStatement, capture: AssessedCapture) -> tuple[int, ...]:
    """Pages that the support matrix has as support of a statement that does not cite them."""
    return tuple(
        index + 1
        for index in range(len(capture.pages))
        if index not in one.pages
        and (found := (capture.matrix or {}).get((place, index))) is not None
        and found.support is Support.FULL
    )


def _statement(
    one: AssessedStatement,
    capture: AssessedCapture,
    run_pages: RunPages | None,
    graded: PromptBaseline | None,
) -> StatementView:
    """A statement with its chips, verdict and the passage behind it."""
    verdict = one.joint
    return StatementView(
        text=one.statement.text,
        kind=one.statement.kind,
        chips=tuple(index + 1 for index in one.pages),
        support=verdict.support if verdict else None,
        reasons=verdict.reasons if verdict else (),
        quote=page_quote(verdict, one.pages, capture, run_pages, around=EXCERPT)
        if verdict and run_pages
        else None,
        claims=tuple(_claim_of(c) for c in one.claims) if len(one.claims) > 1 else (),
        by_baseline=_by_baseline(one) if graded else (),
        gaps=verdict.gaps if verdict else (),
        votes=verdict.votes if verdict else None,
    )


def _claim_of(one: AssessedClaim) -> ClaimView:
    """One claim of a statement with its own verdict."""
    verdict = one.joint
    if verdict is None:
        return ClaimView(one.claim.text, None)
    return ClaimView(one.claim.text, verdict.support, verdict.reasons, verdict.gaps, verdict.votes)


def _by_baseline(one: AssessedStatement) -> tuple[ByBaselineView, ...]:
    """Verdict of the baseline on each uncited claim that needs a citation."""
    if one.pages or one.statement.unmapped or not one.statement.needs_citation:
        return ()
    verdicts = ((c.claim.text, c.baseline or PENDING) for c in one.claims)
    return tuple(ByBaselineView(text, v.support, v.reasons, v.gaps) for text, v in verdicts)
