"""A run's engines by measures: the heart of its first screen."""

from dataclasses import dataclass

from monitor.domain.score import Coverage
from monitor.report.matrix import SECTIONS
from monitor.report.screens.links import rows_address
from monitor.report.screens.numbers import NumberView, number_of
from monitor.report.tables import Table, scorecard_rows
from monitor.report.view import EngineView, ReportView


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
    engines: tuple[EngineHead, ...]
    sections: tuple[MeasureSection, ...]


def matrix_screen(view: ReportView) -> MatrixScreen:
    """The matrix of a run, in reading order."""
    kinds = dict.fromkeys(note.section for note in view.measures.values())
    return MatrixScreen(
        view.run,
        tuple(_head(engine) for engine in view.engines),
        tuple(
            MeasureSection(
                SECTIONS.get(kind, kind),
                tuple(
                    MeasureLine(name, note.label, note.meaning, note.unit, _numbers(view, name))
                    for name, note in view.measures.items()
                    if note.section == kind
                ),
            )
            for kind in kinds
        ),
    )


def matrix_table(view: ReportView) -> Table:
    """The same as rows, as `monitor export` writes them."""
    return scorecard_rows([engine.card for engine in view.engines])


def _head(engine: EngineView) -> EngineHead:
    return EngineHead(
        engine.name,
        engine.label,
        engine.access.value,
        engine.card.coverage,
        engine.card.signature,
    )


def _numbers(view: ReportView, name: str) -> tuple[NumberView, ...]:
    return tuple(
        number_of(engine.card.measures.get(name), rows_address(view.run, engine.name, name))
        for engine in view.engines
    )
