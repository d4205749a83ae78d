"""Source measures by hand."""

import pytest

from monitor.domain.assessment import Policy, RelevanceWeights
from monitor.domain.baseline import Match, Relevance
from monitor.domain.engine import Retrieval
from monitor.domain.score import Undefined, UndefinedReason
from monitor.domain.source import Grade
from monitor.scoring.relevance import weighted_source_precision
from monitor.scoring.sources import (
    acceptable_set_recall,
    best_match,
    cited_sources,
    grade_counts,
    independent_pages,
    required_source_recall,
    retrieved_source_recall,
    selection_rate,
    source_precision,
)
from tests.assessed import (
    AGAINST,
    FULL,
    NO,
    PARTIAL,
    baseline,
    capture,
    claim,
    page,
    prompt,
    source,
    statement,
)

NHS = page("nhs.example/statins")
BLOG = page("blog.example/post")
SHORT = page("short.example/x1", family=None)


def counts(rate):
    return rate.hits, rate.total, dict(rate.not_assessable)


def test_most_specific_match_decides_the_grade():
    family = source("nhs.example", Grade.REQUIRED)
    exact = source("nhs.example/statins", Grade.OUT_OF_SCOPE)
    assert best_match(NHS, [family, exact]) is exact
    assert counts(source_precision([NHS], baseline([family, exact]))) == (0, 1, {})


def test_unit_match_beats_family_match():
    channel = source("video.example:clinic", Grade.ACCEPTABLE, match=Match.UNIT)
    family = source("video.example", Grade.OUT_OF_SCOPE)
    clip = page("video.example/1", unit="video.example:clinic")
    assert best_match(clip, [family, channel]) is channel


def test_ungraded_family_is_not_assessable():
    # one accepted of one graded; the blog is ungraded: bounds 1/2 .. 2/2
    got = source_precision([NHS, BLOG], baseline([source("nhs.example")]))
    assert counts(got) == (1, 1, {"ungraded": 1})
    assert (got.bounds.low, got.bounds.high) == (0.5, 1)


def test_unresolved_page_says_so():
    got = source_precision([SHORT], baseline([source("nhs.example")]))
    assert counts(got) == (0, 0, {"unresolved": 1})


def test_optional_counts_and_out_of_scope_does_not():
    graded = baseline(
        [source("nhs.example", Grade.OPTIONAL), source("blog.example", Grade.OUT_OF_SCOPE)]
    )
    assert counts(source_precision([NHS, BLOG], graded)) == (1, 2, {})
    assert grade_counts([NHS, BLOG], graded) == {Grade.OPTIONAL: 1, Grade.OUT_OF_SCOPE: 1}


def test_precision_without_visible_citation_is_undefined():
    assert source_precision([], baseline()) == Undefined(UndefinedReason.NO_VISIBLE)


def test_required_sources_found_missing_and_unresolved():
    # of three required one is cited; one unresolved citation could be one of the other two
    wanted = baseline([source(k) for k in ("nhs.example", "who.example", "nice.example")])
    got = required_source_recall(capture([NHS, SHORT]), wanted)
    assert counts(got) == (1, 2, {"unresolved": 1})


def test_unresolved_sources_never_outnumber_unresolved_citations_or_sources():
    wanted = baseline([source("nhs.example"), source("who.example")])
    others = [page(f"short.example/{i}", family=None) for i in range(5)]
    assert counts(required_source_recall(capture([NHS, *others]), wanted)) == (
        1,
        1,
        {"unresolved": 1},
    )


def test_out_of_scope_page_never_satisfies_a_family_item():
    wanted = baseline([source("nhs.example"), source("nhs.example/statins", Grade.OUT_OF_SCOPE)])
    assert counts(required_source_recall(capture([NHS]), wanted)) == (0, 1, {})


def test_page_item_is_not_met_by_another_page_of_the_family():
    wanted = baseline([source("nhs.example/other")])
    assert counts(required_source_recall(capture([NHS]), wanted)) == (0, 1, {})


def test_known_copy_never_satisfies_a_required_family():
    copy = page("nhs.example/syndicated", group="g", original=False)
    wanted = baseline([source("nhs.example")])
    assert counts(required_source_recall(capture([copy]), wanted)) == (0, 1, {})
    assert counts(source_precision([copy], wanted)) == (1, 1, {})


def test_copy_of_the_same_family_s_own_text_satisfies():
    copy = page("nhs.example/print", group="g", original=False)
    own = page("nhs.example/web", group="g", original=True)
    searched = capture([copy], retrieved=(own, copy))
    assert cited_sources(searched, baseline([source("nhs.example")])) == {0}
    assert counts(required_source_recall(searched, baseline([source("nhs.example")]))) == (1, 1, {})


def test_copy_of_another_family_s_text_does_not_satisfy():
    copy = page("nhs.example/wire", group="g", original=False)
    wire = page("wire.example/story", group="g", original=True)
    wanted = baseline([source("nhs.example"), source("nhs.example/wire")])
    assert counts(required_source_recall(capture([wire, copy]), wanted)) == (1, 2, {})


