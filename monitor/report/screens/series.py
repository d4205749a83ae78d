"""One number of an engine over the last runs, with what happened between them."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from monitor.domain.score import Scorecard
from monitor.report.pane import PanePoint, pane_svg
from monitor.report.screens.numbers import NumberView, not_measured
from monitor.report.view import EngineView, TrendPoint, TrendView
from monitor.report.words import event_words, whens

NOT_ASKED = "not asked, or not scored"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that was another from one run to the next, for some engines."""

    letter: str
    run: str
    text: str
    engines: tuple[str, ...]
    """Labels of the engines of which it is told."""


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One run of a series."""

    run: str
    """Public id."""
    name: str
    """The slot, as short as tells the runs apart."""
    number: NumberView
    line: int
    """Points of one number share a recipe and have no gap between them."""
    unlike: tuple[str, ...]
    """Keys in which its recipe is another than the last run's."""
    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One number of one engine over the runs, oldest first."""

    engine: str
    label: str
    points: tuple[SeriesPoint, ...]

    def drawn(self, what: str, colour: str) -> str:
        """The series as SVG; empty where it has no point."""
        points = [
            PanePoint(p.name, p.number.dot, p.line, bool(p.unlike), p.letters) for p in self.points
        ]
        if not any(point.dot for point in points):
            return ""
        return pane_svg(f"{what}, {self.label}, last runs", points, colour)


Numbered = Callable[[TrendPoint, Scorecard], NumberView]
"""A number of a run by its scorecard."""


def happenings(trends: Sequence[TrendView], engines: Sequence[EngineView]) -> tuple[Happening, ...]:
    """Every event of some engines, once where several have it, in the order of the runs."""
    labels = {engine.name: engine.label for engine in engines}
    found: dict[tuple[int, str], list[str]] = {}
    runs: dict[int, str] = {}
    for trend in trends:
        for place, point in enumerate(trend.points):
            runs[place] = point.run
            for event in point.events:
                told = event_words(event, compared=False)
                found.setdefault((place, told), []).append(labels.get(trend.engine, trend.engine))
    ordered = sorted(found.items(), key=lambda pair: pair[0][0])
    return tuple(
        Happening(_letter(number), runs[place], told, tuple(names))
        for number, ((place, told), names) in enumerate(ordered)
    )


def series_of(
    engine: EngineView,
    trend: TrendView,
    happened: Iterable[Happening],
    number: Numbered,
    *,
    apart: Callable[[TrendPoint], Hashable] = lambda _: None,
) -> Series:
    """A number of an engine over the runs; a run without a scorecard is a gap.

    Points for which `apart` says another thing are not joined, whatever their recipe.
    """
    names = whens([point.slot for point in trend.points])
    own = [one for one in happened if engine.label in one.engines]
    points: list[SeriesPoint] = []
    line = 0
    drawn: Hashable = None
    for point, name in zip(trend.points, names, strict=True):
        value = number(point, point.card) if point.card else not_measured(NOT_ASKED)
        has_point = value.dot is not None and value.dot.at is not None
        here = (point.card.recipe if point.card else "", apart(point)) if has_point else None
        line += here != drawn
        drawn = here
        letters = tuple(one.letter for one in own if one.run == point.run)
        points.append(SeriesPoint(point.run, name, value, line, point.unlike, letters))
    return Series(engine.name, engine.label, tuple(points))


def _letter(number: int) -> str:
    """A, B, ... Z, A2, B2, ..."""
    turn, letter = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(turn + 1) if turn else "")
