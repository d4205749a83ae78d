"""Pairs on which annotators disagree: one at a time, both labels with their reasons."""

from dataclasses import dataclass
from datetime import datetime

from monitor.report.screens.labels import Choice, PairMatter
from monitor.report.tables import Table


@dataclass(frozen=True, slots=True)
class Side:
    """What one annotator said."""

    label: int
    """Row of the label; a form names those that were seen."""
    annotator: str
    support: str
    word: str
    note: str
    guideline: str
    saved_at: datetime | None


@dataclass(frozen=True, slots=True)
class DecisionView:
    """What an adjudicator decided."""

    id: int
    support: str
    word: str
    reason: str
    adjudicator: str
    saved_at: datetime
    current: bool
    """Whether it is about the labels as they are now."""


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One pair of the queue."""

    page: int
    pair: str
    claim: str
    sides: tuple[tuple[str, str], ...]
    """(annotator, support)."""
    decided: str | None
    """The support that was decided; None while nobody did."""
    adjudicator: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class AdjudicationScreen:
    """One pair of the queue of a panel, or that there is none."""

    panel: str | None
    panels: tuple[tuple[str, int], ...]
    """(panel, pairs still to decide), of every panel with plans."""
    page: int
    total: int
    decided: int
    pair: str | None
    """Identity of the pair; None where the queue is empty."""
    matter: PairMatter | None
    sides: tuple[Side, ...]
    decision: DecisionView | None
    choices: tuple[Choice, ...]
    reason: str
    guideline: str
    previous: str | None
    following: str | None
    problem: str
    queue: tuple[QueueLine, ...]
    """Every pair of the queue, for the table."""


def adjudication_table(screen: AdjudicationScreen) -> Table:
    """One row a pair, with what each annotator said."""
    header = ("page", "pair", "claim", "labels", "decided", "adjudicator", "reason")
    return header, [
        (
            one.page,
            one.pair,
            one.claim,
            "; ".join(f"{who}: {support}" for who, support in one.sides),
            one.decided,
            one.adjudicator,
            one.reason,
        )
        for one in screen.queue
    ]
