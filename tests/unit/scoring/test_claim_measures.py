"""Claim measures by hand."""

import pytest

from monitor.domain.assessment import AdequacyPolicy, PartialPolicy, Policy
from monitor.domain.baseline import ClaimCategory
from monitor.domain.claim import StatementKind, Support
from monitor.domain.engine import Retrieval
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Risk
from monitor.domain.score import UndefinedReason
from monitor.domain.source import Grade
from monitor.scoring import claims
from tests.assessed import (
    AGAINST,
    FULL,
    NO,
    PARTIAL,
    UNCLEAR,
    baseline,
    capture,
    claim,
    page,
    prompt,
    source,
    statement,
)

A, B = page("a.example/1"), page("b.example/2")
LOST = page("lost.example/4", status=FetchStatus.PAYWALLED)
HALF, NONE, SPLIT = PartialPolicy.HALF, PartialPolicy.NONE, PartialPolicy.SPLIT
LIMITATION = ClaimCategory.LIMITATION


def counts(rate):
    return rate.hits, rate.total, dict(rate.not_assessable)


@pytest.mark.parametrize(
    ("partial", "expected"),
    [(HALF, (1.5, 3, {})), (NONE, (1, 3, {})), (SPLIT, (1, 2, {"disputed": 1}))],
)
def test_partial_support_counts_by_the_stated_policy(partial, expected):
    cited = statement(0, [0], PARTIAL, claims=[(FULL,), (PARTIAL,), (NO,)])
    assert counts(claims.claim_citation_precision(capture([A], [cited]), partial)) == expected


def test_partial_verdict_beside_an_unreadable_page_is_not_assessable():
    cited = statement(0, [0, 1], PARTIAL, claims=[(FULL,), (PARTIAL,)])
    got = claims.claim_citation_precision(capture([A, LOST], [cited]), HALF)
    assert counts(got) == (1, 1, {"paywalled": 1})


def test_uncited_claims_are_not_presented_as_supported():
    got = claims.claim_citation_precision(capture([A], [statement(0, claims=[(None,)])]), HALF)
    assert counts(got) == (0, 0, {})


def test_claim_behind_a_broken_marker_is_unsupported_but_not_contradicted():
    broken = capture([A], [statement(0, unmapped=1, claims=[(None,)])])
    assert counts(claims.claim_citation_precision(broken, HALF)) == (0, 1, {})
    assert counts(claims.contradiction_rate(broken)) == (0, 0, {"unmapped": 1})


def test_contradicted_claims_of_those_assessed():
    cited = statement(0, [0], AGAINST, claims=[(AGAINST,), (FULL,), (PARTIAL,), (UNCLEAR,)])
    got = claims.contradiction_rate(capture([A], [cited]))
    assert counts(got) == (1, 3, {"judge_unclear": 1})


def test_only_listed_sources_leave_cited_claims_unmapped():
    listed = capture([page("a.example/1", span=False)], [statement(0, claims=[(None,)] * 3)])
    for count in (
        claims.claim_citation_precision(listed, HALF),
        claims.contradiction_rate(listed),
        claims.uncited_claims(listed),
    ):
        assert counts(count) == (0, 0, {"unmapped": 3})


WANTED = baseline(
    [source("a.example", Grade.ACCEPTABLE), source("b.example", Grade.OUT_OF_SCOPE)],
    [claim("c1"), claim("c2", LIMITATION), claim("c3", required=False)],
)


def evidence_recall(pages, evidence, policy=None, wanted=WANTED, category=None, **fields):
    seen = capture(pages, evidence=evidence, **fields)
    return counts(claims.claim_evidence_recall(seen, wanted, policy or Policy(), category))


def test_required_claims_with_an_adequate_citation():
    # c1 fully supported by A; c2 by nothing; c3 is not required
    evidence = {("c1", 0): FULL, ("c2", 0): NO, ("c3", 0): FULL}
    assert evidence_recall([A], evidence) == (1, 2, {})


def test_out_of_scope_page_is_no_evidence():
    assert evidence_recall([B], {("c1", 0): FULL, ("c2", 0): UNCLEAR}) == (0, 2, {})


def test_claim_is_unresolved_where_a_page_cannot_be_read():
    evidence = {("c1", 0): FULL, ("c2", 0): NO}
    assert evidence_recall([A, LOST], evidence) == (1, 1, {"paywalled": 1})


@pytest.mark.parametrize(
    ("partial", "expected"),
    [(HALF, (0.5, 2, {})), (NONE, (0, 2, {})), (SPLIT, (0, 1, {"disputed": 1}))],
)
def test_best_partial_counts_by_the_stated_policy(partial, expected):
    # half: 0.5 found + 0.5 missing for c1, 1 missing for c2
    evidence = {("c1", 0): PARTIAL, ("c2", 0): NO}
    assert evidence_recall([A], evidence, Policy(partial=partial)) == expected


