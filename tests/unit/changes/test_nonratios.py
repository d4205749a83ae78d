"""Concentration, stability and overlap of two samples; all samples are synthetic."""

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from monitor.changes import compare
from monitor.domain.change import ChangeRules, ChangeVerdict, Comparison
from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Rate, Undefined, UndefinedReason
from monitor.scoring import concentration, family_overlap, repeat_overlap
from monitor.store.codec import decode, encode
from tests.assessed import tally

LOST = {"citation_recall": Undefined(UndefinedReason.NO_ANSWERED)}
FAMILIES = [f"f{n}" for n in range(12)]


def months(before, after, **options):
    names = {"engine": "alpha", "panel_version": "p@1", "before_id": "A", "after_id": "B"}
    return compare(before, after, **(names | options))


def even(prompts, *, heavy=0.0, seed=1, answers=2, citations=12, measures=None):
    """Answers citing twelve families; `heavy` of the citations go to the first of them."""
    rng = np.random.default_rng(seed)
    made = []
    for p in range(prompts):
        lean = (1 - heavy) * rng.dirichlet(np.ones(12)) + heavy * np.eye(12)[0]
        for repeat in range(1, answers + 1):
            counts = rng.multinomial(citations, lean)
            cited = {f: int(n) for f, n in zip(FAMILIES, counts, strict=True) if n}
            made.append(tally(f"p{p:02}", cited, repeat, measures))
    return made


def sets(*answers):
    """One prompt's answers from the letters they cite."""
    return [dict.fromkeys(letters, 1) for letters in answers]


def side(per_prompt, prompts=30):
    """A sample whose prompts' answers are those of `per_prompt`, in turns."""
    return [
        tally(f"p{p:02}", counts, repeat=r)
        for p in range(prompts)
        for r, counts in enumerate(per_prompt[p % len(per_prompt)], start=1)
    ]


def test_citations_that_gather_on_one_family_are_a_change_of_concentration():
    got = months(even(40), even(40, heavy=0.4, seed=2)).concentration
    assert got.verdict is ChangeVerdict.CHANGED
    assert got.test.interval.low > 1
    assert got.test.effective_change < -0.2
    assert got.test.ratio == pytest.approx(got.after.cross_prompt / got.before.cross_prompt)
    assert got.after.effective_sources < got.before.effective_sources


def test_concentration_that_only_scatters_is_no_clear_change():
    got = months(even(40), even(40, seed=2)).concentration
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE
    assert got.test.interval.low < 1 < got.test.interval.high


def test_headline_is_the_plug_in_of_all_citations():
    # 6 and 2 citations in every answer: 0.75^2 + 0.25^2 = 0.625, 1.6 effective sources
    sample = side([[{"a": 6, "b": 2}]])
    got = months(sample, sample).concentration
    assert (got.before.hhi, got.before.effective_sources) == (0.625, 1.6)
    assert (got.before.citations, got.before.families, got.difference) == (240, 2, 0)


def test_headline_equals_the_scorecard_s_where_all_prompts_match():
    before, after = even(25), even(25, seed=2)
    got, card = months(before, after).concentration, concentration(before)
    assert got.before.hhi == pytest.approx(card.hhi)
    assert (got.before.bounds.low, got.before.bounds.high) == pytest.approx(
        (card.bounds.low, card.bounds.high)
    )
    assert (got.before.citations, got.before.families) == (card.citations, card.families)
    assert got.before.cross_prompt == pytest.approx(card.cross_prompt)
    assert got.before.cross_prompt_interval.high == pytest.approx(card.cross_prompt_interval.high)


def test_unresolved_citations_widen_the_bounds_and_are_no_family():
    # 6, 2 and one unresolved in 30 answers: (36 + 4) / 64; bounds of 180, 60 and 30 unknown
    got = months(*[side([[{"a": 6, "b": 2, "?": 1}]])] * 2).concentration.before
    assert (got.hhi, got.citations, got.families) == (0.625, 270, 2)
    assert (got.bounds.low, got.bounds.high) == pytest.approx(
        ((180**2 + 60**2 + 30) / 270**2, (210**2 + 60**2) / 270**2)
    )


def test_same_sample_has_no_change_of_concentration():
    sample = even(30)
    got = months(sample, sample).concentration
    assert (got.test.ratio, got.test.p_value, got.difference) == (1, 1, 0)
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE


