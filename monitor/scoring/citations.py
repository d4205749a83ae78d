"""Citation recall and precision in the manner of ALCE (Gao et al. 2023), on live answers.

Profile `monitor` counts statements that are cited or are claims needing a citation, keeps what
nobody could check apart, and counts a marker that maps to no URL as an imprecise citation.
Profile `alce` on the same assessed statements counts every statement, unmapped markers as
out-of-range references, and what nobody could check as not entailed; figures that are
comparable digit by digit with the benchmark come from `alce_answer` instead.
"""

from collections.abc import Mapping

from monitor.domain.assessment import AssessedCapture, AssessedStatement, CitedPage, Profile
from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Rate
from monitor.scoring.credit import PENDING, joint_verdict, not_assessable, strict

UNMAPPED = NotAssessable.UNMAPPED.value


def is_unmapped(capture: AssessedCapture) -> bool:
    """Whether sources are visible but none is tied to a span of the answer."""
    return bool(capture.pages) and not any(page.has_span for page in capture.pages)


def cited_pages(capture: AssessedCapture, statement: AssessedStatement) -> tuple[CitedPage, ...]:
    """Visible pages behind a statement, in order of first mark."""
    return tuple(capture.pages[index] for index in statement.pages)


def counted_statements(capture: AssessedCapture, profile: Profile) -> tuple[AssessedStatement, ...]:
    """Statements that enter citation recall and precision."""
    if profile is Profile.ALCE:
        return capture.statements
    return tuple(s for s in capture.statements if s.statement.counted or s.pages)


def citation_recall(capture: AssessedCapture, profile: Profile) -> Rate:
    """Statements entailed by their cited pages read together / counted statements.

    A counted statement without a citation is a miss, also where the answer has no visible
    citation at all. Where sources are only listed, all are not_assessable(unmapped).
    """
    statements = counted_statements(capture, profile)
    if profile is Profile.ALCE:
        return sum((_alce_recall(capture, s) for s in statements), Rate(0, 0))
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, len(statements))
    return sum((_recall(capture, s) for s in statements), Rate(0, 0))


def _recall(capture: AssessedCapture, statement: AssessedStatement) -> Rate:
    """One statement; unmapped markers are passed over, the rest decides."""
    if not statement.pages:
        return Rate(0, 1)
    return strict(joint_verdict(statement.joint, cited_pages(capture, statement)))


def _alce_recall(capture: AssessedCapture, statement: AssessedStatement) -> Rate:
    """One statement by ALCE's rule: an out-of-range reference spoils it, unknown is no."""
    if statement.statement.unmapped:
        return Rate(0, 1)
    return Rate(_recall(capture, statement).hits, 1)


def citation_precision(capture: AssessedCapture, profile: Profile) -> Rate:
    """Citations that are not irrelevant / citations of counted statements.

    None of a statement's citations counts unless together they entail it; then one is
    irrelevant when it does not entail alone and the others still entail without it. An
    unreadable page is never imprecise: it is not assessable.
    """
    statements = counted_statements(capture, profile)
    if profile is Profile.ALCE:
        return sum((_alce_precision(capture, s) for s in statements), Rate(0, 0))
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, len(capture.pages))
    return sum((_precision(capture, s) for s in statements), Rate(0, 0))


def _alce_precision(capture: AssessedCapture, statement: AssessedStatement) -> Rate:
    """One statement by ALCE's rule: out of range adds nothing, unknown is imprecise."""
    if statement.statement.unmapped:
        return Rate(0, 0)
    return Rate(_precision(capture, statement).hits, len(statement.pages))


def _precision(capture: AssessedCapture, statement: AssessedStatement) -> Rate:
    """Citations of one statement; its unmapped markers are imprecise citations."""
    pages = cited_pages(capture, statement)
    broken = Rate(0, statement.statement.unmapped)
    if not pages:
        return broken
    joint = joint_verdict(statement.joint, pages)
    if joint.reason is not None:
        return broken + not_assessable(joint.reason, len(pages))
    if joint.support is not Support.FULL:
        return broken + Rate(0, len(pages))
    if len(pages) == 1:
        return broken + Rate(1, 1)
    return sum((_needed(capture, statement, index) for index in statement.pages), broken)


def _needed(capture: AssessedCapture, statement: AssessedStatement, index: int) -> Rate:
    """One citation of a supported statement: does it entail alone, or is it missed?"""
    page = capture.pages[index]
    if not page.readable:
        return not_assessable(page.unreadable_reason)
    alone = statement.alone.get(index, PENDING)
    if alone.reason is not None or alone.support is Support.FULL:
        return strict(alone)
    others = tuple(capture.pages[i] for i in statement.pages if i != index)
    rest = joint_verdict(statement.rest.get(index), others)
    if rest.reason is not None:
        return not_assessable(rest.reason)
    return Rate(int(rest.support is not Support.FULL), 1)


def page_support(capture: AssessedCapture, index: int) -> tuple[Verdict, ...]:
    """Verdicts of what the answer cites a page for, that page read alone where known.

    A statement with one page speaks through its claims. With several pages the page's own
    verdict counts; where it was never asked because the pages together do not entail the
    statement, that joint verdict stands in, for a part supports no more than the whole.
    """
    verdicts: list[Verdict] = []
    for statement in capture.statements:
        if index in statement.pages:
            verdicts.extend(_support_in(statement, index))
    return tuple(verdicts)


def _support_in(statement: AssessedStatement, index: int) -> tuple[Verdict, ...]:
    """Verdicts of one page for one statement; empty where nothing is known."""
    if len(statement.pages) == 1:
        claims = tuple(c.joint for c in statement.claims if c.joint is not None)
        return claims or _known(statement.joint)
    alone: Mapping[int, Verdict] = statement.alone
    if index in alone:
        return (alone[index],)
    joint = statement.joint
    return () if joint is None or joint.support is Support.FULL else (joint,)


def _known(verdict: Verdict | None) -> tuple[Verdict, ...]:
    return () if verdict is None else (verdict,)
