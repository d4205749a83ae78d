"""A judge's agreement with people as values: every figure with its count and its interval."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.score import Interval
from monitor.statistics.ranking import Bin, Covered

LABELS = ("full", "partial", "unsupported", "contradicted")

NOT_FULL = "not_full"
"""Label of sets that only say whether support is full."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, how many rows it rests on, and its interval over questions."""

    value: float | None
    """None where it has none: no rows, or one class only."""
    rows: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far judge and people agree on rows that the judge decided."""

    right: int
    share: Estimate
    """Of decided rows, those with the same label."""
    kappa: Estimate
    alpha: Estimate
    ac1: Estimate
    """Gwet's AC1, which holds where one label is rare."""
    macro_f1: Estimate


@dataclass(frozen=True, slots=True)
class Ranked:
    """How often a fully supported row scores above a row of another label."""

    other: str
    probability: Estimate
    full: int
    others: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What is measured on one source, or on all rows."""

    rows: int
    questions: int
    scored: int
    """Rows with a score."""
    decided: int
    """Rows with a verdict that is not `not_assessable`."""
    macro_f1: Estimate
    """Full or not by the score at a half, mean F1 of both; over sources, their mean."""
    binary: Agreed
    """Full or not, by labels."""
    four_way: Agreed | None
    """All four labels, on the sources that tell them apart; None where there are none."""
    ranked: tuple[Ranked, ...]
    confusion: Mapping[str, Mapping[str, int]]
    """Rows by people's label, then by the judge's."""
    coverage: tuple[Covered, ...]
    bins: tuple[Bin, ...]
    calibration_error: float | None


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """A judge beside people, on all rows and by source."""

    judge: str
    seed: int
    """Of the resampling; made from the labelled rows."""
    overall: Figures
    sources: Mapping[str, Figures]