def test_more_citations_of_the_same_kind_are_no_change_of_concentration():
    sample = even(30)
    more = [replace(t, families={f: 3 * n for f, n in t.families.items()}) for t in sample]
    assert months(sample, more).concentration.test.p_value == 1


def test_lost_answers_do_not_change_concentration():
    # p00 answers alike three times and loses two of them: counts fall, means per answer do not
    before = [*even(30), *(tally("x", {"f0": 9}, r) for r in (1, 2, 3))]
    after = [*even(30), tally("x", {"f0": 9}), *(tally("x", {}, r, LOST) for r in (2, 3))]
    got = months(before, after).concentration
    assert got.test.ratio == pytest.approx(1)
    assert got.before.hhi > got.after.hhi


def test_a_clear_but_small_change_of_concentration_is_no_clear_change():
    # two families 55:45 to 65:35, effective sources 1.98 to 1.83: 7 % of the larger
    def split(share, seed):
        draws = np.random.default_rng(seed).binomial(100, share, 60)
        return [tally(f"p{p:02}", {"a": int(n), "b": 100 - int(n)}) for p, n in enumerate(draws)]

    got = months(split(0.55, 1), split(0.65, 2)).concentration
    assert got.test.adjusted < 0.001
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE
    assert "under 20%" in got.because


def test_middling_evidence_of_concentration_is_watched():
    rules = ChangeRules(q_changed=0.0, q_watch=1.0)
    got = months(even(40), even(40, heavy=0.4, seed=2), rules=rules)
    assert got.concentration.verdict is ChangeVerdict.WATCH


def measured(seed):
    rng = np.random.default_rng(seed)
    return [
        replace(t, measures={name: Rate(int(rng.binomial(9, 0.6)), 9) for name in "xyz"})
        for t in even(40, seed=seed)
    ]


def test_concentration_shares_the_false_discovery_rate_of_the_measures_alone():
    got = months(measured(1), measured(2))
    tests = [c.test for c in got.measures] + [got.concentration.test]
    expected = multipletests([t.p_value for t in tests], method="fdr_bh")[1]
    assert [t.adjusted for t in tests] == pytest.approx(expected)
    families = [c.test for c in got.families if c.test.adjusted is not None]
    expected = multipletests([t.p_value for t in families], method="fdr_bh")[1]
    assert [t.adjusted for t in families] == pytest.approx(expected)


def test_concentration_of_few_citations_is_not_tested():
    few = [t for t in even(40, answers=1, citations=1) if int(t.prompt_id[1:]) < 8]
    rest = [tally(f"p{p:02}", {"?": 3}) for p in range(8, 40)]
    got = months([*few, *rest], [*few, *rest]).concentration
    assert got.verdict is ChangeVerdict.NOT_ENOUGH_DATA
    assert got.test is None
    assert got.because.startswith("16 citations in 8 prompts over both samples")


@pytest.mark.parametrize(("prompts", "tested"), [(19, True), (9, False)])
def test_small_panels_have_no_verdict_of_concentration_and_overlap(prompts, tested):
    got = months(even(prompts), even(prompts, heavy=0.8, seed=2))
    assert (got.concentration.test is not None) is tested
    assert (got.stability.interval is not None) is tested
    assert (got.overlap.interval is not None) is tested
    assert got.concentration.verdict is got.stability.verdict is ChangeVerdict.NOT_ENOUGH_DATA
    assert got.concentration.because.startswith(f"{prompts} matched prompts")


def test_small_panels_say_why_they_have_no_interval():
    got = months(even(9), even(9, seed=2))
    reasons = (got.concentration.reason, got.stability.reason, got.overlap.reason)
    assert reasons == (NoEstimate.FEW_PROMPTS,) * 3


def test_prompts_that_all_moved_alike_leave_concentration_without_a_test():
    got = months(side([[{"a": 4, "b": 1}]]), side([[{"a": 2, "b": 3}]])).concentration
    assert (got.test, got.reason) == (None, NoEstimate.NO_VARIATION)
    assert got.because == "all prompts moved alike, which leaves no error"


def test_a_closed_gate_leaves_nothing_to_tell():
    got = months(even(30), even(30), blocked=["locale"])
    assert (got.concentration, got.stability, got.overlap) == (None, None, None)


