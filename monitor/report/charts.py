"""Charts as Vega-Lite values, drawn to SVG without a browser, a file or a network."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import vl_convert

from monitor.report.words import visible

_OKABE_ITO = MappingProxyType(
    {
        "blue": "#0072B2",
        "vermilion": "#D55E00",
        "green": "#009E73",
        "purple": "#CC79A7",
        "sky": "#56B4E9",
        "orange": "#E69F00",
        "grey": "#7F7F7F",
        "yellow": "#B8A800",
    }
)
"""Okabe and Ito (2008); black gives way to grey and yellow is darkened, to show on both papers."""

_PREFERRED = MappingProxyType(
    {
        "openai": "green",
        "openai_chat_search": "green",
        "perplexity": "blue",
        "gemini": "sky",
        "anthropic": "vermilion",
        "xai": "grey",
        "mistral": "orange",
        "openrouter": "yellow",
        "google_ai_overview": "purple",
        "google_ai_overview_dataforseo": "purple",
        "google_ai_mode": "orange",
        "google_ai_mode_dataforseo": "orange",
        "sandbox_chat": "grey",
    }
)
"""The colour of an engine in every chart; a second engine of one colour takes the next free."""

INK = "currentColor"
_PERCENT = "format(100 * datum.value, '.3~g') + ' %'"
_FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif"
_REMEMBERED = 256
"""Charts kept once drawn: a report and its edition for print have the same ones."""

_LABEL_LIMIT = 240
_LETTER_WIDTH = 7.5
"""Widest usual letter of a 12 px label, in pixels."""


@dataclass(frozen=True, slots=True)
class ShareDot:
    """One family in a chart: share now with its interval, and before."""

    family: str
    now: float | None
    low: float | None
    high: float | None
    before: float | None


def palette(engines: Sequence[str]) -> Mapping[str, str]:
    """Engine -> colour; an engine keeps its colour whatever else is shown, where it can."""
    taken: dict[str, str] = {}
    for engine in engines:
        free = [name for name in _OKABE_ITO if name not in taken.values()] or list(_OKABE_ITO)
        wanted = _PREFERRED.get(engine, free[0])
        taken[engine] = wanted if wanted in free else free[0]
    return {engine: _OKABE_ITO[name] for engine, name in taken.items()}


def share_chart(title: str, dots: Sequence[ShareDot], colour: str) -> dict[str, Any]:
    """Dots and whiskers: one line per family, now filled in colour, before as a hollow ring."""
    values = [
        {
            "family": visible(d.family),
            "now": d.now,
            "low": d.low,
            "high": d.high,
            "before": d.before,
        }
        for d in dots
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": title,
        "data": {"values": values},
        "width": 460,
        "height": {"step": 22},
        "background": None,
        "encoding": {"y": _family_axis(max((len(d.family) for d in dots), default=0))},
        "layer": [
            _layer({"type": "rule", "color": colour, "strokeWidth": 2}, "low", "high"),
            _layer(
                {"type": "point", "color": INK, "filled": False, "size": 70, "opacity": 0.65},
                "before",
            ),
            _layer(
                {"type": "point", "color": colour, "filled": True, "size": 80, "opacity": 1}, "now"
            ),
        ],
        "config": chart_config(),
    }


def _family_axis(longest: int) -> dict[str, Any]:
    """The vertical axis: families in the order given, with room for the longest name."""
    # A browser's font may be wider than the renderer's: without room the first letters are cut.
    room = min(_LABEL_LIMIT, 20 + _LETTER_WIDTH * longest)
    return {
        "field": "family",
        "type": "nominal",
        "sort": None,
        "axis": {
            "title": None,
            "labelLimit": _LABEL_LIMIT,
            "labelPadding": 6,
            "minExtent": room,
            "ticks": False,
        },
    }


def _layer(mark: dict[str, Any], field: str, end: str | None = None) -> dict[str, Any]:
    """One kind of mark along the share axis."""
    axis = {"title": "Share of visible citations", "tickCount": 6, "labelExpr": _PERCENT}
    encoding: dict[str, Any] = {"x": {"field": field, "type": "quantitative", "axis": axis}}
    if end:
        encoding["x2"] = {"field": end}
    return {
        "mark": {**mark, "invalid": "filter"},
        "transform": [{"filter": f"isValid(datum.{field})"}],
        "encoding": encoding,
    }


def chart_config() -> dict[str, Any]:
    """Ink that follows the page's own, so that a chart reads on light and dark paper."""
    return {
        "font": _FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": INK,
            "titleColor": INK,
            "domainColor": INK,
            "tickColor": INK,
            "gridColor": INK,
            "gridOpacity": 0.12,
            "domainOpacity": 0.4,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
        },
    }


def svg(spec: Mapping[str, Any]) -> str:
    """A chart as SVG text; ValueError where the chart would read anything but its own values."""
    _require_inline(spec, "$")
    return _drawn(json.dumps(spec, ensure_ascii=True))


@lru_cache(maxsize=_REMEMBERED)
def _drawn(spec: str) -> str:
    """The same of a chart as JSON text; a chart drawn before is remembered."""
    drawn: str = vl_convert.vegalite_to_svg(json.loads(spec), allowed_base_urls=[])
    # A reference such as `url(#clip0)` would meet another chart's clip of that name in one page.
    if re.search(r'<(?:script|image|foreignObject|a)\b|="url\(', drawn):
        raise ValueError("the drawn chart holds a link, a picture or a script; expected shapes")
    return drawn.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1)


def _require_inline(node: Any, path: str) -> None:
    """Refuse any data that is not written in the chart itself."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            _check_key(str(key), value, path)
            _require_inline(value, f"{path}.{key}")
    elif isinstance(node, list | tuple):
        for number, value in enumerate(node):
            _require_inline(value, f"{path}[{number}]")


def _check_key(key: str, value: Any, path: str) -> None:
    """Refuse a key that makes the renderer read from elsewhere."""
    if key in {"url", "href", "usermeta", "loader"}:
        raise ValueError(f"chart at {path}.{key}: found an address, expected inline values only")
    is_inline = isinstance(value, Mapping) and set(value) <= {"values", "format", "name"}
    if key == "data" and not (is_inline and isinstance(value.get("values"), list)):
        raise ValueError(f"chart at {path}.data: expected {{'values': [...]}} and nothing else")
