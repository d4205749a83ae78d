"""Coverage of every engine, and the matrix of engines by measures."""

from dataclasses import dataclass

from monitor.domain.score import Coverage
from monitor.report.figures import Figure, figure_of, is_unasked
from monitor.report.view import EngineView, MeasureNote, ReportView
from monitor.report.words import outcome_words, rows_anchor

SECTIONS = {
    "source": "Sources: do the cited pages deserve their place?",
    "claim": "Claims: do the cited pages support what is said?",
    "matrix": "Statements by sources: does each visible page support each statement?",
    "answer": "Answers",
}
"""Section key of a measure -> heading."""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One engine's captures by state, and by outcome in words."""

    engine: EngineView
    coverage: Coverage
    others: tuple[tuple[str, int], ...]
    """(outcome in words, captures) for everything but answered."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One measure over all engines."""

    name: str
    note: MeasureNote
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class MatrixSection:
    """Measures of one kind under their heading."""

    heading: str
    rows: tuple[MatrixRow, ...]


def coverage_rows(view: ReportView) -> tuple[CoverageRow, ...]:
    """Planned, attempted, heard and answered captures of every engine, and what else happened."""
    return tuple(
        CoverageRow(engine, engine.card.coverage, _others(engine.card.coverage))
        for engine in view.engines
    )


def _others(coverage: Coverage) -> tuple[tuple[str, int], ...]:
    """Outcomes other than answered, commonest first."""
    ordered = sorted(coverage.outcomes.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple((outcome_words(o), n) for o, n in ordered if n and o != "answered")


def matrix(view: ReportView) -> tuple[MatrixSection, ...]:
    """Every measure for every engine, by section, in reading order."""
    keys = dict.fromkeys(note.section for note in view.measures.values())
    return tuple(
        MatrixSection(
            SECTIONS.get(key, key),
            tuple(
                MatrixRow(name, note, _figures(view, name))
                for name, note in view.measures.items()
                if note.section == key
            ),
        )
        for key in keys
    )


def _figures(view: ReportView, name: str) -> tuple[Figure, ...]:
    """One measure's numbers, one per engine, each with a way to its rows."""
    measures = ((engine, engine.card.measures.get(name)) for engine in view.engines)
    return tuple(
        figure_of(one, None if is_unasked(one) else f"#{rows_anchor(engine.name, name)}")
        for engine, one in measures
    )