def test_concentration_counts_for_the_whole_and_stability_does_not():
    rules = ChangeRules(q_watch=0.0, q_changed=0.0)
    got = months(even(30), even(30, seed=2), rules=rules)
    changed = replace(got.concentration, verdict=ChangeVerdict.CHANGED)
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE
    assert replace(got, concentration=changed).verdict is ChangeVerdict.CHANGED
    moved = replace(got.stability, verdict=ChangeVerdict.CHANGED)
    assert replace(got, stability=moved).verdict is ChangeVerdict.NO_CLEAR_CHANGE


# Stability and overlap.
SAME, APART = sets("ab", "ab"), sets("ab", "cd")


def test_repeats_that_begin_to_agree_change_the_stability():
    # before: half of the prompts repeat themselves, half do not: 0.5; after: all do
    got = months(side([SAME, APART]), side([SAME])).stability
    assert (got.before.mean, got.after.mean, got.difference) == (0.5, 1, 0.5)
    assert got.before.interval.low < 0.5 < got.before.interval.high
    assert got.interval.low > 0
    assert got.verdict is ChangeVerdict.CHANGED


def test_a_level_of_overlap_that_never_varies_has_no_interval():
    got = months(side([SAME]), side([SAME]))
    assert (got.stability.before.interval, got.overlap.interval) == (None, None)
    assert got.stability.before.reason is got.overlap.reason is NoEstimate.NO_VARIATION
    assert got.stability.verdict is ChangeVerdict.NO_CLEAR_CHANGE


def test_overlap_of_before_and_after_is_the_mean_over_all_pairs():
    # {a b} and {a b} against {a b} and {c d}: 1, 0, 1, 0; in the other prompts all are alike
    got = months(side([SAME]), side([APART, SAME])).overlap
    assert (got.mean, got.prompts, got.undefined) == (0.75, 30, 0)


def test_overlaps_equal_those_of_whole_samples_where_all_prompts_match():
    before, after = even(25), even(25, seed=2)
    got = months(before, after)
    assert got.stability.before.mean == pytest.approx(repeat_overlap(before).mean)
    assert got.stability.after.mean == pytest.approx(repeat_overlap(after).mean)
    assert got.overlap.mean == pytest.approx(family_overlap(before, after).mean)


def test_prompts_without_an_overlap_on_one_side_are_left_out_and_counted():
    # in a third of the prompts only one answer came after, in a third no family is cited
    after = [sets("ab", "ab"), sets("ab"), [{"?": 1}, {}]]
    got = months(side([APART]), side(after)).stability
    assert (got.before.prompts, got.before.undefined) == (10, 20)
    assert (got.before.mean, got.after.mean, got.difference) == (0, 1, 1)
    assert got.because.startswith("10 prompts with repeats that cite on both sides")


def test_a_sure_change_of_four_points_is_not_worth_a_word():
    wide = [f"f{n}" for n in range(25)]
    same, less = [[dict.fromkeys(wide, 1)] * 2], [[dict.fromkeys(w, 1) for w in (wide, wide[1:])]]
    got = months(side(same), side(less)).stability
    assert got.difference == pytest.approx(-0.04)
    assert got.interval.high < 0
    assert got.verdict is ChangeVerdict.NO_CLEAR_CHANGE


def test_more_families_an_answer_are_told_with_the_stability():
    got = months(even(30, citations=6), even(30, citations=30, seed=2)).stability
    assert got.verdict is ChangeVerdict.CHANGED
    assert "which alone moves an overlap" in got.because


def test_the_same_comparison_gives_the_same_numbers():
    samples = even(30), even(30, heavy=0.2, seed=2)
    first, second, other = months(*samples), months(*samples), months(*samples, after_id="C")
    assert first == second
    assert other.seed != first.seed
    p_values = [[c.test.p_value for c in one.families] for one in (first, other)]
    assert p_values[0] != p_values[1]
    assert first.stability.interval != other.stability.interval


def test_a_comparison_is_stored_with_all_of_it_and_read_without():
    got = months(even(30), even(30, heavy=0.3, seed=2))
    stored = encode(Comparison, got)
    assert decode(Comparison, stored) == got
    for name in ("concentration", "stability", "overlap"):
        del stored[name]
    old = decode(Comparison, stored)
    assert (old.concentration, old.stability, old.overlap) == (None, None, None)
    assert old.families == got.families
