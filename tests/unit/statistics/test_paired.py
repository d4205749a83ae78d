"""Paired change against scipy, a plain loop and hand computation."""

import itertools
from hashlib import sha256

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import WLS

from monitor.statistics import change_seed, paired_change


def sample(prompts, families, seed):
    rng = np.random.default_rng(seed)
    x = rng.poisson(3.0, (2, prompts, families)).astype(float)
    return x[0], x[0].sum(axis=1), x[1], x[1].sum(axis=1)


def loop_p(xa, na, xb, nb):
    """Exact p by enumerating swaps of the normalised months, one at a time."""
    xa, na, xb, nb = xa / na.sum(), na / na.sum(), xb / nb.sum(), nb / nb.sum()
    observed = abs(xb.sum() - xa.sum())
    count = 0
    for swap in itertools.product([False, True], repeat=len(xa)):
        s = np.array(swap)
        xa2, xb2 = np.where(s, xb, xa), np.where(s, xa, xb)
        na2, nb2 = np.where(s, nb, na), np.where(s, na, nb)
        count += abs(xb2.sum() / nb2.sum() - xa2.sum() / na2.sum()) >= observed - 1e-12
    return count / 2 ** len(xa)


def test_exact_p_agrees_with_a_plain_loop():
    xa, na, xb, nb = sample(7, 3, 11)
    got = paired_change(xa, na, xb, nb, seed=1)
    expected = [loop_p(xa[:, f], na, xb[:, f], nb) for f in range(3)]
    assert got.exact is True
    assert got.p_value == pytest.approx(expected)


def test_exact_p_agrees_with_scipy():
    xa, na, xb, nb = sample(9, 1, 5)
    na, nb = na + 4, nb + 6
    a = np.stack([xa[:, 0] / na.sum(), na / na.sum()])
    b = np.stack([xb[:, 0] / nb.sum(), nb / nb.sum()])

    def difference(left, right, axis):
        shares = (right[0].sum(axis=-1) / right[1].sum(axis=-1),
                  left[0].sum(axis=-1) / left[1].sum(axis=-1))  # fmt: skip
        return np.abs(shares[0] - shares[1])

    index = np.arange(9)
    oracle = stats.permutation_test(
        (index, index + 9),
        lambda i, j, axis: difference(
            np.concatenate([a, b], axis=1)[:, i], np.concatenate([a, b], axis=1)[:, j], axis
        ),
        permutation_type="samples", vectorized=True, alternative="greater", n_resamples=np.inf,
    )  # fmt: skip
    got = paired_change(xa, na, xb, nb, seed=1)
    assert got.p_value[0] == pytest.approx(oracle.pvalue, abs=1e-12)


def test_totals_of_each_subject_agree_with_a_plain_loop():
    xa, _, xb, _ = sample(8, 3, 13)
    rng = np.random.default_rng(14)
    na, nb = xa + rng.integers(0, 5, xa.shape), xb + rng.integers(0, 5, xb.shape)
    got = paired_change(xa, na, xb, nb, seed=1)
    expected = [loop_p(xa[:, f], na[:, f], xb[:, f], nb[:, f]) for f in range(3)]
    assert got.p_value == pytest.approx(expected)


def test_a_swap_that_empties_a_month_counts_as_extreme():
    # A cites in p1 alone (1 of 2), B in p2 alone (1 of 4), D = -1/4. As it is and both swapped:
    # |D| = 1/4. One swapped: one month holds all, the other nothing. All 4 of 4 are extreme.
    assert paired_change([1, 0], [2, 0], [0, 1], [0, 4], seed=1).p_value[0] == 1
    # A third prompt that cites in both leaves every month something: no swap empties one.
    months = ([1, 0, 1], [2, 0, 2], [0, 1, 1], [0, 4, 2])
    expected = loop_p(*(np.array(m, dtype=float) for m in months))
    assert paired_change(*months, seed=1).p_value[0] == pytest.approx(expected)


