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


NOTHING = "nothing to count"
"""Why a rate over no statement, claim or citation has no value."""


def why_empty(rates: Mapping[str, Rate], absent: Mapping[str, str]) -> dict[str, str]:
    """Measure -> why it has no value; `absent` says it of measures that have no rate at all."""
    found = dict(absent)
    for name, rate in rates.items():
        if rate.value is None:
            found[name] = ", ".join(sorted(rate.not_assessable)) or NOTHING
    return found


def empty_cell(found: Mapping[str, str]) -> str:
    """The same in one cell, each reason once: `unmapped: citation_recall, uncited_claims`."""
    names: dict[str, list[str]] = {}
    for name, reason in found.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"{reason}: {', '.join(those)}" for reason, those in names.items())


def rate_json(rate: Rate) -> dict[str, Any]:
    """Counts and value of a rate."""
    return {
        "value": rate.value,
        "hits": rate.hits,
        "total": rate.total,
        "not_assessable": dict(sorted(rate.not_assessable.items())),
    }
