"""A due slot -> its run, claimed and planned in one transaction."""

from datetime import datetime

from monitor.config.logs import log
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.slots import OverlapError, RunStart, intended, slot_start
from monitor.schedule.calendar import Slot, newest_slot
from monitor.store import Connection, runs, schedules


def start_due(bench: Bench, panel: str, now: datetime) -> runs.Run | None:
    """The run of a panel's newest due slot, for whoever gets the slot; None for everyone else.

    A slot that cannot be started (a broken file, no key) waits and says why; one that falls into
    another run of the panel is skipped and says so.
    """
    kept = bench.read(lambda c: schedules.load(c, panel))
    if kept is None or kept.rule is None or kept.paused_at is not None:
        return None
    slot = newest_slot(kept.rule, kept.counted_from, now)
    if slot is None:
        return None
    try:
        start = slot_start(bench, intended(panel, bench.settings), slot.name)
        # Its own transaction, as it waits for other plans: nothing else is to wait with it.
        with bench.database.write() as connection:
            started = _claim(connection, panel, slot, start, now)
    except MonitorError as error:
        _wait(bench, kept, f"slot {slot.name} waits: {error}")
        return None
    if started is not None:
        log("slot_started", panel=panel, slot=slot.name, run=started.public_id)
    return started


def _claim(
    connection: Connection, panel: str, slot: Slot, start: RunStart, now: datetime
) -> runs.Run | None:
    """Take the slot and plan its run, or skip it while another run of the panel is under way."""
    if not schedules.claim(connection, panel, slot.name, due=slot.due, at=now):
        return None
    try:
        with connection.begin_nested():
            return start(connection)
    except OverlapError as error:
        log("slot_skipped", level="warning", panel=panel, slot=slot.name, reason=str(error))
        schedules.refuse(connection, panel, f"slot {slot.name} was skipped: {error}")
        return None


def _wait(bench: Bench, kept: schedules.Kept, why: str) -> None:
    """Say once why a slot waits."""
    if kept.refused != why:
        log("slot_waits", level="warning", panel=kept.panel, reason=why)
        bench.write(lambda c: schedules.refuse(c, kept.panel, why))


def unfinished(bench: Bench) -> tuple[runs.Run, ...]:
    """Runs of last slots that nobody has brought to an end, oldest slot first.

    With workers, a run that has begun is theirs.
    """
    open_states = {runs.RunState.PLANNED}
    if bench.settings.runner.name == "local":
        open_states.add(runs.RunState.RUNNING)

    def load(connection: Connection) -> list[runs.Run]:
        last = [
            (one.last_due_at, runs.public_id(one.panel, one.last_slot))
            for one in schedules.load_all(connection)
            if one.last_slot is not None
        ]
        found = [runs.load_run(connection, name) for _, name in sorted(last, key=str)]
        return [one for one in found if one is not None and one.state in open_states]

    return tuple(bench.read(load))
