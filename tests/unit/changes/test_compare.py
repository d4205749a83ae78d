"""Two samples compared: gates, eligibility, verdicts."""

import numpy as np
import pytest

from monitor.changes import compare
from monitor.changes.panel import left_out
from monitor.changes.verdicts import shortage
from monitor.domain.change import (
    Appearance,
    ChangeRules,
    ChangeVerdict,
    Event,
    EventKind,
    LeftOut,
    LeftOutReason,
    Subject,
)
from monitor.domain.score import Coverage, Rate, Undefined, UndefinedReason
from tests.assessed import tally

NO_ANSWERED = Undefined(UndefinedReason.NO_ANSWERED)
LOST = {"citation_recall": NO_ANSWERED}


def months(before, after, **options):
    names = {"engine": "alpha", "panel_version": "p@1", "before_id": "A", "after_id": "B"}
    return compare(before, after, **(names | options))


def month(prompts, a, rest, repeats=3, measures=None):
    """Every prompt cites family `a` so often and family `rest` so often in each repeat."""
    counts = {family: n for family, n in (("a", a), ("rest", rest)) if n}
    return [
        tally(f"p{p:02}", counts, repeat=r, measures=measures)
        for p in range(prompts)
        for r in range(1, repeats + 1)
    ]


def noisy(prompts, share, seed):
    """Prompts whose share of family `a` scatters around `share`, ten citations an answer."""
    rng = np.random.default_rng(seed)
    draws = rng.binomial(10, rng.beta(20 * share, 20 * (1 - share), prompts))
    return [tally(f"p{p:02}", {"a": int(n), "rest": 10 - int(n)}) for p, n in enumerate(draws)]


def change_of(comparison, name):
    return next(c for c in (*comparison.families, *comparison.measures) if c.name == name)


def test_same_sample_has_no_change():
    sample = noisy(40, 0.3, 1)
    got = months(sample, sample)
    assert {c.verdict for c in got.families} == {ChangeVerdict.NO_CLEAR_CHANGE}
    assert {c.test.p_value for c in got.families} == {1.0}
    assert (got.changed, got.verdict) == ((), ChangeVerdict.NO_CLEAR_CHANGE)


def test_large_change_is_called_one():
    got = change_of(months(noisy(40, 0.2, 1), noisy(40, 0.5, 2)), "a")
    assert got.verdict is ChangeVerdict.CHANGED
    assert got.test.interval.low > 0.1
    assert got.test.smallest_detectable == pytest.approx(2.8 * got.test.standard_error)


def test_clear_but_tiny_change_is_not_worth_a_word():
    # 50 of 100 and 50.5 of 100 in every prompt: certain, but half a point
    got = change_of(months(month(30, 100, 100), month(30, 102, 100)), "a")
    assert got.test.adjusted <= 0.05
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE
    assert "under the least" in got.because


def test_change_of_one_point_must_also_be_a_fifth_of_the_share():
    # 50 % to 55 % in every prompt: five points, but only 9 % of the larger share
    got = change_of(months(month(30, 50, 50), month(30, 55, 45)), "a")
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE


def test_unequal_volume_is_no_change():
    got = months(month(30, 1, 4), month(30, 3, 12))
    assert {c.verdict for c in got.families} == {ChangeVerdict.NO_CLEAR_CHANGE}
    assert {c.difference for c in got.families} == {0.0}


def test_lost_answers_do_not_shift_weight():
    # p00 holds all of family a and lost two of three answers in B; shares per prompt are equal
    before = [*month(30, 0, 5), *(tally("x", {"a": 5}, repeat=r) for r in (1, 2, 3))]
    after = [*month(30, 0, 5), tally("x", {"a": 5}), *(tally("x", {}, r, LOST) for r in (2, 3))]
    got = change_of(months(before, after), "a")
    assert got.difference == 0
    assert got.before.pooled.value > got.after.pooled.value
    assert got.after.levels_differ is True


def test_edited_prompts_are_not_matched():
    # ten of thirty prompts carry another text hash in B
    edited = {f"p{p:02}" for p in range(10)}
    before, after = month(30, 1, 4), [
        tally(f"{t.prompt_id}@2" if t.prompt_id in edited else f"{t.prompt_id}@1", t.families)
        for t in month(30, 1, 4)
    ]  # fmt: skip
    got = months(
        before, after, key=lambda t: t.prompt_id if "@" in t.prompt_id else f"{t.prompt_id}@1"
    )
    assert (got.gates.matched, got.gates.panel) == (20, 30)
    assert got.verdict is ChangeVerdict.NOT_COMPARABLE
    assert got.gates.failures == ("20 of 30 prompts matched, 80% needed",)


