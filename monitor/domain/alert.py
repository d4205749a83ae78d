"""Alerts: what is told, of whom, how gravely, and the answers behind it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from monitor.domain.change import Change, ConcentrationChange, Event
from monitor.domain.keys import content_key


class AlertKind(StrEnum):
    """What an alert is about."""

    ENGINE_CHANGED = "engine_changed"
    """Another model is served, or so much moved at once that the engine itself must have."""
    FAMILY_SHARE = "family_share"
    """The citation share of a source family moved."""
    REQUIRED_LOST = "required_lost"
    """A required baseline source is no longer cited."""
    CONTRADICTION = "contradiction"
    """Cited claims are contradicted by their own sources more often."""
    MEASURE = "measure"
    """Another measure, such as precision or a recall, moved."""
    CONCENTRATION = "concentration"
    """Citations are spread over more or fewer sources."""
    RUN_QUALITY = "run_quality"
    """The run cannot be compared; nothing is said about what was measured."""


class Severity(StrEnum):
    """How gravely an alert is told."""

    CRITICAL = "critical"
    WARNING = "warning"
    NOTICE = "notice"


class Direction(StrEnum):
    """Which way something went."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class AnswerRef:
    """One answer behind an alert."""

    capture_id: int
    prompt_id: str
    repeat: int
    run: str
    """Public id of its run."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing to be told about one engine."""

    kind: AlertKind
    engine: str
    entity: str
    """What changed: a source family, a measure, `PROMPT: SOURCE`, a model, or the run itself."""
    direction: Direction
    severity: Severity
    says: str
    """A plain sentence; the counts are in it where no `change` or `concentration` has them."""
    advice: str
    """What to do next."""
    before: tuple[str, ...]
    """Public ids of the runs it is held against, oldest first."""
    after: str
    """Public id of the run that raised it."""
    change: Change | None = None
    """The numbers, where a test of a share or a measure stands behind it."""
    concentration: ConcentrationChange | None = None
    """The numbers of an alert about concentration."""
    answers: tuple[AnswerRef, ...] = ()
    """Answers behind it, those of the later run first; the first of them where there are many."""
    answers_in_all: int = 0

    def key(self, panel: str) -> str:
        """What makes it the same alert in a later run: while it is open it is not told again."""
        parts = [panel, self.engine, self.kind.value, self.entity, self.direction.value]
        return content_key(parts, 32)


class Closed(StrEnum):
    """Why an alert is no longer open."""

    QUIET = "quiet"
    """It was not seen in two runs in a row."""
    ACCEPTED = "accepted"
    """A person took the new level for the level from now on."""
    OVERTAKEN = "overtaken"
    """A graver one of the same took its place."""
    WITHDRAWN = "withdrawn"
    """The run that raised it was completed, and no longer says so."""


@dataclass(frozen=True, slots=True)
class StoredAlert:
    """An alert as it stands in the store."""

    id: int
    key: str
    panel: str
    alert: Alert
    opened_at: datetime
    seen_run: str
    """Public id of the last run it was held against."""
    quiet_runs: int
    """Runs in a row in which it was not seen any more."""
    closed_at: datetime | None
    closed: Closed | None


@dataclass(frozen=True, slots=True)
class Digest:
    """Everything new about one engine in one run: one message, events first."""

    panel: str
    engine: str
    run: str
    slot: str
    events: tuple[Event, ...]
    alerts: tuple[Alert, ...]
    """New ones, gravest first."""
    still_open: int
    """Alerts told before and open still: they are not told again."""
    signature: str
    """Of the engine's scorecard in this run."""
    made_at: datetime
    fictional: bool = False
    """True where the engines were the sandbox's stand-ins."""

    @property
    def severity(self) -> Severity:
        """That of its gravest alert."""
        told = {alert.severity for alert in self.alerts}
        return next((one for one in Severity if one in told), Severity.NOTICE)


class ShareScope(StrEnum):
    """Whose share is watched."""

    ELIGIBLE = "eligible"
    """Every family with enough citations for a test."""
    WATCHED = "watched"
    """Families that the panel's file watches, and the client's own domains."""
    OFF = "off"


@dataclass(frozen=True, slots=True)
class AlertRules:
    """What raises an alert, and when it closes."""

    share: ShareScope = ShareScope.ELIGIBLE
    required_lost: bool = True
    contradiction: bool = True
    measures: tuple[str, ...] = (
        "source_precision",
        "required_source_recall",
        "citation_precision",
        "citation_recall",
        "claim_evidence_recall",
    )
    """Measures whose change is told."""
    concentration: bool = True
    coverage: bool = True
    """Tell that a run cannot be compared, or that an engine was not heard."""
    engine_changed: bool = True
    critical_change: float = 0.05
    """Change of a watched family's share, as a fraction, from which it is critical."""
    many: float = 0.3
    """Part of the tested families that change at once, from which the engine itself changed."""
    drift_runs: int = 3
    """Earlier runs pooled into the second baseline, which finds slow drift; 1 turns it off."""
    strict_level: float = 0.01
    """Adjusted p, at most, of all that is told beside the families' shares against the run before.

    Every comparison spends its own false discovery rate; told at one and the same level, the
    pooled runs, the measures and concentration would more than double the false alarms of a run.
    """
    quiet_runs: int = 2
    """Runs in a row without it after which an alert closes."""


NO_RULES = AlertRules()
"""The rules of a configuration that says nothing."""
