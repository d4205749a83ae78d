"""Claim measures: are the answer's claims supported, and are the baseline's claims evidenced?"""

from collections.abc import Iterable

from monitor.domain.assessment import (
    AdequacyPolicy,
    AssessedCapture,
    AssessedClaim,
    AssessedStatement,
    PartialPolicy,
    Policy,
)
from monitor.domain.baseline import BaselineClaim, ClaimCategory, PromptBaseline
from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Measured, Rate
from monitor.domain.source import Grade
from monitor.scoring.citations import UNMAPPED, cited_pages, is_unmapped
from monitor.scoring.credit import PENDING, credited, joint_verdict, not_assessable, strict
from monitor.scoring.sources import NO_REQUIRED, best_match, grade_of, is_absence_a_miss

ALLOWED = {
    AdequacyPolicy.ANY: frozenset(Grade) - {Grade.OUT_OF_SCOPE},
    AdequacyPolicy.GRADED: frozenset({Grade.REQUIRED, Grade.ACCEPTABLE, Grade.OPTIONAL}),
    AdequacyPolicy.REQUIRED_OR_ACCEPTABLE: frozenset({Grade.REQUIRED, Grade.ACCEPTABLE}),
}
"""Grades of pages that may evidence a required claim; never out_of_scope."""


def _is_cited(statement: AssessedStatement) -> bool:
    """Whether a statement presents itself as supported, be its markers mapped or not."""
    return bool(statement.pages) or statement.statement.unmapped > 0


def _all_claims(capture: AssessedCapture) -> int:
    return sum(len(statement.claims) for statement in capture.statements)


def claim_citation_precision(capture: AssessedCapture, partial: PartialPolicy) -> Rate:
    """Supported cited claims / claims presented as supported by citations.

    Partial support counts by the stated policy. A claim whose markers map to no URL is not
    supported. Where sources are only listed, every claim is not_assessable(unmapped).
    """
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, _all_claims(capture))
    return sum(
        (
            credited(_claim_verdict(capture, statement, claim), partial)
            for statement in capture.statements
            if _is_cited(statement)
            for claim in statement.claims
        ),
        Rate(0, 0),
    )


def _claim_verdict(
    capture: AssessedCapture, statement: AssessedStatement, claim: AssessedClaim
) -> Verdict:
    """Verdict of a claim and all its statement's pages; unsupported without any page."""
    pages = cited_pages(capture, statement)
    return joint_verdict(claim.joint, pages) if pages else Verdict(Support.UNSUPPORTED)


def contradiction_rate(capture: AssessedCapture) -> Rate:
    """Cited claims contradicted by their source / cited claims assessed.

    A claim whose markers map to no URL has no source that could contradict it: unmapped.
    """
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, _all_claims(capture))
    return sum(
        (
            _contradicted(capture, statement, claim)
            for statement in capture.statements
            if _is_cited(statement)
            for claim in statement.claims
        ),
        Rate(0, 0),
    )


def _contradicted(
    capture: AssessedCapture, statement: AssessedStatement, claim: AssessedClaim
) -> Rate:
    """One cited claim: contradicted, not, or not assessable."""
    if not statement.pages:
        return not_assessable(UNMAPPED)
    verdict = _claim_verdict(capture, statement, claim)
    if verdict.reason is not None:
        return not_assessable(verdict.reason)
    return Rate(int(verdict.support is Support.CONTRADICTED), 1)


def required_claims(
    baseline: PromptBaseline, category: ClaimCategory | None
) -> tuple[BaselineClaim, ...]:
    """Required claims of a baseline, all or of one category."""
    claims = baseline.required_claims
    return tuple(c for c in claims if category is None or c.category is category)


def claim_evidence_recall(
    capture: AssessedCapture,
    baseline: PromptBaseline,
    policy: Policy,
    category: ClaimCategory | None = None,
) -> Measured:
    """Required baseline claims with an adequate visible citation / those assessed.

    Adequate: visibly cited, of a grade that the adequacy policy of the prompt's risk class
    allows (never out_of_scope), and fully supporting the claim by itself. Not found and some
    such page not assessable: unresolved. A best partial counts by the stated policy.
    """
    claims = required_claims(baseline, category)
    if not claims:
        return NO_REQUIRED
    if not capture.pages and not is_absence_a_miss(capture):
        return not_assessable(NotAssessable.NO_CITATIONS.value, len(claims))
    return sum((_evidenced(capture, baseline, policy, claim) for claim in claims), Rate(0, 0))


def _evidenced(
    capture: AssessedCapture, baseline: PromptBaseline, policy: Policy, claim: BaselineClaim
) -> Rate:
    """One required claim: found, half found, missing or unresolved."""
    verdicts = [v for _, v in evidence_verdicts(capture, baseline, policy, claim)]
    supports = {verdict.support for verdict in verdicts}
    if Support.FULL in supports:
        return Rate(1, 1)
    found = Rate(0, 0)
    if Support.PARTIAL in supports and policy.partial is PartialPolicy.SPLIT:
        return not_assessable(NotAssessable.DISPUTED.value)
    if Support.PARTIAL in supports and policy.partial is PartialPolicy.HALF:
        found = Rate(0.5, 0.5)
    rest = 1 - found.total
    reason = next((v.reason for v in verdicts if v.reason is not None), None)
    return found + (Rate(0, rest) if reason is None else not_assessable(reason, rest))


