"""The scheduler: wakes when a slot is due, looks at everything once a minute, starts runs.

What is due and what was done stands in the store; waking is only a matter of being on time. So a
wake-up that is lost (a clock that jumped, a machine that slept, a process that was down) costs at
most one look, and any number of schedulers on one store start one run for each slot.
"""

import contextlib
from datetime import UTC
from functools import partial
from threading import Event

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from monitor.config.logs import log
from monitor.domain.panel import Schedule
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.notifying import Herald
from monitor.schedule.calendar import next_slot
from monitor.schedule.desk import Desk
from monitor.schedule.firing import start_due, unfinished
from monitor.schedule.rules import keep_rules, read_rules

LOOK_SECONDS = 60.0
"""Time between two looks at panel files and at the store."""
_PATIENCE = 20.0
"""Seconds that a run under way gets to let go at the end."""


def run_scheduler(bench: Bench, stop: Event, *, look_seconds: float = LOOK_SECONDS) -> None:
    """Start the runs of all panels when they are due, until `stop` is set.

    It handles no signals and may run in any thread. On the way out, a run under way is stopped
    where it stands and can be resumed; the next scheduler goes on with it.
    """
    desk, herald = Desk(bench), Herald(bench)
    waker = BackgroundScheduler(
        timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True}
    )
    waker.start()
    log("schedule_started", seconds=look_seconds)
    try:
        _look_around(bench, desk, waker)
        herald.tell()
        while not stop.wait(look_seconds):
            _look_around(bench, desk, waker)
            herald.tell()
    finally:
        waker.shutdown()
        let_go = desk.close(_PATIENCE)
        log("schedule_ended", outcome="clean" if let_go else "left a run that would not stop")


def _look_around(bench: Bench, desk: Desk, waker: BackgroundScheduler) -> None:
    """Read the panel files again, start what is due, go on with the rest, tidy; never raises."""
    try:
        rules = keep_rules(bench, read_rules(bench.settings), bench.clock.now())
        for job in waker.get_jobs():
            if job.id not in rules:
                _forget(waker, job.id)
        for panel, rule in rules.items():
            _wake(bench, desk, waker, panel=panel, rule=rule)
        for run in unfinished(bench):
            desk.add(run)
        # After the runs: what is due to be asked goes first.
        desk.tidy()
    except Exception as error:  # noqa: BLE001 - a store that is down is back at one of the next looks
        _tell(error)


def _tell(error: Exception, panel: str | None = None) -> None:
    """Say that a look failed; the text of a foreign error may hold what was asked."""
    why = str(error) if isinstance(error, MonitorError) else None
    log("look_failed", level="error", panel=panel, reason=why, error=error)


def _forget(waker: BackgroundScheduler, panel: str) -> None:
    """Take away a panel's alarm, which may just have gone off."""
    with contextlib.suppress(JobLookupError):
        waker.remove_job(panel)


def _wake(
    bench: Bench, desk: Desk, waker: BackgroundScheduler, *, panel: str, rule: Schedule
) -> None:
    """Start a panel's due slot and set the alarm for its next one; never raises."""
    try:
        run = start_due(bench, panel, bench.clock.now())
        if run is not None:
            desk.add(run)
    except Exception as error:  # noqa: BLE001 - one panel must not keep the others from running
        _tell(error, panel)
    following = next_slot(rule, bench.clock.now())
    if following is not None:
        again = partial(_wake, bench, desk, waker, panel=panel, rule=rule)
        waker.add_job(again, "date", run_date=following.due, id=panel, replace_existing=True)
