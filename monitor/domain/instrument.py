"""The monitor as an instrument: what one engine came to in one run, and what looks broken."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class AlarmKind(StrEnum):
    """What looks broken about the measuring itself, not about what was measured."""

    STOPPED_CITING = "stopped_citing"
    SHAPE_CHANGED = "shape_changed"
    LOW_COVERAGE = "low_coverage"
    OUTCOME_STORM = "outcome_storm"
    MODEL_CHANGED = "model_changed"


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
