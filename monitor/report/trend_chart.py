"""One measure or family over an engine's last runs, as a Vega-Lite value: a small multiple."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from monitor.report.charts import INK, chart_config
from monitor.report.figures import Dot
from monitor.report.words import visible

_WIDTH, _HEIGHT = 150, 96
_AXIS = 38
"""Pixels for the labels of the vertical axis: panes side by side keep one edge."""

_PERCENT = "datum.label + ' %'"


@dataclass(frozen=True, slots=True)
class Spot:
    """One run in one pane."""

    run: str
    dot: Dot
    """Value, interval and bounds in percent; without a value only the bounds are drawn."""
    line: str
    """Points with one line's name are joined."""
    is_hollow: bool
    """True where it was scored under another recipe."""


@dataclass(frozen=True, slots=True)
class Pane:
    """One measure or family over the runs."""

    label: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """An event at a run."""

    run: str
    letter: str


def trend_chart(
    title: str, runs: Sequence[str], pane: Pane, marks: Sequence[Mark], *, colour: str
) -> dict[str, Any]:
    """A pane with its runs from left to right; a run without a value is a gap."""
    names = [visible(run) for run in runs]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": title,
        "data": {"values": _values(pane, marks, names)},
        "background": None,
        "width": _WIDTH,
        "height": _HEIGHT,
        "encoding": {"x": _runs_axis(names)},
        "layer": _layers(colour),
        "config": chart_config(),
    }


def _values(pane: Pane, marks: Sequence[Mark], names: Sequence[str]) -> list[dict[str, Any]]:
    """Every run, so that all panes have the same axis; then points and events."""
    points = [
        {
            "run": visible(spot.run),
            "value": spot.dot.at,
            "low": spot.dot.low,
            "high": spot.dot.high,
            "least": spot.dot.bound_low if spot.dot.at is None else None,
            "most": spot.dot.bound_high if spot.dot.at is None else None,
            "line": spot.line,
            "hollow": spot.is_hollow,
        }
        for spot in pane.spots
    ]
    events = [
        {"run": name, "mark": " ".join(letters)}
        for name in names
        if (letters := [mark.letter for mark in marks if visible(mark.run) == name])
    ]
    return [*({"run": name} for name in names), *points, *events]


def _runs_axis(names: Sequence[str]) -> dict[str, Any]:
    """The horizontal axis: every run at its place, named as far as there is room."""
    return {
        "field": "run",
        "type": "ordinal",
        "sort": list(names),
        "scale": {"type": "point", "padding": 0.6, "domain": list(names)},
        "axis": {"title": None, "labelAngle": -40, "labelOverlap": "greedy", "grid": False},
    }


def _layers(colour: str) -> list[dict[str, Any]]:
    """Events lowest, then bands, lines, whiskers and points."""
    return [
        _layer("mark", {"type": "rule", "color": INK, "strokeDash": [3, 3], "opacity": 0.7}),
        _layer(
            "mark",
            {"type": "text", "color": INK, "fontSize": 10, "fontWeight": "bold", "dy": -5},
            {"text": {"field": "mark"}, "y": {"value": 0}},
        ),
        _layer(
            "low",
            {"type": "area", "color": colour, "opacity": 0.18},
            _y("low") | {"y2": {"field": "high"}, "detail": {"field": "line"}},
        ),
        _layer(
            "least",
            {"type": "rule", "color": INK, "strokeWidth": 6, "opacity": 0.28},
            _y("least") | {"y2": {"field": "most"}},
        ),
        _layer(
            "low",
            {"type": "rule", "color": colour, "strokeWidth": 1.5, "opacity": 0.7},
            _y("low") | {"y2": {"field": "high"}},
        ),
        _layer(
            "value",
            {"type": "line", "color": colour, "strokeWidth": 1.5},
            _y("value") | {"detail": {"field": "line"}},
        ),
        _points("!datum.hollow", {"filled": True, "color": colour, "opacity": 1}),
        _points("datum.hollow", {"filled": True, "color": "white", "opacity": 1}),
        _points("datum.hollow", {"filled": False, "color": colour, "opacity": 1}),
    ]


def _points(which: str, look: dict[str, Any]) -> dict[str, Any]:
    """Points of one look."""
    layer = _layer("value", {"type": "point", "size": 38, "strokeWidth": 1.6, **look}, _y("value"))
    return layer | {"transform": [*layer["transform"], {"filter": which}]}


def _layer(
    field: str, mark: dict[str, Any], encoding: dict[str, Any] | None = None
) -> dict[str, Any]:
    """One kind of mark, for the rows that have the field."""
    return {
        "transform": [{"filter": f"isValid(datum.{field})"}],
        "mark": mark,
        "encoding": encoding or {},
    }


def _y(field: str) -> dict[str, Any]:
    """A field along the vertical axis; in percent, not forced down to zero."""
    return {
        "y": {
            "field": field,
            "type": "quantitative",
            "scale": {"zero": False, "nice": True},
            "axis": {"title": None, "tickCount": 4, "labelExpr": _PERCENT, "minExtent": _AXIS},
        }
    }
