"""An engine over the last runs of its panel: levels with their intervals, and what happened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_uppercase

from monitor.domain.score import Scorecard
from monitor.report.charts import svg
from monitor.report.families import share_figure
from monitor.report.figures import Figure, figure_of
from monitor.report.slices import LEADING
from monitor.report.trend_chart import Mark, Pane, Spot, trend_chart
from monitor.report.view import EngineView, ReportView, TrendPoint, TrendView
from monitor.report.words import event_words, short, whens

_FAMILIES = 4
"""Families that are drawn: the largest in any of the runs shown."""

_LEAST_RUNS = 2


@dataclass(frozen=True, slots=True)
class TrendRow:
    """One run of one engine in the table."""

    name: str
    cells: tuple[str, ...]
    """One number for each series, in words."""
    marks: tuple[str, ...]
    """Letters of the events that happened before it."""
    unlike: str
    """Keys in which its recipe is another; empty where it is the report's."""


@dataclass(frozen=True, slots=True)
class TrendTable:
    """Everything shown of one engine's past."""

    engine: EngineView
    series: tuple[str, ...]
    rows: tuple[TrendRow, ...]
    events: tuple[tuple[str, str, str], ...]
    """(letter, run, what happened), as the chart and the table mark them."""
    panes: tuple[tuple[str, str], ...]
    """(series, SVG); empty where there are too few prompts for any interval."""
    has_unlike: bool


def trend_tables(view: ReportView, colours: Mapping[str, str]) -> tuple[TrendTable, ...]:
    """One table and chart an engine that has a past; in the view's order."""
    found = {trend.engine: trend for trend in view.trends}
    return tuple(
        _table(view, engine, found[engine.name], colours[engine.name])
        for engine in view.engines
        if engine.name in found and _has_past(found[engine.name])
    )


def _has_past(trend: TrendView) -> bool:
    """Whether more than one run has anything to draw."""
    return sum(point.card is not None for point in trend.points) >= _LEAST_RUNS


def _table(view: ReportView, engine: EngineView, trend: TrendView, colour: str) -> TrendTable:
    """Table and chart of one engine, of the same numbers."""
    names = whens([point.slot for point in trend.points])
    series = _series(view, trend)
    letters = _letters(trend)
    return TrendTable(
        engine=engine,
        series=tuple(series),
        rows=tuple(
            TrendRow(
                names[place],
                tuple(figures[place].text for figures in series.values()),
                tuple(letter for at, letter, _ in letters if at == place),
                ", ".join(point.unlike),
            )
            for place, point in enumerate(trend.points)
        ),
        events=tuple((letter, names[place], said) for place, letter, said in letters),
        panes=tuple(_panes(engine, trend, names, series, colour)),
        has_unlike=any(point.unlike for point in trend.points),
    )


def _panes(
    engine: EngineView,
    trend: TrendView,
    names: tuple[str, ...],
    series: Mapping[str, tuple[Figure, ...]],
    colour: str,
) -> Iterator[tuple[str, str]]:
    """One small chart a series; none at all where nothing has an interval."""
    marks = [Mark(names[place], letter) for place, letter, _ in _letters(trend)]
    panes = [Pane(label, tuple(_spots(trend, names, figures))) for label, figures in series.items()]
    if not any(spot.dot.low is not None for pane in panes for spot in pane.spots):
        return
    for pane in panes:
        title = f"{pane.label}, {engine.label}, last runs"
        yield pane.label, svg(trend_chart(title, names, pane, marks, colour=colour))


def _series(view: ReportView, trend: TrendView) -> dict[str, tuple[Figure, ...]]:
    """Label -> a figure for each run: leading measures, then the largest families."""
    measures = {
        view.measures[name].label: tuple(_measure(point, name) for point in trend.points)
        for name in LEADING
        if name in view.measures
    }
    families = {
        short(name): tuple(_family(point, name) for point in trend.points)
        for name in _largest(trend)
    }
    return measures | families


def _measure(point: TrendPoint, name: str) -> Figure:
    """A measure in one run."""
    return figure_of(point.card.measures.get(name), None) if point.card else _NOT_ASKED


def _family(point: TrendPoint, name: str) -> Figure:
    """A family's share in one run."""
    return share_figure(point.card, name, None) if point.card else _NOT_ASKED


_NOT_ASKED = Figure("", "", "not asked, or not scored", "", "", None, None)


def _largest(trend: TrendView) -> tuple[str, ...]:
    """Families with the largest share in any run, the largest first."""
    peak: dict[str, float] = {}
    for card in (point.card for point in trend.points if point.card):
        for name, value in _shares(card):
            peak[name] = max(peak.get(name, 0.0), value)
    return tuple(sorted(peak, key=lambda name: (-peak[name], name))[:_FAMILIES])


def _shares(card: Scorecard) -> list[tuple[str, float]]:
    """Families of a scorecard with their shares."""
    return [(f.family, f.rate.value) for f in card.families if f.rate.value is not None]


def _letters(trend: TrendView) -> tuple[tuple[int, str, str], ...]:
    """(place of the run, letter, what happened) for every event, in order."""
    events = [
        (place, event_words(event, compared=False))
        for place, point in enumerate(trend.points)
        for event in point.events
    ]
    return tuple((place, _letter(number), said) for number, (place, said) in enumerate(events))


def _letter(number: int) -> str:
    """A, B, ... Z, A2, B2, ..."""
    turn, letter = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(turn + 1) if turn else "")


def _spots(trend: TrendView, names: tuple[str, ...], figures: tuple[Figure, ...]) -> list[Spot]:
    """Points of one series; those under one recipe, without a gap, share a line."""
    spots, line, drawn = [], 0, None
    for point, name, figure in zip(trend.points, names, figures, strict=True):
        at = figure.dot.at if figure.dot else None
        here = (point.card.recipe if point.card else "") if at is not None else None
        line += here != drawn
        drawn = here
        if figure.dot:
            spots.append(Spot(name, figure.dot, f"line {line}", is_hollow=bool(point.unlike)))
    return spots