@pytest.mark.parametrize(
    ("shows", "retrieval", "expected"),
    [
        (True, Retrieval.USED, (0, 1, {})),
        (True, Retrieval.NOT_USED, (0, 0, {"no_citations": 1})),
        (True, Retrieval.UNKNOWN, (0, 0, {"no_citations": 1})),
        (False, Retrieval.USED, (0, 0, {"no_citations": 1})),
    ],
)
def test_silence_is_a_miss_only_where_sources_are_shown_after_a_search(shows, retrieval, expected):
    silent = capture([], shows_citations=shows, retrieval=retrieval)
    wanted = baseline([source("nhs.example", supports=["c1"])], [claim("c1")])
    assert counts(required_source_recall(silent, wanted)) == expected
    assert counts(acceptable_set_recall(silent, wanted)) == expected


def test_recall_without_required_sources_is_undefined():
    wanted = baseline([source("nhs.example", Grade.OPTIONAL)])
    assert required_source_recall(capture([NHS]), wanted).reason is UndefinedReason.NO_REQUIRED
    assert acceptable_set_recall(capture([NHS]), wanted).reason is UndefinedReason.NO_REQUIRED


def test_interchangeable_sources_are_one_obligation():
    # c1 has three sources, one cited; c2 has one, not cited; c3 has none and does not count
    wanted = baseline(
        [
            source("nhs.example", Grade.ACCEPTABLE, supports=["c1"]),
            source("who.example", Grade.ACCEPTABLE, supports=["c1"]),
            source("nice.example", Grade.REQUIRED, supports=["c1"]),
            source("trial.example", Grade.REQUIRED, supports=["c2"]),
        ],
        [claim("c1"), claim("c2"), claim("c3")],
    )
    assert counts(acceptable_set_recall(capture([NHS]), wanted)) == (1, 2, {})


def test_unresolved_citation_could_evidence_the_claims_of_one_source():
    # one unresolved citation could be who.example, which would meet c1 and c2 but not c3 too
    wanted = baseline(
        [
            source("who.example", supports=["c1", "c2"]),
            source("nice.example", supports=["c3"]),
        ],
        [claim("c1"), claim("c2"), claim("c3")],
    )
    assert counts(acceptable_set_recall(capture([SHORT]), wanted)) == (0, 1, {"unresolved": 2})


def test_retrieved_recall_needs_an_engine_that_tells():
    wanted = baseline([source("nhs.example"), source("who.example")])
    silent = capture([NHS])
    told = capture([], exposes_retrieved=True, retrieved=(NHS, BLOG))
    assert retrieved_source_recall(silent, wanted).reason is UndefinedReason.NOT_EXPOSED
    assert counts(retrieved_source_recall(told, wanted)) == (1, 2, {})


def test_selection_counts_eligible_pages_only():
    told = capture([NHS], exposes_retrieved=True, retrieved=(NHS, BLOG, SHORT))
    assert counts(selection_rate(told, {NHS.page_key, BLOG.page_key})) == (1, 2, {})


def test_group_is_credited_to_its_original_else_to_the_first_cited():
    first = page("a.example/1", group="g")
    original = page("b.example/2", group="g", original=True)
    assert independent_pages([first, original]) == (original,)
    assert independent_pages([first, page("c.example/3", group="g")]) == (first,)


def weighted(pages, source_, statements=(), policy=None, freshness_matters=False):
    seen = capture(pages, statements, prompt=prompt(freshness_matters=freshness_matters))
    return weighted_source_precision(seen, baseline([source_]), policy or Policy())


def test_grade_alone_weighs_without_recorded_parts():
    assert weighted([NHS], source("nhs.example", Grade.OPTIONAL)).hits == 0.5
    assert weighted([NHS], source("nhs.example", Grade.ACCEPTABLE)).hits == 1


def test_recorded_parts_and_support_are_averaged():
    # topical fit 1, authority 0.5, support of two claims (1 + 0.5) / 2 = 0.75: mean 0.75
    graded = source("nhs.example", relevance=Relevance(1.0, 0.5, 0.0))
    cited = statement(0, [0], FULL, claims=[(FULL,), (PARTIAL,)])
    assert weighted([NHS], graded, [cited]).hits == pytest.approx(0.75)


def test_freshness_counts_only_where_the_prompt_says_so():
    # with freshness 0: (1 + 0.5 + 0 + 0.75) / 4
    graded = source("nhs.example", relevance=Relevance(1.0, 0.5, 0.0))
    cited = statement(0, [0], FULL, claims=[(FULL,), (PARTIAL,)])
    got = weighted([NHS], graded, [cited], freshness_matters=True)
    assert got.hits == pytest.approx(0.5625)


def test_weights_are_the_operator_s():
    # topical fit 0.4 weighs 3, support 0 weighs 1: 1.2 / 4
    graded = source("nhs.example", relevance=Relevance(topical_fit=0.4))
    policy = Policy(relevance=RelevanceWeights(topical_fit=3.0))
    cited = statement(0, [0], AGAINST, claims=[(AGAINST,)])
    assert weighted([NHS], graded, [cited], policy).hits == pytest.approx(0.3)


def test_support_of_a_page_among_others_is_its_own():
    # NHS alone does not support, the blog does: (1 + 0) / 2
    graded = source("nhs.example", relevance=Relevance(topical_fit=1.0))
    cited = statement(0, [0, 1], FULL, alone={0: NO, 1: FULL})
    got = weighted([NHS, BLOG], graded, [cited])
    assert counts(got) == (0.5, 1, {"ungraded": 1})


def test_out_of_scope_is_worth_nothing_whatever_is_recorded():
    graded = source("nhs.example", Grade.OUT_OF_SCOPE, relevance=Relevance(1.0, 1.0, 1.0))
    assert weighted([NHS], graded).hits == 0
