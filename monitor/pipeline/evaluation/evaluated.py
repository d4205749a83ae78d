"""What one row of an evaluation came to, before it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.score import Rate
from monitor.report.csv import Cell
from monitor.scoring import AlceAnswer


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One row: for the JSON output, for the table, and for the totals."""

    question: str
    told: Mapping[str, Any]
    """Fields of its JSON object, in order."""
    measures: Mapping[str, Cell]
    """Cells behind its input cells, by column."""
    rates: Mapping[str, Rate]
    """Measure -> counts that enter the totals."""
    failure: str | None = None
    """Why it could not be evaluated, wholly or in part; None where it was."""
    inputs: tuple[str, ...] = ()
    """Its cells of the input columns."""
    unread: bool = False
    """Whether the row itself could not be read."""
    counts: AlceAnswer | None = None
    """What profile `alce` counted in it."""
    fluency: tuple[str, str] | None = None
    """A person's text and this one, to be compared for fluency."""


def rate_json(rate: Rate) -> dict[str, Any]:
    """Counts and value of a rate."""
    return {
        "value": rate.value,
        "hits": rate.hits,
        "total": rate.total,
        "not_assessable": dict(sorted(rate.not_assessable.items())),
    }
