"""How schedules stand: rule, pause, last slot and its run, next slot, and what is in the way."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from monitor.domain.moments import utc_second
from monitor.domain.panel import Schedule
from monitor.pipeline.bench import Bench
from monitor.schedule.calendar import Slot, newest_slot, next_slot
from monitor.schedule.rules import Rules, read_rules
from monitor.store import Connection, runs, schedules


@dataclass(frozen=True, slots=True)
class PanelSchedule:
    """Where one panel's schedule stands now."""

    panel: str
    rule: Schedule | None
    """None for a panel that is run by hand."""
    paused_at: datetime | None = None
    last: Slot | None = None
    """The slot that was handed over, or skipped, last."""
    last_fired_at: datetime | None = None
    run: str | None = None
    """Public id of the last slot's run; None where it was skipped."""
    run_state: str | None = None
    waiting: Slot | None = None
    """A slot that is due and that no scheduler has taken."""
    next: Slot | None = None
    """None while paused."""
    refused: str | None = None
    """Why the last due slot made no run."""
    broken: str | None = None
    """What is wrong with the panel's file."""

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values; moments in UTC, slots in the panel's wall time."""
        return {
            "panel": self.panel,
            "cron": self.rule.cron if self.rule else None,
            "timezone": self.rule.timezone if self.rule else None,
            "paused_at": _utc(self.paused_at),
            "last": _slot_json(self.last),
            "last_fired_at": _utc(self.last_fired_at),
            "run": self.run,
            "run_state": self.run_state,
            "waiting": _slot_json(self.waiting),
            "next": _slot_json(self.next),
            "refused": self.refused,
            "broken": self.broken,
        }


def panel_schedules(bench: Bench, read: Rules | None = None) -> tuple[PanelSchedule, ...]:
    """Every panel of the files and of the store's schedules, by name, as it stands now.

    `read` are rules of the files where they are at hand.
    """
    read, now = read or read_rules(bench.settings), bench.clock.now()
    kept = {one.panel: one for one in bench.read(schedules.load_all)}
    # A file that was never sound is nobody's panel yet, and listed for what is wrong with it.
    files = read.broken.keys() - {str(Path(bench.settings.panels))}
    rules = dict.fromkeys(files - kept.keys()) | _rules(read, kept)
    last_runs = bench.read(lambda c: _last_runs(c, kept))
    return tuple(
        _standing(panel, rules[panel], read, kept.get(panel), last_runs.get(panel), now=now)
        for panel in sorted(rules)
    )


def _rules(read: Rules, kept: Mapping[str, schedules.Kept]) -> dict[str, Schedule | None]:
    """Rules as a scheduler would take them over at its next look."""
    left = {} if read.complete else {name: one.rule for name, one in kept.items() if one.rule}
    return {**left, **read.panels}


def _last_runs(
    connection: Connection, kept: Mapping[str, schedules.Kept]
) -> dict[str, runs.Run | None]:
    """Panel -> the run of its last slot."""
    return {
        name: runs.load_run(connection, runs.public_id(name, one.last_slot))
        for name, one in kept.items()
        if one.last_slot is not None
    }


def _standing(
    panel: str,
    rule: Schedule | None,
    read: Rules,
    kept: schedules.Kept | None,
    run: runs.Run | None,
    *,
    now: datetime,
) -> PanelSchedule:
    """One panel, from its rule, the store and the clock."""
    if kept is None:
        following = next_slot(rule, now) if rule else None
        return PanelSchedule(panel, rule, next=following, broken=read.trouble(panel))
    goes = rule is not None and kept.paused_at is None
    counts = goes and rule == kept.rule
    return PanelSchedule(
        panel,
        rule,
        paused_at=kept.paused_at,
        last=Slot(kept.last_due_at, kept.last_slot)
        if kept.last_due_at and kept.last_slot
        else None,
        last_fired_at=kept.last_fired_at,
        run=run.public_id if run else None,
        run_state=run.state.value if run else None,
        waiting=newest_slot(rule, kept.counted_from, now) if counts and rule else None,
        next=next_slot(rule, max(now, kept.counted_from)) if goes and rule else None,
        refused=_ahead(kept, now) if goes and kept.counted_from - now > _AHEAD else kept.refused,
        broken=read.trouble(panel),
    )


_AHEAD = timedelta(hours=1)
"""More than clocks of machines that share a store ever differ."""


def _ahead(kept: schedules.Kept, now: datetime) -> str:
    """What to say of a panel whose last slot a clock that was wrong put into the future."""
    return (
        f"its slots count from {_utc(kept.counted_from)}, later than the clock of this machine "
        f"({_utc(now)}), and none is due before: set the clock, or where it is right, forget that "
        f"by `monitor schedule unpause {kept.panel}`"
    )


def _slot_json(slot: Slot | None) -> dict[str, str | None] | None:
    return None if slot is None else {"slot": slot.name, "due_at": _utc(slot.due)}


def _utc(moment: datetime | None) -> str | None:
    return None if moment is None else utc_second(moment)
