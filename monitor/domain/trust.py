"""How far a judge may be trusted: measured figures, people's labels, and rates they correct."""

from dataclasses import dataclass

from monitor.domain.claim import Support
from monitor.domain.measured import MeasuredFigures
from monitor.domain.score import Interval, Measured

NEEDED = 30
"""Labelled pairs below which neither agreement nor a corrected rate is told."""

CLASSES = (Support.FULL, Support.PARTIAL, Support.UNSUPPORTED, Support.CONTRADICTED)
"""Classes of a judge that decided and of people who could tell, in the order of tables."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient with its interval; None where it has no value."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class PanelAgreement:
    """A judge beside the labels of people, over pairs that both decided."""

    pairs: int
    agreeing: int
    """Pairs that both put into the same one of the four classes."""
    raw: Figure
    kappa: Figure
    alpha: Figure
    confusion: tuple[tuple[int, ...], ...]
    """Pairs by class of the people (rows) and of the judge (columns), both in order of CLASSES."""


@dataclass(frozen=True, slots=True)
class PanelLabels:
    """What people labelled of a panel, and how the judge agrees with it."""

    labelled: int
    """Pairs with a label of anyone."""
    disputed: int
    """Pairs whose annotators are at a tie; they settle nothing."""
    not_assessable: int
    """Pairs of which people say that the texts do not allow to tell."""
    left_open: int
    """Settled pairs that this judge left open, or was never asked."""
    both: int
    """Pairs that people settled and this judge decided."""
    agreement: PanelAgreement | None
    """None with fewer than NEEDED pairs that both decided."""


@dataclass(frozen=True, slots=True)
class CorrectedMeasure:
    """A judged rate with what people's labels make of it; the judge's own stays beside it."""

    engine: str
    measure: str
    judged: Measured
    """The judge's own rate, as the scorecard has it."""
    judged_interval: Interval | None
    labelled: int
    """Drawn pairs of this engine with a settled label: what the correction rests on."""
    pairs: int
    """Pairs of this engine that could be drawn."""
    value: float | None
    """None with fewer than NEEDED labels, and where no claim could be assessed."""
    interval: Interval | None
    weight: float | None
    """Share of the judge's verdicts that is used, in [0, 1]; 0 is labels alone."""


@dataclass(frozen=True, slots=True)
class JudgeTrust:
    """Everything a reader is told of the judge behind a run's numbers."""

    judge: str
    """Name and version."""
    measured: MeasuredFigures | None
    """What ships with the program for this version; None where nothing does."""
    here: PanelLabels | None
    """None while nobody labelled a pair of the panel."""
    corrected: tuple[CorrectedMeasure, ...] = ()
    notes: tuple[str, ...] = ()
    """Why labels correct nothing, where they do not."""
