"""Tallies, their sum, shares, concentration and overlap."""

import pytest

from monitor.domain.assessment import AnswerFormat, Policy
from monitor.domain.engine import Outcome
from monitor.domain.score import Coverage, Rate, Undefined, UndefinedReason
from monitor.scoring import (
    MEASURES,
    answer_mean,
    category_tallies,
    concentration,
    family_overlap,
    family_shares,
    measure,
    panel_wide_overlap,
    prompt_mean,
    repeat_overlap,
    scorecard,
    segment_keys,
    shared_families,
    shared_groups,
    tally,
)
from tests import assessed
from tests.assessed import FULL, NO, baseline, capture, claim, page, prompt, source, statement

STALE = Undefined(UndefinedReason.BASELINE_STALE)
NO_ANSWERED = Undefined(UndefinedReason.NO_ANSWERED)
COVERAGE = Coverage(1, 1, 1, 1, {"answered": 1})


def card(tallies, **fields):
    heading = {
        "panel": "p", "run": "r", "engine": "alpha", "coverage": COVERAGE,
        "signature": "s", "recipe": "h",
    }  # fmt: skip
    return scorecard(tallies, **(heading | fields))


def test_answered_capture_has_every_measure():
    wanted = baseline([source("a.example", supports=["c1"])], [claim("c1")])
    seen = capture([page("a.example/1")], [statement(0, [0], FULL)], evidence={("c1", 0): FULL})
    got = tally(seen, wanted, Policy())
    assert set(got.measures) == set(MEASURES)
    assert got.measures["required_source_recall"] == Rate(1, 1)
    assert got.categories["claim_evidence_recall", "core_fact"] == Rate(1, 1)
    assert (got.families, got.answered) == ({"a.example": 1}, True)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(Outcome.TRUNCATED, None), (Outcome.BLOCKED, "captcha"), (Outcome.ERROR, "server")],
)
def test_capture_that_was_not_answered_has_no_rates(outcome, reason):
    got = tally(capture(outcome=outcome, reason=reason), baseline(), Policy())
    assert set(got.measures.values()) == {NO_ANSWERED}
    assert (got.answered, got.families) == (False, {})


def test_no_answer_has_only_its_own_rate():
    got = tally(capture(outcome=Outcome.NO_ANSWER, reason="declined"), baseline(), Policy())
    assert got.measures["no_answer_rate"] == Rate(1, 1)
    assert got.measures["citation_recall"] == NO_ANSWERED
    assert got.answered is False


def test_missing_baseline_gives_its_reason_and_leaves_the_rest():
    got = tally(capture([page("a.example/1")], [statement(0, [0], FULL)]), STALE, Policy())
    needing = {name for name, row in MEASURES.items() if row.needs_baseline}
    assert {name for name, part in got.measures.items() if part == STALE} == needing
    assert got.measures["citation_recall"] == Rate(1, 1)


def test_scorecard_pools_counts():
    # prompt p1: 1 of 1, prompt p2: 1 of 3 -> 2 of 4
    parts = [
        assessed.tally("p1", measures={"citation_recall": Rate(1, 1)}),
        assessed.tally("p2", measures={"citation_recall": Rate(1, 3, {"pending": 2})}),
    ]
    got = card(parts).measures["citation_recall"]
    assert got.rate == Rate(2, 4, {"pending": 2})
    assert (got.prompts, got.interval) == (2, None)


def test_macro_means_have_names_of_their_own():
    # answers 1, 0 (p1) and 1 (p2): answer mean 2/3; prompts 1/2 and 1: prompt mean 3/4
    rates = (("p1", 1, Rate(1, 1)), ("p1", 2, Rate(0, 1)), ("p2", 1, Rate(2, 2)))
    parts = [assessed.tally(p, repeat=r, measures={"citation_recall": m}) for p, r, m in rates]
    by_answer, by_prompt = (
        answer_mean(parts, "citation_recall"),
        prompt_mean(parts, "citation_recall"),
    )
    assert (by_answer.name, by_answer.value) == (
        "citation_recall_answer_mean",
        pytest.approx(2 / 3),
    )
    assert (by_prompt.name, by_prompt.value) == ("citation_recall_prompt_mean", 0.75)


def test_interval_needs_ten_prompts():
    parts = [
        assessed.tally(f"p{i}", measures={"citation_recall": Rate(i % 2, 1)}) for i in range(10)
    ]
    assert measure(parts[:9], "citation_recall").interval is None
    assert measure(parts, "citation_recall").interval.method == "wilson, prompt clusters, t"


def test_undefined_measure_keeps_the_reason_of_the_answers():
    missing = Undefined(UndefinedReason.NOT_EXPOSED)
    parts = [
        assessed.tally("p1", measures={"retrieved_source_recall": missing}),
        *(
            assessed.tally(f"q{i}", measures={"retrieved_source_recall": NO_ANSWERED})
            for i in range(3)
        ),
    ]
    assert card(parts).measures["retrieved_source_recall"].rate == missing