def test_prompts_that_are_left_out_are_named_with_the_reason():
    before = {"same": "1", "edited": "2", "renamed": "3", "gone": "4", "silent": "5"}
    after = {"same": "1", "edited": "9", "new-name": "3", "new": "6", "silent": "5"}
    assert left_out(before, after, {"same"}) == (
        LeftOut("edited", LeftOutReason.EDITED),
        LeftOut("renamed", LeftOutReason.RENAMED, "new-name"),
        LeftOut("gone", LeftOutReason.ONLY_BEFORE),
        LeftOut("new", LeftOutReason.ONLY_AFTER),
        LeftOut("silent", LeftOutReason.UNANSWERED),
    )


def test_a_copy_of_a_question_is_no_other_name_of_it():
    # The text of `first` stands under both ids afterwards: `second` came, nothing was renamed.
    found = left_out({"first": "1"}, {"first": "1", "second": "1"}, {"first"})
    assert found == (LeftOut("second", LeftOutReason.ONLY_AFTER),)


def test_nothing_is_left_out_where_all_prompts_match():
    assert months(month(30, 1, 4), month(30, 1, 4)).left_out == ()


def test_a_comparison_names_prompts_without_an_answer_and_prompts_of_one_side():
    after = [
        *month(28, 1, 4),
        *(tally("p28", {}, r, LOST) for r in (1, 2, 3)),
        tally("p30", {"a": 1}),
    ]
    got = months(month(30, 1, 4), after)
    assert got.left_out == (
        LeftOut("p29", LeftOutReason.ONLY_BEFORE),
        LeftOut("p30", LeftOutReason.ONLY_AFTER),
        LeftOut("p28", LeftOutReason.UNANSWERED),
    )
    assert (got.gates.matched, got.is_comparable) == (28, True)


@pytest.mark.parametrize(("kept", "comparable"), [(24, True), (23, False)])
def test_four_fifths_of_the_panel_must_match(kept, comparable):
    after = [t if int(t.prompt_id[1:]) < kept else tally(t.prompt_id, {}, t.repeat, LOST)
             for t in month(30, 1, 4)]  # fmt: skip
    assert months(month(30, 1, 4), after).is_comparable is comparable


@pytest.mark.parametrize(("heard", "comparable"), [(90, True), (89, False)])
def test_nine_tenths_of_the_plan_must_be_heard(heard, comparable):
    full, part = Coverage(100, 100, 100, 100, {}), Coverage(100, 100, heard, 80, {})
    sample = month(30, 1, 4)
    got = months(sample, sample, coverage=(full, part))
    assert got.is_comparable is comparable
    assert bool(got.families) is comparable


def test_unlike_recipes_are_refused_by_name():
    sample = month(30, 1, 4)
    got = months(sample, sample, blocked=["locale", "judge"])
    assert got.gates.failures == ("recipe differs in locale", "recipe differs in judge")
    assert (got.families, got.measures) == ((), ())


@pytest.mark.parametrize(
    ("counted", "told"), [(9, "9 counted"), (9.0, "9 counted"), (9.0625, "9.1 counted")]
)
def test_what_is_counted_in_parts_is_told_with_one_decimal(counted, told):
    assert shortage(counted, 12, ChangeRules(), Subject.MEASURE).startswith(f"{told} in 12 ")


def test_few_citations_are_not_enough_data():
    rare = [tally(f"p{p:02}", {"rest": 5} | ({"new": 1} if p < 9 else {})) for p in range(30)]
    got = change_of(months(month(30, 0, 5, 1), rare), "new")
    assert (got.verdict, got.appearance) == (ChangeVerdict.NOT_ENOUGH_DATA, Appearance.APPEARED)
    assert got.test.adjusted is None
    assert got.because == (
        "9 citations in 9 prompts over both samples; a test needs 20 in 10 prompts"
    )


def test_many_citations_in_few_prompts_are_not_enough_data():
    rare = [tally(f"p{p:02}", {"rest": 5} | ({"new": 9} if p < 9 else {})) for p in range(30)]
    assert (
        change_of(months(month(30, 0, 5, 1), rare), "new").verdict is ChangeVerdict.NOT_ENOUGH_DATA
    )


