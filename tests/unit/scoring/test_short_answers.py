"""Answer-side measures and those of snippets, each with its hand computation."""

import pytest

from monitor.domain.claim import Support, Verdict
from monitor.domain.score import Rate
from monitor.scoring.evaluated import (
    percent_mean,
    snippet_f1,
    snippet_precision,
    snippet_recall,
    snippets_about,
)
from monitor.scoring.short_answers import harmonic, list_answer, normal_form, short_answers

FULL, PARTIAL = Verdict(Support.FULL), Verdict(Support.PARTIAL)
NO, AGAINST = Verdict(Support.UNSUPPORTED), Verdict(Support.CONTRADICTED)
UNCLEAR = Verdict(Support.NOT_ASSESSABLE, ("judge_unclear",))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The  Old Man, and a Sea!", "old man and sea"),
        ("U.S.A.", "usa"),
        ("an", ""),
        ("theatre", "theatre"),  # an article inside a word stays
        ("The-A-Team", "theateam"),  # punctuation goes first, as in SQuAD
        ("«Élan»", "«élan»"),  # only ASCII punctuation goes
    ],
)
def test_texts_are_compared_in_the_normal_form_of_squad(text, form):
    assert normal_form(text) == form


def test_short_answers_are_found_in_any_of_their_spellings():
    # "1969" stands there, "Armstrong" by its second spelling, "Collins" by none: 2 of 3.
    found = short_answers(
        [["1969"], ["N. Alden Armstrong", "Armstrong"], ["Michael Collins"]],
        "In 1969, the Armstrong crew landed.",
    )
    assert (found.found, found.wanted) == (2, 3)
    assert found.exact_match == pytest.approx(2 / 3)
    assert found.hit == 0.0
    assert short_answers([["45 minutes"]], "It takes 45 minutes.").hit == 1.0


def test_no_wanted_answers_are_no_value():
    assert (short_answers([], "x").exact_match, short_answers([], "x").hit) == (None, None)
    assert (list_answer([], "x").recall, list_answer([], "x").f1) == (None, None)
    assert list_answer([], "x").recall_top is None


QAMPARI = [["Ada"], ["Bo", "Bo Smith"], ["Cy"], ["Di"], ["Ed"], ["Flo"], ["Gus"], ["Hal"]]


def test_a_list_answer_is_counted_as_qampari_does():
    # Parts: ada, bo smith, nobody, cy (`, ,` is empty and left out): 4 parts, 3 right.
    # precision 3/4; recall 3/8; recall-5 3/min(5, 8) = 3/5;
    # F1 2 * .75 * .375 / 1.125 = 0.5; F1-5 2 * .75 * .6 / 1.35 = 2/3.
    found = list_answer(QAMPARI, "Ada, Bo Smith, , Nobody, the Cy.")
    assert (found.given, found.right, found.found, found.wanted) == (4, 3, 3, 8)
    assert found.precision == 0.75
    assert found.recall == 0.375
    assert found.recall_top == pytest.approx(0.6)
    assert found.f1 == pytest.approx(0.5)
    assert found.f1_top == pytest.approx(2 / 3)


def test_five_right_answers_are_enough_for_recall_5():
    # 6 of 8 found: recall 6/8, recall-5 min(5, 6)/min(5, 8) = 1.
    found = list_answer(QAMPARI, "Ada, Bo, Cy, Di, Ed, Flo")
    assert (found.recall, found.recall_top) == (0.75, 1.0)


def test_fewer_than_five_wanted_answers_are_the_denominator_of_recall_5():
    # 1 of 2 found: min(5, 1)/min(5, 2) = 1/2.
    assert list_answer([["Ada"], ["Bo"]], "Ada").recall_top == 0.5


def test_repeats_count_for_precision_and_once_for_recall():
    # ada, ada, zed: 2 of 3 parts are right, 1 of 2 answers is found.
    found = list_answer([["Ada"], ["Bo"]], "Ada, ada, Zed")
    assert (found.precision, found.recall) == (pytest.approx(2 / 3), 0.5)


def test_an_empty_list_answer_has_precision_and_f1_of_0():
    found = list_answer([["Ada"]], " . ")
    assert (found.given, found.precision, found.recall, found.f1) == (0, 0.0, 0.0, 0.0)


def test_trailing_stops_go_before_trailing_commas():
    assert list_answer([["Ada"]], "Ada,. ").given == 1


@pytest.mark.parametrize(
    ("verdict", "rate"),
    [
        (FULL, Rate(1, 1)),
        (PARTIAL, Rate(0.5, 1)),
        (NO, Rate(0, 1)),
        (AGAINST, Rate(0, 1)),
        (UNCLEAR, Rate(0, 0, {"judge_unclear": 1})),
        (None, Rate(0, 0, {"no_citations": 1})),
    ],
)
def test_recall_of_a_row_is_how_far_all_snippets_support_it(verdict, rate):
    assert snippet_recall(verdict) == rate


def test_precision_of_a_row_is_the_share_of_snippets_about_it():
    # full, partial and contradicted are about it; one is not; one is unclear: 3 of 4.
    about = snippets_about([FULL, PARTIAL, AGAINST, NO, UNCLEAR])
    assert about == Rate(3, 4, {"judge_unclear": 1})
    assert snippet_precision(about) == Rate(0.75, 1)


def test_precision_without_a_judged_snippet_is_not_assessable():
    assert snippet_precision(snippets_about([UNCLEAR])) == Rate(0, 0, {"judge_unclear": 1})
    assert snippet_precision(snippets_about([])) == Rate(0, 0, {"no_citations": 1})


def test_f1_is_harmonic_0_where_either_is_0_and_absent_where_either_is():
    # 2 * 0.5 * 1 / 1.5 = 2/3
    assert snippet_f1(Rate(0.5, 1), Rate(1, 1)).value == pytest.approx(2 / 3)
    assert snippet_f1(Rate(0, 1), Rate(1, 1)) == Rate(0, 1)
    assert snippet_f1(Rate(1, 1), Rate(0, 0, {"judge_unclear": 1})).value is None
    assert snippet_f1(Rate(0, 0, {"judge_error": 1}), Rate(1, 1)).value is None
    assert harmonic(0.0, 0.0) == 0.0


def test_no_values_have_no_mean():
    assert percent_mean([]) is None
    assert percent_mean([1.0, 0.5]) == 75.0