def test_other_half_of_a_partial_is_unresolved_where_a_page_cannot_be_read():
    # c1: 0.5 found, 0.5 unresolved; c2: unresolved
    evidence = {("c1", 0): PARTIAL, ("c2", 0): NO}
    assert evidence_recall([A, LOST], evidence) == (0.5, 0.5, {"paywalled": 1.5})


def test_full_support_elsewhere_beats_a_partial_one():
    evidence = {("c1", 0): PARTIAL, ("c1", 1): FULL, ("c2", 0): NO, ("c2", 1): NO}
    assert evidence_recall([A, page("d.example/1")], evidence, Policy(partial=SPLIT)) == (1, 2, {})


@pytest.mark.parametrize(
    ("risk", "expected"), [(Risk.STANDARD, (1, 2, {})), (Risk.YMYL, (0, 2, {}))]
)
def test_adequacy_follows_the_risk_class(risk, expected):
    # an ungraded page evidences c1; ymyl asks for a required or acceptable source
    evidence = {("c1", 0): FULL, ("c2", 0): NO}
    got = evidence_recall([page("new.example/1")], evidence, prompt=prompt(risk=risk))
    assert got == expected


def test_page_of_unknown_family_could_still_be_adequate():
    policy = Policy(adequacy={Risk.STANDARD: AdequacyPolicy.GRADED})
    hidden = page("short.example/1", family=None)
    evidence = {("c1", 0): FULL, ("c2", 0): NO}
    assert evidence_recall([hidden], evidence, policy) == (0, 1, {"unresolved": 1})


def test_evidence_never_judged_is_pending():
    assert evidence_recall([A], {("c1", 0): FULL}) == (1, 1, {"pending": 1})


def test_silent_answer_misses_claims_only_after_a_search():
    assert evidence_recall([], {}) == (0, 2, {})
    got = evidence_recall([], {}, retrieval=Retrieval.UNKNOWN)
    assert got == (0, 0, {"no_citations": 2})


def test_limitation_missed_is_not_offset_by_core_facts():
    evidence = {("c1", 0): FULL, ("c2", 0): NO}
    assert evidence_recall([A], evidence, category=LIMITATION) == (0, 1, {})
    assert evidence_recall([A], evidence, category=ClaimCategory.CORE_FACT) == (1, 1, {})


def test_no_required_claims_leave_recall_undefined():
    got = claims.claim_evidence_recall(capture([A]), baseline(), Policy())
    assert got.reason is UndefinedReason.NO_REQUIRED


def test_coverage_counts_partial_by_policy():
    stated = capture([], stated={"c1": FULL, "c2": PARTIAL})
    assert counts(claims.required_claim_coverage(stated, WANTED, HALF)) == (1.5, 2, {})
    assert counts(claims.required_claim_coverage(stated, WANTED, NONE)) == (1, 2, {})


def test_coverage_does_not_need_citations():
    bare = capture([], stated={"c1": FULL, "c2": NO}, retrieval=Retrieval.NOT_USED)
    assert counts(claims.required_claim_coverage(bare, WANTED, HALF)) == (1, 2, {})


def test_qualifier_fidelity_looks_only_at_limitations_stated():
    # of four limitations one is stated in full, one without its qualifier, one unclear, one not
    wanted = baseline([], [claim("c1"), *(claim(f"l{i}", LIMITATION) for i in range(4))])
    stated = {"c1": PARTIAL, "l0": FULL, "l1": PARTIAL, "l2": UNCLEAR, "l3": NO}
    got = claims.qualifier_fidelity(capture([], stated=stated), wanted)
    assert counts(got) == (1, 2, {"judge_unclear": 1})


def test_uncited_claims_are_split_by_need():
    # three claims, two without citation, one of them in a summary
    mixed = capture(
        [A],
        [
            statement(0, [0], FULL, claims=[(FULL,)]),
            statement(1, claims=[(None, FULL)]),
            statement(2, kind=StatementKind.SUMMARY, claims=[(None,)]),
        ],
    )
    assert counts(claims.uncited_claims(mixed)) == (2, 3, {})
    assert counts(claims.uncited_needing(mixed)) == (1, 2, {})
    assert counts(claims.statements_counted(mixed)) == (2, 3, {})


def test_uncited_claims_are_checked_against_the_baseline():
    uncited = [(None, v) for v in (FULL, PARTIAL, NO, AGAINST, UNCLEAR, None)]
    seen = capture([], [statement(0, claims=uncited)])
    reasons = {"judge_unclear": 1, "pending": 1}
    accurate = claims.uncited_by_baseline(seen, frozenset({Support.FULL}))
    outside = claims.uncited_by_baseline(seen, frozenset({Support.PARTIAL, Support.UNSUPPORTED}))
    assert counts(accurate) == (1, 4, reasons)
    assert counts(outside) == (2, 4, reasons)
