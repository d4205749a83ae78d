"""Rates corrected by labels: hand-computed cases, other ways to the same number, simulation."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy import optimize, stats

from monitor.statistics.correction import LabelledCounts, corrected_rate
from monitor.statistics.intervals import clustered_interval

NAN = float("nan")
ONES = [1.0] * 8


def counts(judge, human, prompt=(0, 0, 1, 1, 2, 2, 3, 3), **fields):
    """Pairs of one claim each, all of them assessed; None is no label."""
    size = len(judge)
    human = np.array([NAN if h is None else h for h in human], dtype=float)
    return LabelledCounts(
        prompt,
        fields.pop("claims", np.ones(size)),
        np.array(judge, dtype=float),
        fields.pop("judge_total", np.ones(size)),
        human,
        fields.pop("human_total", np.where(np.isnan(human), NAN, 1.0)),
        **fields,
    )


HAND = counts([1, 1, 1, 0, 0, 1, 0, 0], [1, None, 1, None, 0, None, 1, None])


def test_a_small_case_by_hand():
    # Judge: 4 of 8. Labels: h - f = 0, 0, 0, 1, so that the rectifier is 1/4: 1/2 + 1/4 = 3/4.
    # Labels alone give 3/4 too, so the weight is found there. Per prompt, in claims (a label
    # stands for two): people 2h - 3/2 = .5 .5 -1.5 .5; judge's sums - 3/2 = .5 -.5 -.5 -1.5, less
    # those of labelled ones .5 .5 -1.5 -1.5 gives 0 -1 1 0. Weight = (.5 + 1.5) / 2 = 1.
    # Contributions .5 -.5 -.5 .5: 4/3 * 1 / 64 = 1/48, and one more disagreement (2/8)^2 = 1/16.
    found = corrected_rate(HAND)
    assert found.value == pytest.approx(0.75)
    assert found.weight == pytest.approx(1.0)
    assert (found.labelled, found.prompts) == (4, 4)
    assert found.standard_error == pytest.approx(sqrt(1 / 48 + 1 / 16))
    # Wilson on .1875 / (1/12) = 2.25 trials with t of 3 degrees of freedom, 3.1824.
    n, t = 2.25, stats.t.ppf(0.975, 3)
    centre, scale = 0.75 + t * t / (2 * n), 1 + t * t / n
    half = t * sqrt(0.1875 / n + t * t / (4 * n * n))
    expected = ((centre - half) / scale, (centre + half) / scale)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected)


def test_pairs_stand_for_as_many_claims_as_rest_on_them():
    # Claims 3 1 1 1, judge's hits 3 0 1 0. Labelled: the first (people: 0 of 3) and the third
    # (1 of 1): labels alone are 1 of 4 = .25. In claims (6 in all, 4 labelled: scale 1.5), at .25:
    # people -1.125 1.125; judge 3 - 1 = 2 and 1 - .5 = .5, less labelled 1.5 * (3 - .75) = 3.375
    # and 1.5 * .75 = 1.125, gives -1.375 and -.625. Weight = -(1.546875 - .703125) / 2.28125 < 0:
    # a judge that is wrong on most counts for nothing.
    given = counts(
        [3, 0, 1, 0], [0, None, 1, None], (0, 0, 1, 1), claims=[3, 1, 1, 1],
        judge_total=[3, 1, 1, 1], human_total=[3, NAN, 1, NAN],
    )  # fmt: skip
    found = corrected_rate(given)
    assert (found.value, found.weight) == pytest.approx((0.25, 0.0))


def test_labels_of_people_decide_what_is_assessed():
    # All four pairs labelled: the rate is theirs, whatever the judge says. One of them is
    # not assessable for people, one is half supported: 1.5 of 3.
    given = counts(
        [1, 0, 1, 1], [1, 0, 0.5, 0], (0, 0, 1, 1), human_total=[1, 0, 1, 1],
    )  # fmt: skip
    assert corrected_rate(given).value == pytest.approx(0.5)


def test_claims_that_are_misses_anyhow_need_no_label():
    everything = counts([1, 0, 1, 1], [1, 0, 1, 1], (0, 0, 1, 1))
    assert corrected_rate(everything).value == pytest.approx(3 / 4)
    assert corrected_rate(replace(everything, misses=[0, 2])).value == pytest.approx(3 / 6)
    assert corrected_rate(replace(everything, misses=[0, 0, 2])).value == pytest.approx(3 / 6)


def test_without_labels_of_two_prompts_there_is_no_correction():
    assert corrected_rate(counts(ONES, [None] * 8)) is None
    assert corrected_rate(counts(ONES, [1, 1, *[None] * 6])) is None
    none = np.where(np.arange(8) % 2, NAN, 0.0)
    assert corrected_rate(counts(ONES, none, human_total=none, judge_total=np.zeros(8))) is None


def test_perfect_agreement_is_no_proof_that_the_judge_never_errs():
    judge = [1, 0, 1, 1, 0, 1, 1, 1]
    found = corrected_rate(counts(judge, [1, None, 1, None, 0, None, 1, None]))
    assert found.value == pytest.approx(6 / 8)
    assert found.standard_error >= found.weight / 4
    spotless = corrected_rate(counts(ONES, [1, None, 1, None, 1, None, 1, None]))
    assert spotless.value == 1.0
    assert spotless.interval.low < 0.4


def drawn(rng, *, prompts, rate, right, unclear, labels, claims=8):
    """One panel: supports vary by prompt, the judge errs, leaves some open, and some are labelled."""
    sizes = rng.poisson(claims - 1, prompts) + 1
    prompt = np.repeat(np.arange(prompts), sizes)
    truth = (rng.random(prompt.size) < rng.beta(9 * rate, 9 * (1 - rate), prompts)[prompt]) * 1.0
    said = np.where(rng.random(prompt.size) < right, truth, 1 - truth)
    score = np.clip(0.35 + 0.3 * truth + rng.normal(0, 0.1, prompt.size), 0, 1)
    guess = np.where(rng.random(prompt.size) < unclear, score, said)
    human = np.full(prompt.size, NAN)
    chosen = rng.permutation(prompt.size)[:labels]
    human[chosen] = truth[chosen]
    return prompt, guess, human


@pytest.mark.parametrize("seed", range(5))
def test_the_weight_is_the_one_of_least_variance(seed):
    rng = np.random.default_rng(seed)
    prompt, guess, human = drawn(rng, prompts=30, rate=0.6, right=0.8, unclear=0.2, labels=60)
    found = corrected_rate(counts(guess, human, prompt))
    known = ~np.isnan(human)
    scale = prompt.size / known.sum()

    def rate(weight):
        return weight * guess.mean() + np.mean(human[known] - weight * guess[known])

    def variance(weight):
        parts = weight * (guess - found.value)
        gain = (human[known] - found.value) - weight * (guess[known] - found.value)
        parts[known] += scale * gain
        return (np.bincount(prompt, parts) ** 2).sum()

    best = optimize.minimize_scalar(variance, bounds=(0, 1), method="bounded")
    # The rate is that of the weight one step before: the least is missed by a hair.
    assert variance(found.weight) <= 1.01 * variance(best.x)
    assert found.value == pytest.approx(rate(found.weight))


def test_with_many_pairs_the_weight_is_the_slope_of_labels_on_verdicts():
    # Power tuning of a mean is a regression (Angelopoulos, Duchi and Zrnic 2024, example 6.1).
    rng = np.random.default_rng(3)
    truth = (rng.random(60_000) < 0.7) * 1.0
    guess = np.where(rng.random(truth.size) < 0.85, truth, 1 - truth)
    human = np.where(np.arange(truth.size) < 1_500, truth, NAN)
    found = corrected_rate(counts(guess, human, np.arange(truth.size)))
    fitted = stats.linregress(guess[:1_500], truth[:1_500])
    assert found.weight == pytest.approx(fitted.slope, abs=0.03)
    assert found.value == pytest.approx(fitted.intercept + fitted.slope * guess.mean(), abs=0.001)
    # Rogan and Gladen (1978) by hand, on the same labels: two estimators of one number.
    hit = guess[:1_500][truth[:1_500] == 1].mean()
    passed = 1 - guess[:1_500][truth[:1_500] == 0].mean()
    classical = (guess.mean() + passed - 1) / (hit + passed - 1)
    assert found.value == pytest.approx(classical, abs=0.02)


@pytest.mark.parametrize(
    "panel",
    [
        {"prompts": 40, "rate": 0.7, "right": 0.8, "unclear": 0.2, "labels": 60},
        {"prompts": 40, "rate": 0.7, "right": 0.8, "unclear": 0.0, "labels": 30},
        {"prompts": 60, "rate": 0.8, "right": 0.9, "unclear": 0.3, "labels": 60},
        {"prompts": 100, "rate": 0.5, "right": 0.9, "unclear": 0.2, "labels": 60},
    ],
)
def test_intervals_hold_the_truth_and_are_narrower_than_those_of_labels_alone(panel):
    rng = np.random.default_rng(20_230)
    held, widths, alone = 0, [], []
    for _ in range(1_000):
        prompt, guess, human = drawn(rng, **panel)
        found = corrected_rate(counts(guess, human, prompt)).interval
        held += found.low <= panel["rate"] <= found.high
        widths.append(found.high - found.low)
        known = ~np.isnan(human)
        own = clustered_interval(
            np.bincount(prompt, np.where(known, human, 0)), np.bincount(prompt, known)
        ).interval
        alone.append(own.high - own.low)
    assert 930 <= held <= 970
    assert np.mean(widths) < 0.95 * np.mean(alone)
