"""One engine's run held against its past: what to tell of it, and what becomes of open alerts.

The one line from samples to alerts, for the pipeline, which reads them from the store, and for the
simulation, which measures how often it is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from monitor.changes.raising import EngineRun, raise_alerts
from monitor.changes.standing import Standing, is_still_seen, settle
from monitor.domain.alert import Alert, AlertKind, AlertRules, StoredAlert
from monitor.domain.change import Comparison
from monitor.domain.instrument import Alarm
from monitor.domain.sample import Sample

Compare = Callable[[Sequence[str]], Comparison | None]
"""Public ids of earlier runs -> this run against them, pooled where they are several."""

_NOTHING: Mapping[str, frozenset[str]] = MappingProxyType({})
_WITHOUT_TEST = frozenset(
    {AlertKind.ENGINE_CHANGED, AlertKind.RUN_QUALITY, AlertKind.REQUIRED_LOST}
)


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of an engine before a run, and of the run besides its answers."""

    earlier: tuple[Sample, ...] = ()
    """The last samples that were heard, at most `drift_runs` + 1, oldest first."""
    standing: tuple[StoredAlert, ...] = ()
    """Its open alerts."""
    alarms: tuple[Alarm, ...] = ()
    """What looks broken about the measuring of the run."""
    watched: frozenset[str] = frozenset()
    """Families whose change is critical."""
    stale: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NOTHING)
    """Key of an alert -> runs that are no baseline for it, since a person accepted its level."""


@dataclass(frozen=True, slots=True)
class Review:
    """What becomes of an engine's alerts, and the comparison with the run before."""

    standing: Standing
    previous: Comparison | None


def review(
    panel: str, after: Sample, past: Past, *, compared: Compare, rules: AlertRules
) -> Review:
    """Raise, and settle with what is open; `compared` is asked for each baseline that is needed."""
    pooled = past.earlier[-rules.drift_runs :]
    previous = compared(_names(pooled[-1:])) if pooled else None
    run = EngineRun(
        after=after,
        earlier=past.earlier,
        previous=previous,
        drift=compared(_names(pooled)) if len(pooled) > 1 else None,
        pooled=rules.drift_runs,
        alarms=past.alarms,
        watched=past.watched,
        stale=past.stale,
    )
    standing = settle(
        panel,
        raise_alerts(panel, run, rules),
        past.standing,
        seen={one.id: _seen(one.alert, after, compared) for one in past.standing},
        run=after.name,
        quiet_runs=rules.quiet_runs,
    )
    return Review(standing, previous)


def _names(samples: Sequence[Sample]) -> tuple[str, ...]:
    return tuple(run for one in samples for run in one.runs)


def _seen(alert: Alert, after: Sample, compared: Compare) -> bool | None:
    """Whether a run still shows an open alert against the alert's own baseline."""
    if alert.after == after.name:
        return None
    against = None if alert.kind in _WITHOUT_TEST else compared(alert.before)
    return is_still_seen(alert, after, against)
