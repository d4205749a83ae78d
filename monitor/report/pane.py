"""Series over runs drawn small: points, bands, gaps and lettered events as plain SVG shapes.

No style and no script stands in them, and they cost no renderer: a page holds dozens.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from monitor.report.figures import Dot
from monitor.report.words import short, visible

_WIDTH, _HEIGHT = 280, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 8, 18, 24
_STEPS = (1, 2, 5, 10, 20, 25, 50)
"""Percent between two ticks."""
_TICKS = 4
_FLAT = 2.0
"""Percent under which a difference would be blown up to the whole height."""
_NAMES = 4
"""Runs that are named below the axis; the table beside the chart names all."""

_SPARK_WIDTH, _SPARK_HEIGHT, _MARGIN = 88, 22, 3


@dataclass(frozen=True, slots=True)
class PanePoint:
    """One run in a pane."""

    name: str
    dot: Dot | None
    """None where nothing was measured: a gap."""
    line: int
    """Neighbours with one number are joined."""
    is_hollow: bool
    """True where it was scored under another recipe."""
    marks: tuple[str, ...] = ()
    """Letters of the events that happened before it."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where values and runs lie."""

    low: float
    high: float
    step: float
    runs: int

    def x(self, place: int) -> float:
        """Middle of a run's place."""
        wide = _WIDTH - _LEFT - _RIGHT
        return round(_LEFT + wide * (place + 0.5) / max(1, self.runs), 1)

    def y(self, value: float) -> float:
        """Height of a percentage."""
        tall = _HEIGHT - _TOP - _BOTTOM
        part = (value - self.low) / (self.high - self.low)
        return round(_HEIGHT - _BOTTOM - tall * part, 1)


def pane_svg(title: str, points: Sequence[PanePoint], colour: str) -> str:
    """One series over its runs; its vertical axis is labelled and not forced to zero."""
    frame = _frame(points)
    shapes = (
        *_axis(frame),
        *_names(frame, points),
        *_marks(frame, points),
        *_bands(frame, points, colour),
        *_points(frame, points, colour),
    )
    return (
        f'<svg class="pane" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{_text(title)}">{"".join(shapes)}</svg>'
    )


