"""The ALCE measures in both profiles, by hand."""

from monitor.domain.assessment import Profile
from monitor.domain.claim import StatementKind
from monitor.domain.page import FetchStatus
from monitor.scoring import alce_answer, alce_corpus
from monitor.scoring.citations import citation_precision, citation_recall
from tests.assessed import FULL, NO, PARTIAL, UNCLEAR, capture, page, statement

MONITOR, ALCE = Profile.MONITOR, Profile.ALCE
A, B, C = page("a.example/1"), page("b.example/2"), page("c.example/3")
LOST = page("lost.example/4", status=FetchStatus.NOT_FOUND)


def counts(rate):
    return rate.hits, rate.total, dict(rate.not_assessable)


def four_statements():
    """s1 cites p1 (supports), s2 p2 (supports alone) and p3 (not), s3 p4 (not), s4 nothing."""
    pages = [page(f"p{i}.example/x") for i in range(1, 5)]
    return capture(
        pages,
        [
            statement(0, [0], FULL),
            statement(1, [1, 2], FULL, alone={1: FULL, 2: NO}, rest={2: FULL}),
            statement(2, [3], NO),
            statement(3),
        ],
    )


def test_four_statements_have_recall_and_precision_of_two_in_four():
    # recall: s1, s2 of four statements; precision: p1, p2 of the citations p1, p2, p3, p4
    assert counts(citation_recall(four_statements(), MONITOR)) == (2, 4, {})
    assert counts(citation_precision(four_statements(), MONITOR)) == (2, 4, {})


def test_four_statements_are_the_same_in_the_benchmark_profile():
    assert counts(citation_recall(four_statements(), ALCE)) == (2, 4, {})
    assert counts(citation_precision(four_statements(), ALCE)) == (2, 4, {})


def test_four_statements_are_the_same_in_the_benchmark_script():
    entailing = {((0,), "s1"), ((1,), "s2"), ((1, 2), "s2")}
    statements = [("s1", (0,)), ("s2", (1, 2)), ("s3", (3,)), ("s4", ())]
    got = alce_answer(statements, 4, lambda docs, claim: (docs, claim) in entailing)
    assert (got.recall, got.precision) == (2 / 4, 2 / 4)


def test_citation_that_the_others_miss_is_precise():
    both = statement(0, [0, 1], FULL, alone={0: NO, 1: PARTIAL}, rest={0: NO, 1: NO})
    assert counts(citation_precision(capture([A, B], [both]), MONITOR)) == (2, 2, {})


def test_partial_joint_support_makes_every_citation_imprecise():
    both = statement(0, [0, 1], PARTIAL)
    assert counts(citation_recall(capture([A, B], [both]), MONITOR)) == (0, 1, {})
    assert counts(citation_precision(capture([A, B], [both]), MONITOR)) == (0, 2, {})


def test_unmapped_marker_is_imprecise_and_recall_uses_the_rest():
    one = statement(0, [0], FULL, unmapped=1)
    assert counts(citation_recall(capture([A], [one]), MONITOR)) == (1, 1, {})
    assert counts(citation_precision(capture([A], [one]), MONITOR)) == (1, 2, {})


def test_unmapped_marker_spoils_its_statement_in_the_benchmark_profile():
    one = statement(0, [0], FULL, unmapped=1)
    assert counts(citation_recall(capture([A], [one]), ALCE)) == (0, 1, {})
    assert counts(citation_precision(capture([A], [one]), ALCE)) == (0, 0, {})


def test_unreadable_page_is_not_assessable_never_imprecise():
    lost = capture([LOST], [statement(0, [0], NO)])
    assert counts(citation_recall(lost, MONITOR)) == (0, 0, {"not_found": 1})
    assert counts(citation_precision(lost, MONITOR)) == (0, 0, {"not_found": 1})


def test_readable_pages_that_suffice_make_the_joint_verdict_full():
    # A entails alone; the lost page is neither precise nor imprecise
    two = capture([A, LOST], [statement(0, [0, 1], FULL, alone={0: FULL})])
    assert counts(citation_recall(two, MONITOR)) == (1, 1, {})
    assert counts(citation_precision(two, MONITOR)) == (1, 1, {"not_found": 1})


def test_condition_that_needs_an_unreadable_page_is_not_assessable():
    # A and B together entail; without A only B and a lost page remain, and B fails
    joint = statement(0, [0, 1, 2], FULL, alone={0: NO, 1: NO}, rest={0: NO, 1: NO})
    got = citation_precision(capture([A, B, LOST], [joint]), MONITOR)
    assert counts(got) == (0, 0, {"not_found": 3})


def test_rest_that_entails_without_the_unreadable_page_is_enough():
    # without A, page B entails by itself: A is irrelevant whatever the lost page says
    joint = statement(0, [0, 1, 2], FULL, alone={0: NO, 1: FULL}, rest={0: FULL})
    got = citation_precision(capture([A, B, LOST], [joint]), MONITOR)
    assert counts(got) == (1, 2, {"not_found": 1})


def test_unclear_judge_takes_statement_and_citations_out():
    unclear = capture([A, B], [statement(0, [0, 1], UNCLEAR)])
    assert counts(citation_recall(unclear, MONITOR)) == (0, 0, {"judge_unclear": 1})
    assert counts(citation_precision(unclear, MONITOR)) == (0, 0, {"judge_unclear": 2})


def test_verdict_not_given_yet_is_pending():
    got = citation_recall(capture([A], [statement(0, [0])]), MONITOR)
    assert counts(got) == (0, 0, {"pending": 1})


def test_answer_with_only_listed_sources_is_unmapped():
    listed = capture([page("a.example/1", span=False)], [statement(0), statement(1)])
    assert counts(citation_recall(listed, MONITOR)) == (0, 0, {"unmapped": 2})
    assert counts(citation_precision(listed, MONITOR)) == (0, 0, {"unmapped": 1})


def test_answer_without_any_citation_misses_every_counted_statement():
    bare = capture([], [statement(0), statement(1, kind=StatementKind.HEADING)])
    assert counts(citation_recall(bare, MONITOR)) == (0, 1, {})
    assert counts(citation_recall(bare, ALCE)) == (0, 2, {})
    assert counts(citation_precision(bare, MONITOR)) == (0, 0, {})


def test_cited_heading_counts():
    cited = capture([A], [statement(0, [0], FULL, kind=StatementKind.HEADING)])
    assert counts(citation_recall(cited, MONITOR)) == (1, 1, {})


def test_removal_keeps_the_order_of_documents_as_cited():
    # [0] is the last document; without document 2 the script reads [0] first, then [1]
    asked = []

    def entails(docs, claim):
        asked.append(docs)
        return len(docs) > 1

    alce_answer([("x", (-1, 0, 2))], 3, entails, None)
    assert asked == [(2, 0, 2), (2,), (0, 2), (0,), (2, 2), (2,), (2, 0)]


def test_skipped_answers_leave_no_mean():
    got = alce_corpus([alce_answer([], 3, lambda _d, _c: True)])
    assert (got.recall, got.precision, got.answers, got.skipped) == (None, None, 0, 1)
