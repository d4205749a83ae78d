"""Alerts that a report shows: those that its run told, and those of earlier runs open still."""

from collections.abc import Sequence
from functools import partial

from monitor.domain.alert import Alert, Closed, Severity
from monitor.pipeline.alerting import EngineFindings
from monitor.pipeline.bench import Bench
from monitor.report.view import ReminderView
from monitor.store import alerts, runs


def told_of(bench: Bench, run: runs.Run, found: Sequence[EngineFindings] = ()) -> tuple[Alert, ...]:
    """Alerts that a run told, gravest first; with those found of it that are not kept yet.

    What was withdrawn as the run was completed is none of them; of one key the graver stays.
    """
    closing = {old.id: how for one in found for old, how in one.standing.closed}
    kept = bench.read(lambda c: alerts.raised_by(c, run.id))
    told = [one.alert for one in kept if closing.get(one.id, one.closed) is not Closed.WITHDRAWN]
    told += [alert for one in found for alert in one.standing.fresh]
    by_key = {alert.key(run.panel): alert for alert in told}
    order = list(Severity)
    return tuple(sorted(by_key.values(), key=lambda alert: order.index(alert.severity)))


def reminders(
    bench: Bench, run: runs.Run, found: Sequence[EngineFindings] = ()
) -> tuple[ReminderView, ...]:
    """Open alerts that runs of the panel before this one raised, oldest first.

    What this run is about to close is open no more. None for answers that people handed in, which
    are in no line with the runs that raised them.
    """
    if run.imported:
        return ()
    closing = {old.id for one in found for old, _ in one.standing.closed}
    standing = bench.read(lambda c: alerts.open_alerts(c, run.panel))
    return tuple(
        ReminderView(one.alert.engine, one.alert.says, one.opened_at)
        for one in standing
        if one.id not in closing and _is_earlier(bench, one.alert.after, run)
    )


def _is_earlier(bench: Bench, name: str, run: runs.Run) -> bool:
    """Whether the run of a public id was planned before this one."""
    raised_by = bench.read(partial(runs.load_run, name=name))
    return raised_by is not None and raised_by.id < run.id
