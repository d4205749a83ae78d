"""Small charts: axes that hold everything drawn, gaps, bounds, events, and nothing but shapes."""

import re

import lxml.etree
import pytest

from monitor.report.figures import Dot
from monitor.report.pane import PanePoint, pane_svg, spark_svg


def point(name, at, *, low=None, high=None, line=1, hollow=False, marks=(), bounds=(None, None)):
    return PanePoint(name, Dot(at, low, high, *bounds), line, hollow, marks)


def drawn(*points, title="Source precision"):
    return lxml.etree.fromstring(pane_svg(title, points, "#0072B2"))


def texts(tree):
    return ["".join(one.itertext()) for one in tree.iter("text")]


def ticks(tree):
    return [float(one.removesuffix(" %")) for one in texts(tree) if one.endswith(" %")]


@pytest.mark.parametrize(
    ("low", "high"), [(0, 100), (40, 60), (0, 3.2), (98, 100), (100, 100), (0, 0), (33.3, 33.4)]
)
def test_the_axis_holds_every_value_and_stays_between_0_and_100(low, high):
    found = ticks(drawn(point("a", low), point("b", high)))
    assert found[0] <= low
    assert found[-1] >= high
    assert 0 <= found[0] < found[-1] <= 100
    assert 2 <= len(found) <= 7


def test_intervals_and_bounds_are_on_the_axis_too():
    found = ticks(drawn(point("a", 50, low=12, high=88), point("b", None, bounds=(4, 97))))
    assert found[0] <= 4
    assert found[-1] >= 97


def test_points_of_two_recipes_and_over_a_gap_are_not_joined():
    tree = drawn(
        point("a", 10, line=1), point("b", 20, line=1), PanePoint("c", None, 2, False),
        point("d", 30, line=3), point("e", 40, line=4, hollow=True),
    )  # fmt: skip
    ways = [one.get("points").split() for one in tree.iter("polyline")]
    assert [len(way) for way in ways] == [2, 1, 1]
    circles = list(tree.iter("circle"))
    assert [one.get("class") for one in circles] == [None, None, None, "hollow"]


def test_a_run_without_a_point_has_its_bounds_as_a_bar():
    tree = drawn(point("a", 50), point("b", None, bounds=(20, 80)))
    assert len(tree.xpath("//line[@class='edges']")) == 1
    assert len(list(tree.iter("circle"))) == 1


def test_an_event_is_a_line_with_its_letters():
    tree = drawn(point("a", 50), point("b", 60, marks=("A", "C")))
    (line,) = tree.xpath("//line[@class='happened']")
    circles = list(tree.iter("circle"))
    assert line.get("x1") == line.get("x2") == circles[1].get("cx")
    assert "A C" in texts(tree)


def test_the_last_run_is_named_and_never_more_than_there_is_room_for():
    tree = drawn(*(point(f"2026-{n:02}", n) for n in range(1, 13)))
    names = [one for one in texts(tree) if one.startswith("2026")]
    assert names[-1] == "2026-12"
    assert len(names) == 4


def test_hostile_names_are_text_and_nothing_but_shapes_is_drawn():
    hostile = '"><script>alert(1)</script>\u202e'
    made = pane_svg(hostile, [point(hostile, 50, marks=("<b>",))], "#000")
    made += spark_svg(hostile, [(0.5, 1), (None, 2), (0.0, 3)], "#000")
    assert "<script" not in made
    assert "<b>" not in made
    assert "\u202e" not in made
    assert not re.search(r"\b(style|href|on\w+)=", made.replace("alert(1)", ""))


def test_a_small_line_begins_at_zero_and_ends_at_its_highest():
    tree = lxml.etree.fromstring(spark_svg("x", [(0.0, 1), (0.2, 1), (None, 1), (0.1, 2)], "#000"))
    heights = [float(one.get("cy")) for one in tree.iter("circle")]
    # 22 high with a margin of 3: 0 lies at 19, the highest (0.2) at 3, half of it at 11.
    assert heights == [19.0, 3.0, 11.0]
    assert len(list(tree.iter("polyline"))) == 2


def test_a_share_that_was_always_zero_lies_at_the_bottom():
    tree = lxml.etree.fromstring(spark_svg("x", [(0.0, 1), (0.0, 1)], "#000"))
    assert {one.get("cy") for one in tree.iter("circle")} == {"19.0"}
