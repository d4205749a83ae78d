"""Order on the page: segments by value and engine, answers by run, engine, prompt and repeat."""

from dataclasses import replace

import pytest

from monitor.report.evidence import capture_groups
from monitor.report.rows import engine_rows
from monitor.report.slices import slice_tables
from tests.unit.report.synthetic_report import report, with_capture


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=4, engines=("perplexity", "openai"), repeats=2)


def test_answers_stand_in_the_panels_order_whatever_order_they_came_in(view):
    shuffled = replace(view, captures=tuple(reversed(view.captures)))
    groups = capture_groups(shuffled)
    assert [g.heading for g in groups] == [
        "Perplexity, 2026-10", "OpenAI, 2026-10", "Perplexity, 2026-09", "OpenAI, 2026-09",
    ]  # fmt: skip
    places = [(c.view.prompt_id, c.view.repeat) for c in groups[0].cards]
    assert places == sorted(places)


def test_an_answer_to_a_prompt_that_left_the_panel_comes_last(view):
    groups = capture_groups(with_capture(view, prompt_id="a-former-prompt"))
    assert groups[0].cards[-1].view.prompt_id == "a-former-prompt"


def test_an_answer_that_cites_nothing_says_so(view):
    said = next(c for c in view.captures if c.statements)
    bare = replace(
        said,
        statements=tuple(replace(s, support=None, chips=()) for s in said.statements),
        pages=(),
    )
    groups = capture_groups(replace(view, captures=(bare,)))
    assert groups[0].cards[0].summary == "no citation; 0 pages"


def test_segments_hold_each_engine_once_per_value_in_the_views_order(view):
    table = next(t for t in slice_tables(view) if t.title == "Intent")
    assert [g.value for g in table.groups] == ["buy", "rule"]
    assert [[r.engine.label for r in g.rows] for g in table.groups] == [
        ["Perplexity", "OpenAI"]
    ] * 2


def test_a_segment_counts_its_own_prompts_and_not_the_panels(view):
    # Four prompts, every other one of intent `rule`.
    table = next(t for t in slice_tables(view) if t.title == "Intent")
    assert max(r.prompts for g in table.groups for r in g.rows) == 2


def test_a_section_of_rows_is_called_by_its_measure_alone(view):
    titles = {s.title for r in engine_rows(view) for s in r.measures}
    assert titles == {note.label for note in view.measures.values()}
