"""A panel's rule -> its slots, with every moment as an argument.

The rule is read on the wall clock of its zone, where every day has its 24 hours, and each wall time
is then placed in real time: one that the clock jumps over fires at the shifted time, one that comes
twice fires the first time. The name of a slot is the wall time it fires at, without an offset, so
that a wall time has one slot however often the clock shows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger

from monitor.domain.panel import Schedule

_DAY = timedelta(days=1)
_NEAR = timedelta(hours=26)
"""More than the largest step a zone ever made, a whole day at the date line."""
_LOOKS = (timedelta(hours=2), 3 * _DAY, 70 * _DAY, 9 * 366 * _DAY)
"""Ever longer looks back: the last one holds a leap day whatever the century."""


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """One moment a panel is due, and the name it has in the run's id."""

    due: datetime
    """In UTC."""
    name: str
    """Wall time of the panel's zone, for example 2026-11-01T06:00."""


def slots_between(rule: Schedule, after: datetime, until: datetime) -> tuple[Slot, ...]:
    """Slots later than `after` and not later than `until`, in order."""
    if until <= after:
        return ()
    zone = ZoneInfo(rule.timezone)
    first = _wall(after, min(_offsets(after, zone)))
    last = _wall(until, max(_offsets(until, zone)))
    moments = {_moment(wall, zone) for wall in _walls(rule.cron, first, last)}
    return tuple(_slot(due, zone) for due in sorted(moments) if after < due <= until)


def newest_slot(rule: Schedule, after: datetime, until: datetime) -> Slot | None:
    """The last slot later than `after` and not later than `until`; all before it coalesce in it."""
    for look in _LOOKS:
        start = max(after, until - look)
        found = slots_between(rule, start, until)
        if found:
            return found[-1]
        if start == after:
            break
    return None


def next_slot(rule: Schedule, after: datetime) -> Slot | None:
    """The first slot later than `after`; None for a rule that no day of the calendar meets."""
    zone = ZoneInfo(rule.timezone)
    first = _wall(after, min(_offsets(after, zone)))
    for wall in _walls(rule.cron, first, first + _LOOKS[-1]):
        due = _moment(wall, zone)
        if due > after:
            # A wall time that was jumped over may fire later than one behind it.
            return slots_between(rule, after, due)[0]
    return None


def _walls(cron: str, first: datetime, last: datetime) -> Iterator[datetime]:
    """Wall times of a rule from first to last, both included, without a zone."""
    trigger = _trigger(cron)
    now = first
    found = trigger.get_next_fire_time(None, now)
    while found is not None and found <= last:
        yield found.replace(tzinfo=None)
        now = found + timedelta(minutes=1)
        found = trigger.get_next_fire_time(None, now)


@lru_cache(256)
def _trigger(cron: str) -> CronTrigger:
    """The rule on a clock without summer time; ValueError where it cannot be read."""
    trigger = CronTrigger.from_crontab(cron.lower(), timezone=UTC)
    trigger.end_date = datetime(9990, 1, 1, tzinfo=UTC)
    return trigger


def _wall(moment: datetime, offset: timedelta) -> datetime:
    """A moment as a wall clock at that offset shows it, marked as UTC for the rule's own clock."""
    return moment.astimezone(UTC) + offset


def _offsets(moment: datetime, zone: ZoneInfo) -> tuple[timedelta, ...]:
    """Offsets of a zone before, at and after a moment."""
    near = (moment - _NEAR, moment, moment + _NEAR)
    return tuple(one.astimezone(zone).utcoffset() or timedelta() for one in near)


def _moment(wall: datetime, zone: ZoneInfo) -> datetime:
    """When a wall time is: shifted out of a gap, the first of two in a fold."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _slot(due: datetime, zone: ZoneInfo) -> Slot:
    return Slot(due, f"{due.astimezone(zone):%Y-%m-%dT%H:%M}")