def evidence_verdicts(
    capture: AssessedCapture, baseline: PromptBaseline, policy: Policy, claim: BaselineClaim
) -> tuple[tuple[int, Verdict], ...]:
    """(page index, verdict) of the pages that could be adequate evidence for a claim.

    A page whose grade rules it out is no candidate, whatever its verdict. A page of unknown
    family could have any grade once it is resolved: under a policy that asks for a grade its
    support stays unresolved.
    """
    allowed = ALLOWED[policy.adequacy.get(capture.prompt.risk, AdequacyPolicy.ANY)]
    verdicts: list[tuple[int, Verdict]] = []
    for index, page in enumerate(capture.pages):
        verdict = capture.evidence.get((claim.id, index))
        if verdict is None and not page.readable:
            verdict = Verdict(Support.NOT_ASSESSABLE, (page.unreadable_reason,))
        verdict = verdict or PENDING
        if grade_of(page, baseline.sources) in allowed:
            verdicts.append((index, verdict))
        elif page.family is None and best_match(page, baseline.sources) is None:
            verdicts.append((index, _if_resolved(verdict)))
    return tuple(verdicts)


def _if_resolved(verdict: Verdict) -> Verdict:
    """Support from a page of unknown family: unresolved unless it supports nothing anyway."""
    if verdict.support in {Support.UNSUPPORTED, Support.CONTRADICTED}:
        return verdict
    return Verdict(Support.NOT_ASSESSABLE, (NotAssessable.UNRESOLVED.value,))


def required_claim_coverage(
    capture: AssessedCapture,
    baseline: PromptBaseline,
    partial: PartialPolicy,
    category: ClaimCategory | None = None,
) -> Measured:
    """Required baseline claims that the answer states / required baseline claims.

    Full is stated, partial counts by the stated policy. Guards against short, perfectly cited,
    useless answers.
    """
    claims = required_claims(baseline, category)
    if not claims:
        return NO_REQUIRED
    verdicts = (capture.stated.get(claim.id, PENDING) for claim in claims)
    return sum((credited(verdict, partial) for verdict in verdicts), Rate(0, 0))


def qualifier_fidelity(capture: AssessedCapture, baseline: PromptBaseline) -> Measured:
    """Required limitations stated with their qualifier / required limitations stated.

    Stated = full or partial for (baseline claim, answer text); with its qualifier = full.
    Limitations that the answer does not state are left to required-claim coverage.
    """
    claims = required_claims(baseline, ClaimCategory.LIMITATION)
    if not claims:
        return NO_REQUIRED
    verdicts = (capture.stated.get(claim.id, PENDING) for claim in claims)
    return sum((_qualified(verdict) for verdict in verdicts), Rate(0, 0))


def _qualified(verdict: Verdict) -> Rate:
    """One limitation; nothing at all where it is not stated."""
    if verdict.support in {Support.UNSUPPORTED, Support.CONTRADICTED}:
        return Rate(0, 0)
    return strict(verdict)


def _uncited(capture: AssessedCapture) -> Iterable[tuple[AssessedStatement, AssessedClaim]]:
    """Claims of statements that carry neither a page nor a marker."""
    return (
        (statement, claim)
        for statement in capture.statements
        if not _is_cited(statement)
        for claim in statement.claims
    )


def uncited_claims(capture: AssessedCapture) -> Rate:
    """Claims without a citation / claims of the answer; never a hit of citation recall."""
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, _all_claims(capture))
    return Rate(sum(1 for _ in _uncited(capture)), _all_claims(capture))


def uncited_needing(capture: AssessedCapture) -> Rate:
    """Uncited claims that need a citation / uncited claims.

    The others are headings, questions, transitions, summaries, opinions and advice.
    """
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, _all_claims(capture))
    needs = [statement.statement.needs_citation for statement, _ in _uncited(capture)]
    return Rate(sum(needs), len(needs))


def uncited_by_baseline(capture: AssessedCapture, classes: frozenset[Support]) -> Rate:
    """Uncited claims needing a citation whose baseline verdict is in `classes` / those assessed.

    Full: accurate by baseline; contradicted: contradicts it; unsupported or only partly
    supported: not in the baseline.
    """
    if is_unmapped(capture):
        return not_assessable(UNMAPPED, _all_claims(capture))
    rate = Rate(0, 0)
    for statement, claim in _uncited(capture):
        if statement.statement.needs_citation:
            verdict = claim.baseline or PENDING
            reason = verdict.reason
            hit = Rate(int(verdict.support in classes), 1)
            rate += hit if reason is None else not_assessable(reason)
    return rate


def statements_counted(capture: AssessedCapture) -> Rate:
    """Statements that citation recall counts in profile `monitor` / statements."""
    counted = sum(s.statement.counted for s in capture.statements)
    return Rate(counted, len(capture.statements))
