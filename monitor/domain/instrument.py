"""The monitor as an instrument: what one engine came to in one run, and what looks broken."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from monitor.domain.money import NOTHING, Spent
from monitor.domain.score import Coverage


@dataclass(frozen=True, slots=True)
class EngineTotals:
    """What one engine came to in one run, in counts."""

    coverage: Coverage
    cited: int = 0
    """Answers with at least one visible citation."""
    citations: int = 0
    """Visible citations of all answers."""
    models: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Served model -> answers; answers whose model is not told are left out."""
    spent: Mapping[str, Spent] = field(default_factory=lambda: MappingProxyType({}))
    """Month such as 2026-11 -> what was spent in it."""

    @property
    def spent_in_all(self) -> Spent:
        """Calls and money of all months."""
        return sum(self.spent.values(), NOTHING)

    @property
    def per_answer(self) -> float | None:
        """Visible citations per answer, or None without an answer."""
        answered = self.coverage.answered
        return self.citations / answered if answered else None


@dataclass(frozen=True, slots=True)
class AlarmRules:
    """From when on something counts as suspicious."""

    least_answers: int = 5
    """Answers, now and before, below which citing is not compared."""
    citing_left: float = 0.2
    """Citations per answer, as a part of those before, at which an engine has stopped citing."""
    unread: float = 0.05
    """Part of the asked captures whose payload could not be read."""
    coverage: float = 0.8
    """Part of the planned captures that must have been heard."""
    storm: float = 0.2
    """Part of the asked captures that ended at one and the same barrier."""
    least_captures: int = 3
    """Captures below which neither unread payloads nor a barrier raise an alarm."""


class AlarmKind(StrEnum):
    """What looks broken about the measuring itself, not about what was measured."""

    STOPPED_CITING = "stopped_citing"
    SHAPE_CHANGED = "shape_changed"
    LOW_COVERAGE = "low_coverage"
    OUTCOME_STORM = "outcome_storm"
    MODEL_CHANGED = "model_changed"


GRAVE = frozenset(AlarmKind) - {AlarmKind.MODEL_CHANGED}
"""Kinds that put a run's numbers in doubt; a new model is news, and is told without waking."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One suspicion about one engine of one run, with the counts behind it."""

    kind: AlarmKind
    engine: str
    counts: Mapping[str, int]
    says: str
    """A plain sentence with the counts in it."""
    advice: str
    """What to do about it."""

    @property
    def grave(self) -> bool:
        """Whether it puts the run's numbers in doubt."""
        return self.kind in GRAVE


@dataclass(frozen=True, slots=True)
class Undecided:
    """A kind of alarm that could not be decided for an engine, and why."""

    kind: AlarmKind
    engine: str
    reason: str
    """`no_past`, `few_answers` or `few_citations`."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """The alarms of a run, and what could not be decided."""

    alarms: tuple[Alarm, ...] = ()
    undecided: tuple[Undecided, ...] = ()
