"""Schedules of panels: rules, pauses, and which slot was handed over last."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, or_, select, update

from monitor.domain.panel import Schedule
from monitor.store.rows import alone, insert_new
from monitor.store.runs import FINAL, Run, RunState, list_runs
from monitor.store.tables import schedule


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store keeps of one panel's schedule."""

    panel: str
    rule: Schedule | None
    """As last read from a sound file; None while no file schedules the panel."""
    paused_at: datetime | None
    last_slot: str | None
    last_due_at: datetime | None
    last_fired_at: datetime | None
    refused: str | None
    """Why the last due slot made no run, until one does."""
    broken: str | None
    """What is wrong with the panel's file, until it is repaired."""
    known_since: datetime
    """Slots count from here on."""

    @property
    def counted_from(self) -> datetime:
        """The moment after which a slot is due that nobody has handed over."""
        return max(self.known_since, self.last_due_at or self.known_since)


def load_all(connection: Connection) -> tuple[Kept, ...]:
    """Every panel that was ever scheduled, by name."""
    rows = connection.execute(select(schedule).order_by(schedule.c.panel))
    return tuple(_kept(row) for row in rows)


def load(connection: Connection, panel: str) -> Kept | None:
    """What is kept of one panel, or None."""
    row = connection.execute(select(schedule).where(schedule.c.panel == panel)).first()
    return None if row is None else _kept(row)


def keep_rule(connection: Connection, panel: str, rule: Schedule | None, *, at: datetime) -> None:
    """Take over a panel's rule; a new or changed one counts from now, so it fires for no past.

    None takes the rule away and leaves the rest: a pause outlives it.
    """
    cron, timezone = (None, None) if rule is None else (rule.cron, rule.timezone)
    fresh = {"panel": panel, "cron": cron, "timezone": timezone, "known_since": at}
    if rule is not None and insert_new(connection, schedule, [fresh]):
        return
    columns = schedule.c
    differs = or_(columns.cron.is_distinct_from(cron), columns.timezone.is_distinct_from(timezone))
    connection.execute(
        update(schedule)
        .where(columns.panel == panel, differs)
        .values(cron=cron, timezone=timezone, known_since=at, refused=None, broken=None)
    )


def set_broken(connection: Connection, panel: str, why: str | None) -> None:
    """Note what is wrong with a panel's file, or that nothing is."""
    connection.execute(update(schedule).where(schedule.c.panel == panel).values(broken=why))


def claim(connection: Connection, panel: str, slot: str, *, due: datetime, at: datetime) -> bool:
    """Take a slot for this caller; False when it is taken, passed by a later one, or paused.

    The conditions are part of the UPDATE, so of any number of schedulers one gets the slot.
    """
    columns = schedule.c
    taken = connection.execute(
        update(schedule)
        .where(
            columns.panel == panel,
            columns.paused_at.is_(None),
            columns.known_since < due,
            or_(columns.last_due_at.is_(None), columns.last_due_at < due),
        )
        .values(last_slot=slot, last_due_at=due, last_fired_at=at, refused=None)
    )
    return bool(taken.rowcount)


def refuse(connection: Connection, panel: str, why: str) -> None:
    """Note why a due slot made no run."""
    connection.execute(update(schedule).where(schedule.c.panel == panel).values(refused=why))


def pause(connection: Connection, panel: str, *, at: datetime) -> None:
    """Fire no slot of a panel from now on, over all schedulers; a second pause changes nothing."""
    connection.execute(
        update(schedule)
        .where(schedule.c.panel == panel, schedule.c.paused_at.is_(None))
        .values(paused_at=at)
    )


def unpause(connection: Connection, panel: str, *, at: datetime) -> None:
    """Let slots of a panel fire again, those after now only.

    A last slot in the future, left by a clock that was wrong, is forgotten as well.
    """
    columns = schedule.c
    mine = update(schedule).where(columns.panel == panel)
    connection.execute(mine.values(paused_at=None, known_since=at, refused=None))
    connection.execute(mine.where(columns.last_due_at > at).values(last_due_at=None))


def plan_alone(connection: Connection) -> None:
    """Wait until no other transaction plans a run, and let none begin before this one ends.

    Of two runs of one panel the second then sees the first, and shared rows are never inserted in
    two orders, which would be a deadlock.
    """
    alone(connection, "plans")


def under_way(connection: Connection, panel: str) -> tuple[Run, ...]:
    """Runs of a panel that ask its engines and have not ended, oldest first."""
    open_states = [state for state in RunState if state not in FINAL]
    return tuple(reversed(list_runs(connection, panel, states=open_states, imports=False)))


def _kept(row: Row[Any]) -> Kept:
    return Kept(
        panel=row.panel,
        rule=None if row.cron is None else Schedule(row.cron, row.timezone),
        paused_at=row.paused_at,
        last_slot=row.last_slot,
        last_due_at=row.last_due_at,
        last_fired_at=row.last_fired_at,
        refused=row.refused,
        broken=row.broken,
        known_since=row.known_since,
    )
