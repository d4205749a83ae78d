"""Health as JSON for `/health`."""

from datetime import datetime
from typing import Any

from monitor.domain.moments import utc_second
from monitor.pipeline.alarming import checkup_json
from monitor.pipeline.examining import Examination, RunTotals, summed_coverage
from monitor.schedule import PanelSchedule
from monitor.web.health import Health


def health_json(health: Health) -> dict[str, Any]:
    """What `/health` tells."""
    found = health.examination
    return {
        "schema": 1,
        "status": "failing" if health.problems else "ok",
        "problems": list(health.problems),
        "warnings": list(health.warnings),
        "store": {
            "reachable": found is not None,
            "up_to_date": health.store_is_fine,
        },
        "scheduler": {
            "hosted": health.scheduler_alive is not None,
            "alive": health.scheduler_alive,
        },
        "workers": [] if found is None else _workers(found),
        "channels": [] if found is None else _channels(found),
        "panels": [] if found is None else _panels(found, health.schedules),
    }


def _channels(found: Examination) -> list[dict[str, Any]]:
    """Channels of alerts with messages that were not taken."""
    return [
        {
            "channel": box.channel,
            "waiting": box.waiting,
            "oldest_seconds": None
            if box.since is None
            else round(max((found.at - box.since).total_seconds(), 0.0), 1),
            "given_up": box.given_up,
        }
        for box in found.outbox
        if box.channel is not None
    ]


def _workers(found: Examination) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "queues": list(one.queues),
            "seen_seconds_ago": round(max((found.at - one.seen_at).total_seconds(), 0.0), 1),
        }
        for one in found.workers
    ]


def _panels(found: Examination, schedules: tuple[PanelSchedule, ...]) -> list[dict[str, Any]]:
    """Panels that were run or are scheduled: newest run, next slot, alarms."""
    planned = {one.panel: one for one in schedules}
    newest, successes = found.newest, found.successes
    shown = []
    for panel in sorted(newest.keys() | planned.keys()):
        schedule = planned.get(panel)
        checkup = found.checkups.get(panel)
        shown.append(
            {
                "panel": panel,
                "last_run": _run_json(newest[panel]) if panel in newest else None,
                "last_success": {
                    engine: utc_second(at)
                    for (of, engine), at in sorted(successes.items())
                    if of == panel
                },
                "schedule": schedule.as_json() if schedule else None,
                **(checkup_json(checkup) if checkup else {"alarms": [], "alarms_undecided": []}),
            }
        )
    return shown


def _run_json(one: RunTotals) -> dict[str, Any]:
    run, coverage = one.run, summed_coverage(one.totals)
    return {
        "run": run.public_id,
        "state": run.state.value,
        "stage": run.stage.value if run.stage else None,
        "started_at": _utc(run.started_at),
        "finished_at": _utc(run.finished_at),
        "planned": coverage.planned,
        "heard": coverage.heard,
        "answered": coverage.answered,
    }


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else utc_second(moment)
