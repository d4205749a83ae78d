"""What one answer counts for in every measure, each with the formula it is counted by."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.score import Tally
from monitor.report.screens.formulas import FORMULAS
from monitor.report.screens.links import measure_address
from monitor.report.screens.numbers import NumberView, number_of_rate
from monitor.report.view import MeasureNote


@dataclass(frozen=True, slots=True)
class CaptureNumber:
    """Counts of one answer for one measure."""

    name: str
    label: str
    meaning: str
    above: str
    """What is counted above the line."""
    below: str
    number: NumberView


def capture_numbers(
    tally: Tally | None, run: str, notes: Mapping[str, MeasureNote]
) -> tuple[CaptureNumber, ...]:
    """Every measure of one answer, in reading order; nothing before it was scored."""
    if tally is None:
        return ()
    return tuple(
        CaptureNumber(
            name,
            note.label,
            note.meaning,
            FORMULAS[name].hits if name in FORMULAS else "",
            FORMULAS[name].total if name in FORMULAS else note.unit,
            number_of_rate(tally.measures[name], None, measure_address(name, run=run)),
        )
        for name, note in notes.items()
        if name in tally.measures
    )
