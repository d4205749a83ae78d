"""Several runs pooled as the side before: per-answer means, coverage, and slow drift."""

import numpy as np
import pytest

from monitor.changes import compare
from monitor.domain.change import ChangeRules, ChangeVerdict
from monitor.domain.sample import pooled_coverage
from monitor.domain.score import Coverage, Rate
from tests.assessed import tally


def months(before, after, **options):
    names = {"engine": "alpha", "panel_version": "p@1", "before_id": "A", "after_id": "B"}
    return compare(before, after, **(names | options))


def cited(prompt, pairs):
    """Answers to one prompt, each from its citations of family `a` and all of them."""
    return [tally(prompt, {"a": a, "rest": n - a}, repeat=r) for r, (a, n) in enumerate(pairs, 1)]


def test_pooled_runs_are_means_over_all_their_answers_prompt_by_prompt():
    # p1: run 1 cites a 2 of 4 and 0 of 2, run 2 1 of 6: x = 3/3 = 1, n = 12/3 = 4
    # p2: run 1 cites a 3 of 6, run 2 did not answer it: x = 3, n = 6
    # share (1 + 3) / (4 + 6) = 0.4; pooled counts 6 of 18
    first = [*cited("p1", [(2, 4), (0, 2)]), *cited("p2", [(3, 6)])]
    second = cited("p1", [(1, 6)])
    after = [*cited("p1", [(1, 2)]), *cited("p2", [(0, 3)])]
    change = next(c for c in months([*first, *second], after).families if c.name == "a")
    assert change.before.share == pytest.approx(0.4)
    assert change.before.pooled == Rate(6, 18)
    # after: (1 + 0) / (2 + 3) = 0.2
    assert change.difference == pytest.approx(-0.2)


def test_the_gate_holds_the_pooled_runs_together():
    # 10 of 10 and 7 of 10 heard: 17 of 20 is under nine tenths; with a third full run 27 of 30 holds
    full, part = Coverage(10, 10, 10, 10, {"answered": 10}), Coverage(10, 10, 7, 7, {"answered": 7})
    sample = [one for p in range(20) for one in cited(f"p{p}", [(1, 4)])]
    two, three = (pooled_coverage(runs) for runs in ([full, part], [full, part, full]))
    assert (two.planned, two.heard, two.outcomes) == (20, 17, {"answered": 17})
    assert months(sample, sample, coverage=(two, full)).gates.failures == (
        "85.0% of the plan heard before, 90% needed",
    )
    assert months(sample, sample, coverage=(three, full)).is_comparable


def test_repeats_of_pooled_runs_do_not_outweigh_a_prompt():
    # a prompt answered nine times over three runs weighs as much as one answered three times
    many = [one for p in range(15) for one in cited(f"p{p:02}", [(4, 8)] * 9)]
    few = [one for p in range(15, 30) for one in cited(f"p{p:02}", [(0, 8)] * 3)]
    after = [one for p in range(30) for one in cited(f"p{p:02}", [(4 if p < 15 else 0, 8)])]
    change = next(c for c in months([*many, *few], after).families if c.name == "a")
    assert change.difference == 0
    assert change.before.pooled.value == pytest.approx(0.375)


def drifting(rng, leans, share):
    """One run of 60 prompts x 3 answers; each prompt and each month has a lean of its own."""
    odds = share / (1 - share)
    own = leans * odds * np.exp(rng.normal(0, 0.35, len(leans)))
    made = []
    for p, lean in enumerate(own / (1 + own)):
        made += cited(f"p{p:02}", [(int(n), 7) for n in rng.binomial(7, lean, 3)])
    return made


def called(before, after, name):
    got = months(before, after, before_id=name, rules=ChangeRules(resamples=999, bootstraps=20))
    return next(c.verdict for c in got.families if c.name == "a") is ChangeVerdict.CHANGED


def test_slow_drift_is_found_against_three_pooled_runs_and_not_month_on_month():
    # Shares 10, 10, 10, 12, 14, 16 %: no step between two months is large, the sum of them is.
    # Over 400 seeds: 99.5 % against the pooled runs, 16 % month on month, 4 % of quiet months.
    pooled = stepwise = early = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        leans = np.exp(rng.normal(0, 0.6, 60))
        runs = [drifting(rng, leans, s) for s in (0.10, 0.10, 0.10, 0.12, 0.14, 0.16)]
        three = [one for run in runs[:3] for one in run]
        pooled += called(three, runs[5], f"pooled {seed}")
        stepwise += called(runs[4], runs[5], f"last {seed}")
        early += called(runs[0], runs[1], f"first {seed}")
    assert pooled >= 36
    assert stepwise <= 12
    assert early <= 5


def two_months(first, second, prompts=25):
    """A pooled side, the same two answers to every prompt in each month, and the run of each."""
    made = {}
    for run, answers in (("1", first), ("2", second)):
        for p in range(prompts):
            for r, letters in enumerate(answers, start=1):
                one = tally(f"p{p:02}", dict.fromkeys(letters, 1), repeat=r)
                made[id(one)] = run, one
    return [
        one for _, one in made.values()
    ], lambda one: made[id(one)][0] if id(one) in made else "3"


def test_repeats_of_a_pooled_side_are_those_of_one_run():
    # Month 1: {a, b} and {a, b}, overlap 1. Month 2: {a, c} and {a, d}, overlap 1/3.
    # Within the months (1 + 1/3) / 2 = 2/3. The four pairs across months are 1/3 each, so over all
    # six pairs it would be (1 + 5/3) / 6 = 4/9. After: {a, b} and {a, c}, 1/3.
    pooled, run = two_months(("ab", "ab"), ("ac", "ad"))
    after = [
        tally(f"p{p:02}", {"a": 1, x: 1}, r) for p in range(25) for r, x in ((1, "b"), (2, "c"))
    ]
    found = months(pooled, after, run=run)
    assert found.stability.before.mean == pytest.approx(2 / 3)
    assert found.stability.after.mean == pytest.approx(1 / 3)
    # Before with after: 8 pairs, {a, b} in both 2 times, {a, c} once: (3 + 5/3) / 8.
    assert found.overlap.mean == pytest.approx((3 + 5 / 3) / 8)


def test_a_pool_of_runs_answered_once_has_no_repeats():
    pooled, run = two_months(("ab",), ("ab",))
    after = [tally(f"p{p:02}", {"a": 1, "b": 1}, r) for p in range(25) for r in (1, 2)]
    found = months(pooled, after, run=run).stability
    assert (found.before.mean, found.verdict) == (None, ChangeVerdict.NOT_ENOUGH_DATA)
