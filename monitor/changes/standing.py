"""Alerts over time: what is new, what stays open without being told again, what closes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.changes.lost import is_lost
from monitor.domain.alert import Alert, AlertKind, Closed, Direction, Severity, StoredAlert
from monitor.domain.change import Change, Comparison, PairedTest
from monitor.domain.sample import Sample


@dataclass(frozen=True, slots=True)
class Standing:
    """What becomes of alerts in one run of one engine."""

    fresh: tuple[Alert, ...] = ()
    """To be opened and told, gravest first."""
    closed: tuple[tuple[StoredAlert, Closed], ...] = ()
    quiet: tuple[tuple[StoredAlert, int], ...] = ()
    """Open ones with the number of quiet runs that they have now; 0 where they were seen."""


def settle(
    panel: str,
    raised: Sequence[Alert],
    standing: Sequence[StoredAlert],
    *,
    seen: Mapping[int, bool | None],
    run: str,
    quiet_runs: int,
) -> Standing:
    """Hold what a run raised against what is open.

    `seen` says of an open alert whether this run still shows it against its own baseline: see
    `is_still_seen`; None leaves it as it is. An open alert is not told again, unless it is graver
    now. It closes after `quiet_runs` runs in a row without it. What this very run raised and no
    longer raises, because it was completed since, is withdrawn.
    """
    by_key = {alert.key(panel): alert for alert in raised}
    open_keys = {one.key: one for one in standing}
    graver = {
        key for key, one in open_keys.items() if key in by_key and _is_graver(by_key[key], one)
    }
    fresh = tuple(a for key, a in by_key.items() if key not in open_keys or key in graver)
    closed: list[tuple[StoredAlert, Closed]] = []
    quiet: list[tuple[StoredAlert, int]] = []
    for one in standing:
        if one.key in graver:
            closed.append((one, Closed.OVERTAKEN))
        elif one.alert.after == run:
            if one.key not in by_key:
                closed.append((one, Closed.WITHDRAWN))
        elif one.seen_run != run and (still := seen.get(one.id)) is not None:
            count = 0 if still or one.key in by_key else one.quiet_runs + 1
            if count >= quiet_runs:
                closed.append((one, Closed.QUIET))
            else:
                quiet.append((one, count))
    return Standing(fresh, tuple(closed), tuple(quiet))


def _is_graver(alert: Alert, than: StoredAlert) -> bool:
    """Whether an alert weighs more than the open one of its key."""
    order = list(Severity)
    return order.index(alert.severity) < order.index(than.alert.severity)


def is_still_seen(alert: Alert, after: Sample, against: Comparison | None) -> bool | None:
    """Whether a run still shows an alert; `against` compares it with the alert's own baseline.

    A change is seen while its adjusted p is at most the level of `watch` and it goes the same way.
    What happened once, a new model or a run in doubt, is not seen in any later run. None where the
    run cannot tell.
    """
    if alert.kind in {AlertKind.ENGINE_CHANGED, AlertKind.RUN_QUALITY}:
        return False
    if alert.kind is AlertKind.REQUIRED_LOST:
        prompt, _, source = alert.entity.partition(": ")
        return is_lost(after, prompt, source)
    if against is None or not against.is_comparable:
        return None
    if alert.kind is AlertKind.CONCENTRATION:
        return _still_concentrated(alert, against)
    change = _same(alert, against)
    if change is None or change.test is None or change.test.adjusted is None:
        return None
    return _goes(change.test) is alert.direction and change.test.adjusted <= against.rules.q_watch


def _same(alert: Alert, against: Comparison) -> Change | None:
    """The change of an alert's entity in another comparison."""
    rows = against.families if alert.kind is AlertKind.FAMILY_SHARE else against.measures
    return next((change for change in rows if change.name == alert.entity), None)


def _goes(test: PairedTest) -> Direction:
    return Direction.UP if test.difference > 0 else Direction.DOWN


def _still_concentrated(alert: Alert, against: Comparison) -> bool | None:
    """Whether effective sources still differ from an alert's own baseline."""
    test = against.concentration.test if against.concentration else None
    if test is None or test.adjusted is None:
        return None
    way = Direction.DOWN if test.ratio > 1 else Direction.UP
    return way is alert.direction and test.adjusted <= against.rules.q_watch
