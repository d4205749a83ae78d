"""Families: a true zero is a zero, and both levels are shown where they differ."""

from dataclasses import replace

import pytest

from monitor.domain.change import ChangeVerdict, ConcentrationChange, ConcentrationTest
from monitor.domain.score import Bounds, Concentration, Interval, Rate
from monitor.report.families import family_tables
from monitor.report.findings import concentration_tested
from monitor.report.numbers import interval, p_words
from tests.unit.report.synthetic_report import LABELS, report

COLOURS = dict.fromkeys(LABELS, "#000000")


@pytest.fixture(scope="module")
def view():
    return report()


def without_first(view):
    """The view whose first engine no longer cites its largest family."""
    engine = view.engines[0]
    card = replace(engine.card, families=engine.card.families[1:])
    changed = replace(engine, card=card)
    return replace(view, engines=(changed, *view.engines[1:])), engine.card


def row_of(view, family):
    rows = family_tables(view, COLOURS)[0].rows
    return next(row for row in rows if row.family == family)


def test_a_family_that_is_no_longer_cited_has_none_of_all_citations(view):
    changed, card = without_first(view)
    row = row_of(changed, card.families[0].family)
    total = card.concentration.citations
    assert card.uncited.low == 0 < card.uncited.high
    assert row.now.text == f"0 of {total} (0 %, {interval(card.uncited)})"
    assert row.independent == f"0 of {card.independent_concentration.citations} (0 %)"


def test_unresolved_citations_may_be_of_a_family_that_is_not_cited(view):
    changed, card = without_first(view)
    # 100 citations of which 3 are unresolved: at most 3 of 100 could be the family's
    families = tuple(replace(f, bounds=Bounds(0.2, 0.23)) for f in changed.engines[0].card.families)
    engine = replace(changed.engines[0], card=replace(changed.engines[0].card, families=families))
    row = row_of(replace(changed, engines=(engine,)), card.families[0].family)
    assert row.now.assessed == "bounds 0.0-3.0"


def test_a_family_not_cited_before_has_none_of_the_earlier_citations(view):
    engine = replace(view.engines[0], comparison=None)
    first, *rest = engine.before.families
    earlier = replace(engine.before, families=tuple(rest))
    row = row_of(replace(view, engines=(replace(engine, before=earlier),)), first.family)
    beside = interval(earlier.uncited)
    assert row.before == f"0 of {earlier.concentration.citations} (0 %, {beside})"


def test_the_mean_per_answer_stands_in_both_months_where_it_differs(view):
    engine = view.engines[0]
    change = engine.comparison.families[0]
    side = replace(change.after, share=0.5, pooled=Rate(30, 100))
    moved = replace(change, before=side, after=side)
    comparison = replace(engine.comparison, families=(moved, *engine.comparison.families[1:]))
    row = row_of(replace(view, engines=(replace(engine, comparison=comparison),)), change.name)
    assert row.before.endswith("; per answer 50 %")
    assert row.per_answer == "per answer 50 %"


def test_a_family_that_was_not_compared_says_why():
    first = report(prompt_count=2, engines=("openai",), repeats=1, compared=False)
    row = family_tables(first, COLOURS)[0].rows[0]
    assert (row.verdict, row.because) == ("not compared", "no earlier run of this panel")


def test_concentration_before_stands_beside_its_change(view):
    table = family_tables(view, COLOURS)[0]
    engine = view.engines[0]
    pages, independent = table.concentration
    change = engine.comparison.concentration
    assert (
        pages.before
        == f"HHI {change.before.hhi:.3f} ({1 / change.before.hhi:.1f} effective sources)"
    )
    assert pages.change.startswith(change.verdict.value)
    assert p_words(change.because) in pages.change
    assert concentration_tested(change) in pages.change
    assert independent.change == "not tested"


def test_what_is_tested_of_a_concentration_is_told_with_both_values_and_their_ratio():
    # 0.25 to 0.4 is 1.6 times; 1 / 0.25 = 4 and 1 / 0.4 = 2.5 effective sources.
    before, after = (Concentration(0.3, 3.3, None, 100, 9, value) for value in (0.25, 0.4))
    test = ConcentrationTest(1.6, Interval(0.9, 2.844), 0.2, 0.28)
    change = ConcentrationChange(
        before, after, test, None, 20, ChangeVerdict.NO_CLEAR_CHANGE, "adjusted p 0.28 above 0.1"
    )
    assert concentration_tested(change) == (
        "cross-prompt HHI 0.250 -> 0.400, 1.60 times (0.90 to 2.84); effective sources 4.0 -> 2.5"
    )
    assert concentration_tested(replace(change, test=None)) == ""


def test_a_first_run_has_no_concentration_before(view):
    first = replace(view.engines[0], before=None, comparison=None, skipped_before="no earlier run")
    (table,) = family_tables(replace(view, engines=(first,)), COLOURS)
    assert {line.before for line in table.concentration} == {"no earlier run"}
