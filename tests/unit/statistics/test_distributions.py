"""Quantiles against scipy, which is a test oracle only."""

import pytest
from scipy import special, stats

from monitor.statistics import beta_quantile, incomplete_beta, normal_quantile, t_quantile, t_tail


@pytest.mark.parametrize("df", [1, 2, 3, 9, 11, 29, 49, 59, 199, 999, 9999])
@pytest.mark.parametrize("p", [0.6, 0.9, 0.95, 0.975, 0.995, 0.9995])
def test_t_quantile_agrees_with_scipy(p, df):
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-10)


def test_t_quantile_is_symmetric():
    assert t_quantile(0.025, 7) == -t_quantile(0.975, 7)
    assert t_quantile(0.5, 7) == 0


@pytest.mark.parametrize(("p", "df"), [(0.0, 5), (1.0, 5), (0.9, 0)])
def test_t_quantile_refuses_what_has_no_value(p, df):
    with pytest.raises(ValueError, match="0 < p < 1"):
        t_quantile(p, df)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 2.5, 8.0])
def test_t_tail_agrees_with_scipy(t):
    assert t_tail(t, 12) == pytest.approx(stats.t.sf(t, 12), rel=1e-11)


@pytest.mark.parametrize("x", [0.0, 0.01, 0.3, 0.5, 0.77, 0.999, 1.0])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (2, 7), (24.5, 0.5), (300, 41.5)])
def test_incomplete_beta_agrees_with_scipy(x, a, b):
    assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), abs=1e-12)


@pytest.mark.parametrize("p", [0.001, 0.025, 0.5, 0.975])
@pytest.mark.parametrize(("a", "b"), [(1, 9), (4.2, 31.7), (60, 3)])
def test_beta_quantile_agrees_with_scipy(p, a, b):
    assert beta_quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), rel=1e-10)


def test_normal_quantile_agrees_with_scipy():
    assert normal_quantile(0.975) == pytest.approx(stats.norm.ppf(0.975), abs=1e-14)
