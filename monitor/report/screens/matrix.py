"""A run's engines by measures: the heart of its first screen."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.score import Coverage, Scorecard
from monitor.report.matrix import SECTIONS
from monitor.report.screens.links import rows_address
from monitor.report.screens.numbers import NumberView, number_of, unassessed_of
from monitor.report.tables import Table
from monitor.report.view import EngineView, ReportView

EVERYTHING = "all"
"""Segment of a whole run."""


@dataclass(frozen=True, slots=True)
class EngineHead:
    """An engine as a column: what it is called, what of it was heard, and how it was scored."""

    name: str
    label: str
    access: str
    coverage: Coverage
    signature: str


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """One measure, an engine a cell."""

    name: str
    label: str
    meaning: str
    unit: str
    numbers: tuple[NumberView, ...]


@dataclass(frozen=True, slots=True)
class MeasureSection:
    """Measures of one kind."""

    heading: str
    lines: tuple[MeasureLine, ...]


@dataclass(frozen=True, slots=True)
class MatrixScreen:
    """Every measure of every engine of a run."""

    run: str
    segment: str
    """`all`, or the part of the run, as field=value."""
    engines: tuple[EngineHead, ...]
    sections: tuple[MeasureSection, ...]
    parts: tuple[str, ...] = ()
    """Every part that any engine was scored for, which a page may choose."""


def matrix_screen(view: ReportView, segment: str = EVERYTHING) -> MatrixScreen:
    """The matrix of a run or of a part of it, in reading order; measures of the part alone."""
    engines = [one for one in view.engines if card_of(one, segment) is not None]
    cards = [card for one in engines if (card := card_of(one, segment)) is not None]
    names = [name for name in view.measures if any(name in card.measures for card in cards)]
    kinds = dict.fromkeys(view.measures[name].section for name in names)
    return MatrixScreen(
        view.run,
        segment,
        tuple(map(_head, engines, cards)),
        tuple(
            MeasureSection(
                SECTIONS.get(kind, kind),
                tuple(
                    _line(view, name, cards) for name in names
                    if view.measures[name].section == kind
                ),
            )
            for kind in kinds
        ),
        parts=tuple(sorted({card.segment for one in view.engines for card in one.segments})),
    )  # fmt: skip


_HEADER = (
    "run", "segment", "engine", "measure", "hits", "total", "value", "low", "high",
    "not_assessable", "not_assessable_reasons", "assessed_share", "undefined",
    "planned", "heard", "answered", "signature",
)  # fmt: skip


def matrix_table(screen: MatrixScreen) -> Table:
    """One row for each engine and measure: counts first, values unrounded."""
    return _HEADER, [
        (
            screen.run, screen.segment, head.name, line.name, n.hits, n.total, n.value, n.low,
            n.high, *unassessed_of(n), n.assessed_share, n.undefined, head.coverage.planned,
            head.coverage.heard, head.coverage.answered, head.signature,
        )
        for section in screen.sections
        for line in section.lines
        for head, n in zip(screen.engines, line.numbers, strict=True)
    ]  # fmt: skip


def card_of(engine: EngineView, segment: str) -> Scorecard | None:
    """Scorecard of a segment of an engine; None where the engine has none of it."""
    cards = (engine.card, *engine.segments)
    return next((card for card in cards if card.segment == segment), None)


def _head(engine: EngineView, card: Scorecard) -> EngineHead:
    return EngineHead(engine.name, engine.label, engine.access.value, card.coverage, card.signature)


def _line(view: ReportView, name: str, cards: Sequence[Scorecard]) -> MeasureLine:
    note = view.measures[name]
    is_slice = any(card.segment != EVERYTHING for card in cards)
    numbers = tuple(
        number_of(card.measures.get(name), _rows(view, name, card), slice_of=is_slice)
        for card in cards
    )
    return MeasureLine(name, note.label, note.meaning, note.unit, numbers)


def _rows(view: ReportView, name: str, card: Scorecard) -> str:
    """Rows behind the number of a scorecard."""
    segment = None if card.segment == EVERYTHING else card.segment
    return rows_address(view.run, card.engine, name, segment=segment)
