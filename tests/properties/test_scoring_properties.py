"""What must hold for every sample."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.changes import compare
from monitor.domain.change import ChangeVerdict
from monitor.domain.score import Rate
from monitor.domain.source import Grade
from monitor.scoring import alce_answer, concentration, family_shares, parse_signature
from monitor.scoring.signature import Recipe, Sample, Signature
from monitor.scoring.sources import required_source_recall, source_precision
from monitor.statistics import (
    benjamini_hochberg,
    closed_bounds,
    clustered_interval,
    hhi,
    hhi_bounds,
    jaccard,
    pooled_bounds,
)
from tests.assessed import baseline, capture, page, source, tally

counts = st.lists(st.integers(1, 500), min_size=1, max_size=30)
small = st.integers(0, 50)
rates = st.builds(
    lambda hits, missing, unknown: Rate(hits, hits + missing, {"pending": unknown}),
    small, small, small,
)  # fmt: skip


@given(counts)
def test_hhi_lies_between_one_in_n_and_one(numbers):
    assert 1 / len(numbers) - 1e-12 <= hhi(numbers) <= 1 + 1e-12


@given(counts, st.integers(2, 9))
def test_hhi_ignores_scale_and_order(numbers, scale):
    assert hhi([scale * n for n in reversed(numbers)]) == pytest.approx(hhi(numbers))


@given(counts, small)
def test_hhi_of_resolved_citations_lies_within_its_bounds(numbers, unresolved):
    bounds = hhi_bounds(numbers, unresolved)
    assert bounds.low - 1e-12 <= hhi(numbers) <= bounds.high + 1e-12


@given(
    st.lists(st.dictionaries(st.sampled_from("abc?"), st.integers(1, 9)), min_size=1, max_size=9)
)
def test_shares_and_unresolved_sum_to_one(families):
    parts = [tally(f"p{i}", f) for i, f in enumerate(families)]
    everything = sum(sum(f.values()) for f in families)
    unresolved = sum(f.get("?", 0) for f in families)
    total = sum(s.rate.hits for s in family_shares(parts)) + unresolved
    assert total == everything


@given(st.lists(st.dictionaries(st.sampled_from("abc?"), st.integers(1, 9)), max_size=9))
def test_concentration_ignores_the_order_of_captures(families):
    parts = [tally(f"p{i % 3}", f, repeat=i) for i, f in enumerate(families)]
    forward, backward = concentration(parts), concentration(parts[::-1])
    assert forward.hhi == (backward.hhi if forward.hhi is None else pytest.approx(backward.hhi))
    assert forward.citations == backward.citations


@given(rates, rates, rates)
def test_adding_rates_is_associative_and_commutative(a, b, c):
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a


@given(rates)
def test_bounds_contain_the_value(rate):
    low, high = (rate.bounds.low, rate.bounds.high) if rate.bounds else (0, 1)
    assert low <= (low if rate.value is None else rate.value + 1e-12)
    assert (high if rate.value is None else rate.value - 1e-12) <= high


@given(small, small, small)
def test_closed_bounds_are_as_wide_as_the_unresolved_share(found, missing, unresolved):
    bounds = closed_bounds(found, missing, unresolved + 1)
    total = found + missing + unresolved + 1
    assert bounds.high - bounds.low == pytest.approx((unresolved + 1) / total)


@given(st.tuples(*[st.integers(0, 4)] * 4))
def test_pooled_bounds_hold_every_way_to_resolve_the_pool(numbers):
    rc, uc, re, ue = numbers
    bounds = pooled_bounds(rc + 1, uc, re, ue)
    ways = [(rc + 1 + i) / (rc + 1 + i + re + j) for i in range(uc + 1) for j in range(ue + 1)]
    assert (min(ways), max(ways)) == pytest.approx((bounds.low, bounds.high))


@given(st.lists(st.tuples(small, small), min_size=2, max_size=30))
def test_interval_contains_its_share(pairs):
    got = clustered_interval([x for x, _ in pairs], [x + y for x, y in pairs])
    share, low, high = (got.share, got.interval.low, got.interval.high) if got else (0, 0, 1)
    assert low - 1e-9 <= share <= high + 1e-9
    assert 0 <= low <= high <= 1


@given(st.lists(st.floats(0, 1), max_size=40))
def test_adjusted_p_is_never_smaller_and_keeps_the_order(p):
    adjusted = benjamini_hochberg(p)
    assert all(a >= b - 1e-15 for a, b in zip(adjusted, p, strict=True))
    pairs = sorted(zip(p, adjusted, strict=True))
    assert all(a[1] <= b[1] + 1e-15 for a, b in pairwise(pairs))


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_jaccard_is_symmetric(a, b):
    assert jaccard(a, b) == jaccard(b, a)


graded = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(1, 3)), unique=True, min_size=1, max_size=12
)


@given(graded, st.randoms(use_true_random=False))
def test_source_measures_ignore_the_order_of_pages(keys, shuffler):
    wanted = baseline(
        [
            source("a.x"),
            source("b.x", Grade.OPTIONAL),
            source("c.x", Grade.OUT_OF_SCOPE),
            source("d.x/1"),
        ]
    )
    pages = [page(f"{name}.x/{n}") for name, n in keys]
    mixed = shuffler.sample(pages, len(pages))
    assert source_precision(pages, wanted) == source_precision(mixed, wanted)
    assert required_source_recall(capture(pages), wanted) == required_source_recall(
        capture(mixed), wanted
    )
    rate = source_precision(pages, wanted)
    assert rate.total + rate.unresolved == len(pages)


@given(st.lists(st.lists(st.integers(-1, 6), max_size=5).map(tuple), max_size=6), st.integers(0, 5))
def test_alce_counts_stay_within_each_other(refs, docs):
    got = alce_answer([("c", r) for r in refs], docs, lambda d, _c: sum(d) % 2 == 0)
    assert 0 <= got.supported <= got.statements == len(refs)
    assert 0 <= got.precise <= got.citations


@given(
    st.lists(st.dictionaries(st.sampled_from("abcd?"), st.integers(1, 9)), min_size=20, max_size=40)
)
@settings(max_examples=10, deadline=None)
def test_comparing_a_sample_with_itself_finds_nothing(families):
    sample = [tally(f"p{i}", f) for i, f in enumerate(families)]
    got = compare(sample, sample, engine="e", panel_version="p@1", before_id="A", after_id="A")
    assert got.changed == ()
    assert {c.verdict for c in got.families} <= {
        ChangeVerdict.NO_CLEAR_CHANGE, ChangeVerdict.NOT_ENOUGH_DATA,
    }  # fmt: skip


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=9), min_size=23, max_size=23
    )
)
def test_any_signature_reads_back(values):
    signature = Signature(Recipe(*values[:17]), Sample(*(v.rstrip() for v in values[17:])))
    stripped = Signature(Recipe(signature.recipe.panel, *values[1:17]), signature.sample)
    assert parse_signature(stripped.line) == signature
    assert math.isfinite(len(signature.line))
