"""What the report says of engines side by side: likeness, bounded recall, shared sources."""

import re
from dataclasses import replace

import pytest

from monitor.domain.change import ChangeVerdict, OverlapChange, OverlapLevel
from monitor.domain.score import Bounds
from monitor.report.between import alike_rows, bounded_rows, shared_tables
from monitor.report.page import render_report
from monitor.report.view import BoundedView, OverlapView, SharedView
from tests.unit.report.synthetic_report import FAMILIES, report


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=3, engines=("openai", "perplexity", "anthropic"), repeats=1)


def bounded(engine, low, high, **fields):
    return BoundedView(
        engine, Bounds(low, high), fields.get("point"), fields.get("judged", 0.6),
        Bounds(low, high), fields.get("higher", ()),
    )  # fmt: skip


def test_an_engine_beside_itself_shows_its_own_repeats(view):
    first = alike_rows(view)[0]
    assert [c.is_own for c in first.cells] == [True, False, False]
    assert [c.mean for c in first.cells] == ["61 %", "42 %", "not compared"]
    assert first.cells[1].beside == "3 prompts; all together 90 %"


def test_likeness_is_the_same_from_both_sides(view):
    rows = alike_rows(view)
    assert rows[0].cells[1] == rows[1].cells[0]


def test_without_overlaps_there_is_no_table(view):
    assert alike_rows(replace(view, overlaps=())) == ()


def test_a_mean_without_prompts_is_not_measured(view):
    alone = replace(view, overlaps=(OverlapView("repeats", "openai", "openai", None, 0),))
    cell = alike_rows(alone)[0].cells[0]
    assert (cell.mean, cell.beside) == ("not measured", "one answer a prompt")


def test_the_month_before_has_its_own_column(view):
    months = OverlapView("months", "openai", "openai", 0.31, 26, 1.0)
    alone = tuple(
        replace(e, comparison=replace(e.comparison, overlap=None, stability=None))
        for e in view.engines
    )
    row = alike_rows(replace(view, engines=alone, overlaps=(*view.overlaps, months)))[0]
    assert row.before.mean == "31 %"
    assert row.repeats == "not compared"
    assert row.cells[0].mean == "61 %"


@pytest.mark.parametrize(
    ("verdict", "word"),
    [(ChangeVerdict.CHANGED, "moved"), (ChangeVerdict.NO_CLEAR_CHANGE, "no clear change")],
)
def test_the_overlap_of_repeats_has_a_word_that_is_no_verdict_of_change(view, verdict, word):
    level = OverlapLevel(0.6, None, 20)
    change = OverlapChange(level, replace(level, mean=0.4), -0.2, None, verdict, "-20.0 points")
    first = view.engines[0]
    moved = replace(first, comparison=replace(first.comparison, stability=change))
    row = alike_rows(replace(view, engines=(moved, *view.engines[1:])))[0]
    assert row.repeats == f"60 % → 40 %, {word}: -20.0 points"


def test_separation_is_said_from_both_sides(view):
    pool = (
        bounded("openai", 0.7, 0.8, higher=("perplexity",)),
        bounded("perplexity", 0.1, 0.2),
        bounded("anthropic", 0.15, 0.75),
    )
    said = [row.separated for row in bounded_rows(replace(view, bounded=pool))]
    assert said == [
        "higher than Perplexity; not separated from Claude",
        "lower than OpenAI; not separated from Claude",
        "not separated from OpenAI, Perplexity",
    ]


def test_under_seventy_percent_judged_there_are_bounds_and_no_point(view):
    row = bounded_rows(replace(view, bounded=(bounded("openai", 0.4, 0.7),)))[0]
    assert row.bounds == "between 40 and 70 %"
    assert (row.judged, row.point) == ("60 %", "none: under 70 % judged")


def test_a_pool_without_a_known_relevant_page_gives_no_number(view):
    empty = BoundedView("openai", None, None, None, None, ())
    row = bounded_rows(replace(view, bounded=(empty,)))[0]
    assert (row.bounds, row.point) == ("not measured", "no relevant page is known")
    assert (row.judged, row.widened) == ("not measured", "not measured")


def test_copied_texts_stand_apart_from_families(view):
    text = SharedView("evidence group", "https://a.example/x", ("perplexity", "openai"))
    tables = shared_tables(replace(view, shared=(*view.shared, text)))
    assert [row.key for row in tables.families] == [FAMILIES[0]]
    assert tables.texts[-1].engines == (("OpenAI", None), ("Perplexity", None))


def test_a_shared_family_leads_to_each_engines_rows(view):
    html = render_report(view)
    links = [href for _, href in shared_tables(view).families[0].engines]
    assert all(re.fullmatch(r"#cites-\w+-[0-9a-f]+", href) for href in links)
    assert all(f'id="{href[1:]}"' in html for href in links)


def test_a_hostile_shared_text_is_no_link(view):
    bad = SharedView("evidence group", "javascript:alert(1)", ("openai", "perplexity"))
    html = render_report(replace(view, shared=(bad,)))
    assert 'href="javascript' not in html
    assert '<span class="key">javascript:alert(1)</span>' in html


def test_nothing_side_by_side_leaves_no_section_and_no_link(view):
    html = render_report(replace(view, overlaps=(), shared=(), bounded=()))
    assert 'href="#between"' not in html
    assert 'id="between"' not in html


def test_engines_of_different_access_are_not_compared_and_say_why():
    mixed = report(prompt_count=3, engines=("openai", "sandbox_chat"), repeats=1, compared=False)
    first = alike_rows(mixed)[0]
    assert first.cells[1].beside == "an API and a browser surface are two kinds"
    assert (first.before.mean, first.before.beside) == ("not compared", "no earlier run")


def test_an_engine_alone_of_its_access_has_no_recall_against_itself(view):
    alone = BoundedView("openai", None, None, None, None, (), is_alone=True)
    changed = replace(view, bounded=(alone,))
    assert bounded_rows(changed)[0].alone == "no other engine of this kind answered in the run"
    assert "no other engine of this kind answered in the run" in render_report(changed)


def test_engines_of_different_access_are_not_called_not_separated():
    mixed = report(prompt_count=3, engines=("openai", "sandbox_chat"), repeats=1, compared=False)
    pool = (bounded("openai", 0.7, 0.8), bounded("sandbox_chat", 0.1, 0.2))
    assert [row.separated for row in bounded_rows(replace(mixed, bounded=pool))] == ["", ""]


def test_a_copied_text_says_what_it_looks_like(view):
    (text,) = shared_tables(view).texts
    assert text.key == "daily-lantern.example/original"
    assert text.looks_like == "2 pages of 2 publishers: daily-lantern.example, newsbit.example"


def test_families_in_common_stand_beside_all_that_are_cited(view):
    cited = {f.family for e in view.engines for f in e.card.families}
    assert shared_tables(view).cited == len(cited)


def test_how_far_repeats_agree_is_told_before_and_now(view):
    level = OverlapLevel(0.5, None, 20)
    change = OverlapChange(
        level, replace(level, mean=0.25), -0.25, None, ChangeVerdict.CHANGED, "-25.0 points"
    )
    first = view.engines[0]
    one = replace(first, comparison=replace(first.comparison, stability=change, overlap=level))
    row = alike_rows(replace(view, engines=(one, *view.engines[1:])))[0]
    assert row.repeats == "50 % → 25 %, moved: -25.0 points"
    assert (row.before.mean, row.before.beside) == ("50 %", "20 prompts")