def test_more_subjects_do_not_change_the_p_of_one():
    # wider than one part of the products: blocks must not change the signs
    xa, na, xb, nb = sample(60, 600, 4)
    every = paired_change(xa, na, xb, nb, seed=5, resamples=999).p_value
    alone = paired_change(xa[:, 7], na, xb[:, 7], nb, seed=5, resamples=999).p_value
    assert every[7] == alone[0]


def test_standard_error_by_hand():
    # A: x 1,3 of n 4,4 -> S 0.5; r = (1-2)/8, (3-2)/8 = -1/8, 1/8
    # B: x 2,4 of n 4,8 -> S 0.5; r = 0, 0; u = 1/8, -1/8; se = sqrt(2/1 * 2/64) = 0.25
    got = paired_change([1, 3], [4, 4], [2, 4], [4, 8], seed=1)
    assert got.difference[0] == 0
    assert got.standard_error[0] == pytest.approx(0.25)


@pytest.mark.parametrize("seed", range(3))
def test_standard_error_agrees_with_a_regression_clustered_by_prompt(seed):
    # x / n on the month, weighted by n: the slope is the change, its sandwich error ours but for
    # the factor P / (P - 1)
    xa, na, xb, nb = sample(25, 1, seed)
    na, nb = na + 3, nb + np.arange(25) % 4 + 1
    months = np.repeat([0.0, 1.0], 25)
    fit = WLS(
        np.concatenate([xa[:, 0] / na, xb[:, 0] / nb]),
        np.column_stack([np.ones(50), months]),
        weights=np.concatenate([na, nb]),
    ).fit(
        cov_type="cluster", cov_kwds={"groups": np.tile(np.arange(25), 2), "use_correction": False}
    )
    got = paired_change(xa, na, xb, nb, seed=1)
    assert got.difference[0] == pytest.approx(fit.params[1])
    assert got.standard_error[0] == pytest.approx(fit.bse[1] * np.sqrt(25 / 24))


def test_same_months_do_not_differ():
    xa, na, _, _ = sample(40, 6, 3)
    got = paired_change(xa, na, xa, na, seed=9)
    assert (got.difference == 0).all()
    assert (got.p_value == 1).all()


def test_volume_alone_is_no_change():
    xa, na, _, _ = sample(12, 4, 8)
    got = paired_change(xa, na, 3 * xa, 3 * na, seed=9)
    assert (np.abs(got.difference) < 1e-12).all()
    assert (got.p_value == 1).all()


def test_seed_makes_the_test_reproducible():
    months = sample(30, 3, 2)
    first, second = (paired_change(*months, seed=77).p_value for _ in range(2))
    assert (first == second).all()
    assert first.min() >= 1 / 10_000


def test_random_swaps_approach_the_exact_test():
    xa, na, xb, nb = sample(13, 2, 21)
    exact = paired_change(xa, na, xb, nb, seed=1)
    padded = [np.concatenate([m, np.zeros((7, *m.shape[1:]))]) for m in (xa, na, xb, nb)]
    sampled = paired_change(*padded, seed=1)
    assert (exact.exact, sampled.exact) == (True, False)
    assert sampled.p_value == pytest.approx(exact.p_value, abs=0.02)


def test_months_citing_different_prompts_stay_defined():
    got = paired_change([1, 0, 0, 2], [2, 3, 0, 0], [0, 0, 1, 1], [0, 0, 4, 1], seed=1)
    assert np.isfinite(got.p_value).all()
    assert 0 < got.p_value[0] <= 1


@pytest.mark.parametrize("months", [([1], [2], [1], [2]), ([0, 0], [0, 0], [1, 1], [2, 2])])
def test_nothing_to_compare_is_refused(months):
    with pytest.raises(ValueError, match="two prompts"):
        paired_change(*months, seed=1)


def test_seed_is_the_first_eight_bytes_of_the_named_hash():
    digest = sha256(b"alpha|news@3|run:a|run:b").digest()
    assert change_seed("alpha", "news@3", "run:a", "run:b") == int.from_bytes(digest[:8], "big")