def test_run_without_any_answer_has_no_rates():
    got = card([assessed.tally("p1", measures=dict.fromkeys(MEASURES, NO_ANSWERED))])
    assert {part.rate for part in got.measures.values()} == {NO_ANSWERED}
    assert (got.families, got.concentration.hhi) == ((), None)


def test_six_and_two_citations_have_hhi_of_0_625():
    got = concentration([assessed.tally("p1", {"a": 4}), assessed.tally("p2", {"a": 2, "b": 2})])
    assert (got.hhi, got.effective_sources, got.citations, got.families) == (0.625, 1.6, 8, 2)
    assert (got.bounds.low, got.bounds.high) == (0.625, 0.625)


def test_unresolved_citations_stay_in_the_denominator():
    # a: 3 of 5, could be 4 of 5
    parts = [assessed.tally("p1", {"a": 2, "?": 1}), assessed.tally("p2", {"a": 1, "b": 1})]
    first, second = family_shares(parts)
    assert (first.family, first.rate, first.prompts) == ("a", Rate(3, 5), 2)
    assert (first.bounds.low, first.bounds.high) == (0.6, 0.8)
    assert second.family == "b"


def test_a_family_that_no_answer_cites_has_an_interval_above_zero():
    # 10 prompts, t with 9 degrees of freedom at 97.5 % is 2.2622: Wilson of 0 of 10 ends at
    # t^2 / (10 + t^2) = 5.1174 / 15.1174 = 0.33851.
    parts = [assessed.tally(f"p{n}", {"a": 1 + n % 2}) for n in range(10)]
    got = card(parts).uncited
    assert got.low == 0
    assert got.high == pytest.approx(0.33851, abs=1e-5)
    assert card(parts[:9]).uncited is None


def test_only_unresolved_citations_have_bounds_but_no_hhi():
    got = concentration([assessed.tally("p1", {"?": 4})])
    assert (got.hhi, got.bounds.low, got.bounds.high) == (None, 0.25, 1)


def test_copies_count_once_in_independent_shares():
    copies = [page(f"{name}.example/1", group="wire") for name in "abc"]
    got = tally(capture([*copies, page("d.example/1")]), STALE, Policy())
    shares = {s.family: s for s in family_shares([got])}
    assert shares["a.example"].rate == Rate(1, 4)
    assert shares["a.example"].independent == Rate(1, 2)
    assert shares["b.example"].independent == Rate(0, 2)


def test_category_tallies_carry_only_category_measures():
    wanted = baseline([], [claim("c1")])
    full = tally(capture([page("a.example/1")], evidence={("c1", 0): NO}), wanted, Policy())
    core, other = (category_tallies([full], name)[0] for name in ("core_fact", "exception"))
    assert core.measures["claim_evidence_recall"] == Rate(0, 1)
    assert other.measures["claim_evidence_recall"].reason is UndefinedReason.NO_REQUIRED
    assert set(card([core]).measures) == {"claim_evidence_recall", "required_claim_coverage"}


def test_overlap_is_the_mean_over_pairs_then_prompts():
    # p1: {a} with {a,b} 1/2 and with {b} 0 -> 1/4; p2: equal -> 1; mean 5/8
    left = [assessed.tally("p1", {"a": 1}), assessed.tally("p2", {"c": 2})]
    right = [
        assessed.tally("p1", {"a": 1, "b": 1}), assessed.tally("p1", {"b": 1}, repeat=2),
        assessed.tally("p2", {"c": 1}), assessed.tally("p3", {"z": 1}),
    ]  # fmt: skip
    got = family_overlap(left, right)
    assert (got.mean, got.prompts) == (0.625, 2)
    assert panel_wide_overlap(left, right) == 0.5


def test_repeats_overlap_only_where_there_are_several():
    parts = [
        assessed.tally("p1", {"a": 1}), assessed.tally("p1", {"a": 1, "b": 1}, repeat=2),
        assessed.tally("p2", {"a": 1}), assessed.tally("p3", {"?": 1}), assessed.tally("p3", {}, repeat=2),
    ]  # fmt: skip
    got = repeat_overlap(parts)
    assert (got.mean, got.prompts, got.undefined) == (0.5, 1, 1)


def test_shared_sources_name_their_engines():
    samples = {
        "x": [assessed.tally("p1", {"a": 1, "?": 2})],
        "y": [assessed.tally("p1", {"a": 1, "b": 1, "?": 1})],
    }
    assert shared_families(samples) == {"a": ("x", "y")}
    copies = {
        "x": [capture([page("a.example/1", group="g")])],
        "y": [capture([page("b.example/1", group="g")])],
    }
    assert shared_groups(copies) == {"g": ("x", "y")}


def test_segments_of_a_capture():
    seen = capture(answer_format=AnswerFormat.LIST)
    assert segment_keys(seen) == ("all", "risk=standard", "locale=en-GB", "answer_format=list")


def test_product_cards_make_a_shopping_answer():
    seen = capture(answer_format=AnswerFormat.LIST, shopping=True, prompt=prompt())
    assert segment_keys(seen)[-1] == "answer_format=shopping"
