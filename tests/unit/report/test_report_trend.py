"""The trend: the table's numbers and the chart's are one, gaps are gaps, other recipes hollow."""

import json
import re
from dataclasses import replace

import pytest

from monitor.domain.change import Event, EventKind
from monitor.report.charts import svg
from monitor.report.families import share_figure
from monitor.report.figures import Dot, figure_of
from monitor.report.page import render_report
from monitor.report.trend import trend_tables
from monitor.report.trend_chart import Mark, Pane, Spot, trend_chart
from monitor.report.words import event_words, whens
from tests.unit.report.synthetic_report import FAMILIES, report

COLOURS = dict.fromkeys(("openai", "perplexity"), "#0072B2")
DOT = Dot(40.0, 30.0, 50.0, None, None)


@pytest.fixture(scope="module")
def view():
    return report(engines=("openai", "perplexity"))


@pytest.fixture(scope="module")
def table(view):
    return trend_tables(view, COLOURS)[1]


def test_a_row_a_run_oldest_first_and_a_run_that_did_not_ask_is_a_gap(table):
    assert [row.name for row in table.rows] == [
        "2026-06", "2026-07", "2026-08", "2026-09", "2026-10",
    ]  # fmt: skip
    assert set(table.rows[1].cells) == {"not measured: not asked, or not scored"}


def test_the_cells_are_the_numbers_of_the_scorecards(view, table):
    card = view.engines[1].card
    label = view.measures["source_precision"].label
    cells = dict(zip(table.series, table.rows[-1].cells, strict=True))
    assert cells[label] == figure_of(card.measures["source_precision"], None).text
    assert cells[FAMILIES[0]] == share_figure(card, FAMILIES[0], None).text


def test_the_largest_families_of_any_run_are_drawn(table):
    # voltara.example is small now and was large before: it is drawn for that.
    assert len(table.series) == 4 + 4
    assert "voltara.example" in table.series


def test_the_table_follows_the_pictures(view):
    html = render_report(view)
    twins = re.findall(r'</figure>\s*<details class="twin" open><summary>Table: the last', html)
    assert len(twins) == html.count('<figure class="panes">') == 2


def test_an_event_has_a_letter_in_table_and_chart_and_its_words(table):
    assert table.events == (("A", "2026-10", "another model answers: sonar-1 → sonar-2"),)
    assert [row.marks for row in table.rows] == [(), (), (), (), ("A",)]
    assert all(">A</text>" in drawn for _, drawn in table.panes)


def test_levels_are_of_all_prompts_so_a_new_panel_is_not_said_to_be_matched(view):
    other = Event(EventKind.PANEL_VERSION, "p@1", "p@2")
    trend = view.trends[0]
    moved = replace(trend, points=(*trend.points[:-1], replace(trend.points[-1], events=(other,))))
    made = trend_tables(replace(view, trends=(moved,)), COLOURS)[0]
    assert made.events == (("A", "2026-10", "the panel changed: p@1 → p@2"),)
    assert event_words(other) == "the panel changed; matched prompts only: p@1 → p@2"


def test_a_point_of_another_recipe_says_so(view, table):
    assert [row.unlike for row in table.rows] == ["judge", "", "", "", ""]
    assert table.has_unlike
    html = render_report(view)
    assert "Hollow point: scored under another recipe" in html
    assert "another recipe: judge" in html


def test_no_trend_without_a_past(view):
    lonely = tuple(replace(t, points=t.points[-1:]) for t in view.trends)
    assert trend_tables(replace(view, trends=lonely), COLOURS) == ()
    assert 'id="trend"' not in render_report(replace(view, trends=lonely))


def test_too_few_prompts_for_an_interval_are_counts_and_no_picture(view):
    def bare(point):
        if point.card is None:
            return point
        measures = {n: replace(m, interval=None) for n, m in point.card.measures.items()}
        families = tuple(replace(f, interval=None) for f in point.card.families)
        return replace(point, card=replace(point.card, measures=measures, families=families))

    few = tuple(replace(t, points=tuple(map(bare, t.points))) for t in view.trends)
    tables = trend_tables(replace(view, trends=few), COLOURS)
    assert [t.panes for t in tables] == [(), ()]
    assert "counts only, nothing is drawn" in render_report(replace(view, trends=few))


def spec(*spots, marks=()):
    return trend_chart("t", ("a", "b", "c"), Pane("p", spots), marks, colour="#0072B2")


def test_every_run_has_its_place_and_only_runs_with_a_value_a_point():
    made = spec(Spot("a", DOT, "line 1", False), Spot("c", DOT, "line 2", False))
    assert made["encoding"]["x"]["scale"]["domain"] == ["a", "b", "c"]
    points = [v for v in made["data"]["values"] if "value" in v]
    assert [v["run"] for v in points] == ["a", "c"]
    assert 0 not in [v["value"] for v in points]


def test_a_gap_and_another_recipe_break_the_line(view):
    # June is under another recipe and July a gap: two lines, the second of August to October.
    drawn = dict(trend_tables(view, COLOURS)[1].panes)["Source precision"]
    lines = [part for part in drawn.split("<path") if 'aria-roledescription="line mark"' in part]
    assert len(lines) == 2
    assert lines[1].count("L") == 2


def test_bounds_are_drawn_where_too_little_was_assessed_for_a_point():
    made = spec(Spot("a", Dot(None, None, None, 20.0, 70.0), "line 1", False))
    (row,) = [v for v in made["data"]["values"] if "least" in v]
    assert (row["value"], row["least"], row["most"]) == (None, 20.0, 70.0)


def test_a_hostile_name_is_text_and_nothing_is_read_from_elsewhere():
    evil = '"><script>alert(1)</script>'
    made = trend_chart(
        evil, (evil, "b"), Pane(evil, (Spot(evil, DOT, "1", True),)), (Mark("b", evil),),
        colour="#0072B2",
    )  # fmt: skip
    assert "<script" not in svg(made)
    assert "url" not in json.dumps(made).replace("$schema", "")


def test_the_same_chart_gives_the_same_bytes():
    made = spec(Spot("a", DOT, "1", False), marks=(Mark("b", "A"),))
    assert svg(made) == svg(made)


@pytest.mark.parametrize(
    ("slots", "names"),
    [
        (("2026-09", "2026-10"), ("2026-09", "2026-10")),
        (("2026-09-01T06:00", "2026-09-08T06:00"), ("2026-09-01", "2026-09-08")),
        (("2026-09-01T06:00", "2026-10-01T06:00"), ("2026-09", "2026-10")),
        (("import:0123456789", "2026-10"), ("import 01234567", "2026-10")),
        ((), ()),
    ],
)
def test_runs_are_named_as_short_as_tells_them_all_apart(slots, names):
    assert whens(slots) == names