def test_family_that_vanishes_from_many_prompts_has_changed():
    got = change_of(months(month(30, 1, 4), month(30, 0, 5)), "a")
    assert (got.verdict, got.appearance) == (ChangeVerdict.CHANGED, Appearance.DISAPPEARED)


def test_slices_under_twenty_prompts_have_intervals_but_no_verdict():
    got = change_of(months(month(19, 1, 9), month(19, 6, 4)), "a")
    assert got.verdict is ChangeVerdict.NOT_ENOUGH_DATA
    assert got.test.p_value < 0.001
    assert got.because == "19 matched prompts: intervals only, verdicts from 20"


def test_slices_under_ten_prompts_have_counts_only():
    got = change_of(months(month(9, 1, 9), month(9, 6, 4)), "a")
    assert (got.verdict, got.test) == (ChangeVerdict.NOT_ENOUGH_DATA, None)
    assert (got.before.pooled, got.after.pooled) == (Rate(27, 270), Rate(162, 270))


def test_middling_evidence_is_watched():
    rules = ChangeRules(q_changed=0.0, q_watch=1.0)
    got = months(noisy(40, 0.2, 1), noisy(40, 0.5, 2), rules=rules)
    assert change_of(got, "a").verdict is ChangeVerdict.WATCH
    assert got.verdict is ChangeVerdict.WATCH


def test_events_come_with_the_change_and_never_suppress_it():
    event = Event(EventKind.SERVED_MODEL, "m-1", "m-2")
    got = months(noisy(40, 0.2, 1), noisy(40, 0.5, 2), events=[event])
    assert got.events == (event,)
    assert got.verdict is ChangeVerdict.CHANGED


def measured(hits, total, prompts=30):
    return month(prompts, 1, 4, 1, {"source_precision": Rate(hits, total)})


def test_measure_that_falls_is_called_changed():
    # 9 of 10 to 7 of 10: 20 points, more than a fifth of the larger complement (0.3)
    got = change_of(months(measured(9, 10), measured(7, 10)), "source_precision")
    assert got.verdict is ChangeVerdict.CHANGED
    assert (got.counted, got.prompts) == (600, 30)


def test_rate_and_its_complement_get_the_same_verdict():
    # 90 % to 84 %: six points of imprecision's 10 % to 16 %
    down = change_of(months(measured(90, 100), measured(84, 100)), "source_precision")
    up = change_of(months(measured(10, 100), measured(16, 100)), "source_precision")
    assert down.verdict is up.verdict is ChangeVerdict.CHANGED


def test_prompts_without_a_baseline_are_not_in_a_measure_s_panel():
    bare = [
        tally(f"q{i}", {"a": 1, "rest": 4}, measures={
            "source_precision": Undefined(UndefinedReason.NO_BASELINE)})
        for i in range(20)
    ]  # fmt: skip
    got = change_of(
        months([*measured(5, 10), *bare], [*measured(5, 10), *bare]), "source_precision"
    )
    assert got.prompts == 30


def test_no_answer_rate_is_compared_on_captures_heard():
    def heard(declined):
        answered = [
            tally(f"p{p:02}", {"rest": 1}, measures={"no_answer_rate": Rate(0, 1)})
            for p in range(30)
        ]
        silent = {"citation_recall": NO_ANSWERED, "no_answer_rate": Rate(1, 1)}
        return [*answered, *(tally(f"p{p:02}", {}, 2, silent) for p in range(declined))]

    got = change_of(months(heard(0), heard(25)), "no_answer_rate")
    # per prompt 1 of 2 heard captures declined: 25 of 55 pooled, 12.5 of 30 per prompt
    assert got.after.pooled == Rate(25, 55)
    assert got.difference == pytest.approx(12.5 / 30)
    assert got.verdict is ChangeVerdict.CHANGED


def test_nothing_on_one_side_is_not_enough_data():
    got = change_of(months(month(30, 1, 4), month(30, 0, 0)), "a")
    assert (got.after.share, got.difference, got.test) == (None, None, None)
    assert got.verdict is ChangeVerdict.NOT_ENOUGH_DATA


def test_two_empty_samples_are_not_comparable():
    assert months([], []).verdict is ChangeVerdict.NOT_COMPARABLE
