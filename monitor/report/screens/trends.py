"""Measures of every engine over the last runs of a panel, with what happened between them."""

from collections.abc import Iterator
from dataclasses import dataclass

from monitor.report.screens.links import page_address, rows_address
from monitor.report.screens.numbers import number_of, unassessed_of
from monitor.report.screens.series import (
    Happening,
    Numbered,
    Series,
    SeriesPoint,
    happenings,
    series_of,
)
from monitor.report.slices import LEADING
from monitor.report.tables import Row, Table
from monitor.report.view import EngineView, ReportView

TREND_HEADER = (
    "panel", "run", "engine", "measure", "hits", "total", "value", "low", "high",
    "not_assessable", "not_assessable_reasons", "assessed_share", "undefined",
    "recipe_differs_in", "events",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeasureTrend:
    """One measure, an engine a series: never two measures in one line."""

    name: str
    label: str
    meaning: str
    href: str
    """This measure alone."""
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class TrendsScreen:
    """Measures over the last runs of a panel."""

    panel: str | None
    run: str | None
    """The last run shown; None while none has ended."""
    runs: int
    fictional: bool
    measure: str | None
    """The one that was asked for; None for the leading ones."""
    engine: str | None
    measures: tuple[tuple[str, str], ...]
    """(name, label) of what may be asked for."""
    engines: tuple[tuple[str, str], ...]
    happened: tuple[Happening, ...]
    trends: tuple[MeasureTrend, ...]
    has_unlike: bool
    signatures: tuple[str, ...]


def no_trends(measure: str | None, engine: str | None, panel: str | None) -> TrendsScreen:
    """The page of a panel, or of a store, in which nothing has ended yet."""
    return TrendsScreen(panel, None, 0, False, measure, engine, (), (), (), (), False, ())


def trends_screen(view: ReportView, measure: str | None, engine: str | None) -> TrendsScreen:
    """The leading measures, or one of all, over the runs that a view has."""
    engines = [one for one in view.engines if engine in {None, one.name}]
    happened = happenings([t for t in view.trends if engine in {None, t.engine}], engines)
    wanted = [measure] if measure else [name for name in LEADING if name in view.measures]
    trends = tuple(_trend(view, name, engines, happened) for name in wanted)
    points = [p for one in trends for series in one.series for p in series.points]
    return TrendsScreen(
        panel=view.panel.name,
        run=view.run,
        runs=len({point.run for point in points}),
        fictional=view.fictional,
        measure=measure,
        engine=engine,
        measures=tuple((name, note.label) for name, note in view.measures.items()),
        engines=tuple((one.name, one.label) for one in view.engines),
        happened=happened,
        trends=trends,
        has_unlike=any(point.unlike for point in points),
        signatures=tuple(one.card.signature for one in engines),
    )


def _trend(
    view: ReportView, name: str, engines: list[EngineView], happened: tuple[Happening, ...]
) -> MeasureTrend:
    """One measure of some engines."""
    past = {one.engine: one for one in view.trends}
    note = view.measures[name]
    return MeasureTrend(
        name,
        note.label,
        note.meaning,
        page_address("trends", run=view.run, measure=name),
        tuple(
            series_of(one, past[one.name], happened, _numbered(one.name, name))
            for one in engines
            if one.name in past
        ),
    )


def _numbered(engine: str, name: str) -> Numbered:
    """A measure of an engine in a run, with the rows behind it."""
    return lambda point, card: number_of(
        card.measures.get(name), rows_address(point.run, engine, name)
    )


def trends_table(screen: TrendsScreen) -> Table:
    """A row for each measure, engine and run; gaps too, with their reason."""
    return TREND_HEADER, list(_rows(screen))


def _rows(screen: TrendsScreen) -> Iterator[Row]:
    told = {one.letter: one.text for one in screen.happened}
    for trend in screen.trends:
        for series in trend.series:
            for point in series.points:
                events = "; ".join(told[letter] for letter in point.letters)
                head = (screen.panel, point.run, series.engine, trend.name)
                yield (*head, *_cells(point), "|".join(point.unlike), events)


def _cells(point: SeriesPoint) -> Row:
    """A number's cells."""
    number = point.number
    return (
        number.hits,
        number.total,
        number.value,
        number.low,
        number.high,
        *unassessed_of(number),
        number.assessed_share,
        number.undefined,
    )
