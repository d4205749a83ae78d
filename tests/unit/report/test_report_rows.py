"""Rows behind the numbers: they add up to what is shown, and name their question."""

from dataclasses import replace

import pytest

from monitor.report.page import render_report
from monitor.report.rows import engine_rows
from monitor.report.words import short
from tests.unit.report.synthetic_report import FAMILIES, NOW, report


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=12, engines=("openai",), repeats=2)


def section_of(view, family):
    return next(s for s in engine_rows(view)[0].families if s.title == family)


def test_the_sums_of_a_family_are_those_of_its_share(view):
    engine = view.engines[0]
    share = next(f for f in engine.card.families if f.family == FAMILIES[0])
    now, before, *_ = section_of(view, FAMILIES[0]).sums
    assert now.startswith("2026-10: cited in ")
    assert now.endswith(f"; {share.rate.hits:g} of {share.rate.total:g} citations.")
    assert before.startswith("2026-09: cited in ")


def test_answers_that_do_not_cite_a_family_count_in_its_sums(view):
    answered = [c for c in view.captures if c.slot == NOW and c.outcome == "answered"]
    citing = [c for c in answered if view.tallies[c.id].families.get(FAMILIES[3])]
    assert 0 < len(citing) < len(answered)
    now = section_of(view, FAMILIES[3]).sums[0]
    assert f"cited in {len(citing)} of {len(answered)} answers" in now


def test_a_change_over_fewer_prompts_says_what_it_compares(view):
    engine = view.engines[0]
    gates = replace(engine.comparison.gates, matched=10)
    comparison = replace(engine.comparison, gates=gates)
    change = next(c for c in comparison.families if c.name == FAMILIES[0])
    view = replace(view, engines=(replace(engine, comparison=comparison),))
    told = section_of(view, FAMILIES[0]).sums[2]
    assert told.startswith("The change compares the 10 matched prompts alone: ")
    assert f"{change.after.pooled.hits:g} of {change.after.pooled.total:g} citations" in told


def test_a_first_run_has_one_sum():
    first = report(prompt_count=2, engines=("openai",), repeats=1, compared=False)
    assert len(section_of(first, FAMILIES[0]).sums) == 1


def test_every_row_names_its_question(view):
    html = render_report(view)
    prompt = view.panel.prompts[0]
    assert f"{prompt.id} <small><bdi>{prompt.text}</bdi></small>" in html


def test_a_long_question_is_cut_beside_its_id():
    assert short("word " * 40) == f"{('word ' * 40)[:79].rstrip()}…"
    assert len(short("w" * 500)) == 80
