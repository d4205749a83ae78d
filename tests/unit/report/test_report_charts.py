"""Charts: inline values only, axes labelled, one colour an engine, nothing that could run."""

import pytest

from monitor.report.charts import ShareDot, palette, share_chart, svg

DOTS = (
    ShareDot("a.example", 0.3, 0.2, 0.4, 0.5),
    ShareDot("<script>url(#x)</script>", 0.1, None, None, None),
    ShareDot("gone.example", None, None, None, 0.2),
)


def test_a_chart_is_drawn_with_its_axis_in_words():
    drawn = svg(share_chart("Citation shares", DOTS, "#0072B2"))
    assert drawn.startswith("<svg")
    assert "Share of visible citations" in drawn
    assert "a.example" in drawn
    assert "&lt;script&gt;" in drawn
    assert "<script" not in drawn


def test_the_same_chart_gives_the_same_bytes():
    spec = share_chart("Citation shares", DOTS, "#0072B2")
    assert svg(spec) == svg(spec)


@pytest.mark.parametrize(
    "data",
    [
        {"url": "https://evil.example/x.json"},
        {"url": "file:///etc/passwd"},
        {"name": "later"},
        {"values": "https://evil.example/x.json"},
        {"sequence": {"start": 0, "stop": 9}},
    ],
)
def test_a_chart_that_reads_from_elsewhere_is_refused(data):
    spec = share_chart("Citation shares", DOTS, "#0072B2") | {"data": data}
    with pytest.raises(ValueError, match=r"chart at \$"):
        svg(spec)


def test_data_hidden_in_a_layer_is_refused_too():
    spec = share_chart("Citation shares", DOTS, "#0072B2")
    spec["layer"][0]["data"] = {"url": "file:///etc/passwd"}
    with pytest.raises(ValueError, match=r"layer\[0\]"):
        svg(spec)


def test_a_link_in_a_mark_is_refused():
    spec = share_chart("Citation shares", DOTS, "#0072B2")
    spec["layer"][0]["mark"]["href"] = "https://evil.example"
    with pytest.raises(ValueError, match="address"):
        svg(spec)


def test_an_engine_keeps_its_colour_whoever_stands_beside_it():
    alone = palette(["perplexity"])
    together = palette(["openai", "perplexity", "gemini", "anthropic"])
    assert alone["perplexity"] == together["perplexity"]
    assert len(set(together.values())) == 4


def test_two_engines_of_one_preferred_colour_are_told_apart():
    colours = palette(["openai", "openai_chat_search"])
    assert len(set(colours.values())) == 2