def _frame(points: Sequence[PanePoint]) -> _Frame:
    """An axis that holds everything drawn, with few ticks at round numbers."""
    ends = [
        end
        for dot in (point.dot for point in points)
        if dot is not None
        for end in (dot.at, dot.low, dot.high, *_edges(dot))
        if end is not None
    ] or [0.0, 100.0]
    low, high = min(ends), max(ends)
    if high - low < _FLAT:
        low, high = max(0.0, low - _FLAT), min(100.0, high + _FLAT)
    step = next((s for s in _STEPS if (high - low) / s <= _TICKS), _STEPS[-1])
    bottom = max(0.0, step * (low // step))
    top = min(100.0, step * -(-high // step))
    return _Frame(bottom, top if top > bottom else bottom + step, step, len(points))


def _edges(dot: Dot) -> tuple[float | None, float | None]:
    """Bounds, which are drawn only where they stand in for the point."""
    return (dot.bound_low, dot.bound_high) if dot.at is None else (None, None)


def _axis(frame: _Frame) -> Iterator[str]:
    """Ticks from the lowest to the highest, each with its percentage."""
    value = frame.low
    while value <= frame.high + 1e-9:
        y = frame.y(value)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{value:g} %</text>'
        value += frame.step


def _names(frame: _Frame, points: Sequence[PanePoint]) -> Iterator[str]:
    """The last run's name, and others as far as there is room."""
    every = max(1, -(-len(points) // _NAMES))
    for place, point in enumerate(points):
        if (len(points) - 1 - place) % every == 0:
            name = _text(short(visible(point.name), 12))
            yield f'<text x="{frame.x(place)}" y="{_HEIGHT - 6}" text-anchor="middle">{name}</text>'


def _marks(frame: _Frame, points: Sequence[PanePoint]) -> Iterator[str]:
    """A dashed line with letters where something happened."""
    for place, point in enumerate(points):
        if point.marks:
            x, letters = frame.x(place), _text(" ".join(point.marks))
            ends = f'y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"'
            yield f'<line class="happened" x1="{x}" x2="{x}" {ends}/>'
            yield f'<text x="{x}" y="{_TOP - 5}" text-anchor="middle">{letters}</text>'


def _bands(frame: _Frame, points: Sequence[PanePoint], colour: str) -> Iterator[str]:
    """Intervals as a band along each line, and bounds as grey bars."""
    for line in _lines(points):
        held = [(frame.x(at), d.low, d.high) for at, d in line if d.low is not None]
        upper = [f"{x},{frame.y(high)}" for x, _, high in held if high is not None]
        lower = [f"{x},{frame.y(low)}" for x, low, _ in reversed(held) if low is not None]
        if len(held) > 1:
            yield f'<polygon class="band" points="{" ".join(upper + lower)}" fill="{colour}"/>'
    for place, point in enumerate(points):
        low, high = _edges(point.dot) if point.dot else (None, None)
        if low is not None and high is not None:
            x = frame.x(place)
            yield (
                f'<line class="edges" x1="{x}" x2="{x}" y1="{frame.y(low)}" y2="{frame.y(high)}"/>'
            )


def _points(frame: _Frame, points: Sequence[PanePoint], colour: str) -> Iterator[str]:
    """Lines of neighbours, then a whisker and a dot for each run."""
    for line in _lines(points):
        way = " ".join(f"{frame.x(at)},{frame.y(d.at)}" for at, d in line if d.at is not None)
        yield f'<polyline class="way" points="{way}" stroke="{colour}"/>'
    for place, point in enumerate(points):
        dot, x = point.dot, frame.x(place)
        if dot is None or dot.at is None:
            continue
        if dot.low is not None and dot.high is not None:
            ends = f'y1="{frame.y(dot.low)}" y2="{frame.y(dot.high)}"'
            yield f'<line class="whisker" x1="{x}" x2="{x}" {ends} stroke="{colour}"/>'
        kind = ' class="hollow"' if point.is_hollow else f' fill="{colour}"'
        yield f'<circle cx="{x}" cy="{frame.y(dot.at)}" r="3.6"{kind} stroke="{colour}"/>'


def _lines(points: Sequence[PanePoint]) -> Iterator[list[tuple[int, Dot]]]:
    """Measured runs by the line that joins them, with their places."""
    numbered = [(place, point) for place, point in enumerate(points)]
    for _, line in groupby(numbered, key=lambda pair: pair[1].line):
        held = [(at, one.dot) for at, one in line if one.dot and one.dot.at is not None]
        if held:
            yield [(at, dot) for at, dot in held if dot is not None]


def spark_svg(title: str, values: Sequence[tuple[float | None, int]], colour: str) -> str:
    """A share over its runs, from 0 at the bottom to its own highest; (value, line) each."""
    most = max((value for value, _ in values if value is not None), default=0.0) or 1.0
    wide = _SPARK_WIDTH - 2 * _MARGIN
    tall = _SPARK_HEIGHT - 2 * _MARGIN

    def place(number: int, value: float) -> tuple[float, float]:
        x = _MARGIN + wide * number / max(1, len(values) - 1)
        return round(x, 1), round(_SPARK_HEIGHT - _MARGIN - tall * value / most, 1)

    lines: dict[int, list[tuple[float, float]]] = {}
    for number, (value, line) in enumerate(values):
        if value is not None:
            lines.setdefault(line, []).append(place(number, value))
    ways = "".join(
        f'<polyline class="way" stroke="{colour}" points="{" ".join(f"{x},{y}" for x, y in one)}"/>'
        for one in lines.values()
    )
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="1.8" fill="{colour}"/>'
        for one in lines.values()
        for x, y in one
    )
    return (
        f'<svg class="spark" viewBox="0 0 {_SPARK_WIDTH} {_SPARK_HEIGHT}" role="img" '
        f'aria-label="{_text(title)}">{ways}{dots}</svg>'
    )


def _text(value: str) -> str:
    """Text as it stands in SVG."""
    return escape(visible(value))
