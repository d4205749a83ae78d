"""Money and calls of calendar months: one count over all runs and all processes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import BigInteger, Connection, bindparam, select, update

from monitor.store.rows import alone, insert_new
from monitor.store.runs import Caps
from monitor.store.tables import month_spend

NO_CAP = 2**62
"""A cap that nothing reaches, as a number for an UPDATE."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Calls reserved in a month, and their money: settled or, while a call is open, estimated."""

    calls: int
    micros: int


def month_of(at: datetime) -> str:
    """Calendar month of a moment in UTC, as `2026-11`."""
    return f"{at.astimezone(UTC):%Y-%m}"


def next_month(month: str) -> str:
    """The calendar month after one, as `2026-12`."""
    year, number = map(int, month.split("-"))
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def months_between(first: datetime, last: datetime) -> tuple[str, ...]:
    """Calendar months from that of one moment to that of a later one, both included."""
    found = [month_of(first)]
    while found[-1] < month_of(last):
        found.append(next_month(found[-1]))
    return tuple(found)


def bounds(month: str) -> tuple[datetime, datetime]:
    """First moment of a month in UTC, and that of the next one."""
    return _first_moment(month), _first_moment(next_month(month))


def _first_moment(month: str) -> datetime:
    year, number = map(int, month.split("-"))
    return datetime(year, number, 1, tzinfo=UTC)


def load_month(connection: Connection, month: str) -> Counted:
    """What was reserved in a month so far; nothing where no call was."""
    row = connection.execute(_LOAD, {"of_month": month}).first()
    return Counted(0, 0) if row is None else Counted(row.calls, row.micros)


def one_at_a_time(connection: Connection) -> None:
    """Wait until no other transaction changes money.

    Rows of months and of runs are then never taken in two orders, which would be a deadlock.
    """
    alone(connection, "money")


def take(connection: Connection, month: str, *, calls: int, micros: int, caps: Caps) -> bool:
    """Whether calls and money fit under the caps of a month; they are counted if so."""
    taken = {
        "of_month": month,
        "calls": calls,
        "micros": micros,
        "most_calls": NO_CAP if caps.calls is None else caps.calls,
        "most_micros": NO_CAP if caps.micros is None else caps.micros,
    }
    if connection.execute(_TAKE, taken).rowcount:
        return True
    fresh = insert_new(connection, month_spend, [{"month": month, "calls": 0, "micros": 0}])
    return bool(fresh) and bool(connection.execute(_TAKE, taken).rowcount)


def correct(
    connection: Connection, changes: Mapping[str, int], *, calls: Mapping[str, int] | None = None
) -> None:
    """Add differences in money, and in calls, to the counts of months."""
    fewer = calls or {}
    rows = [
        {"of_month": month, "calls": fewer.get(month, 0), "micros": micros}
        for month, micros in sorted(changes.items())
    ]
    connection.execute(_CORRECT, rows)


_LOAD = select(month_spend).where(month_spend.c.month == bindparam("of_month"))

_ADDED = {
    "calls": month_spend.c.calls + bindparam("calls", type_=BigInteger),
    "micros": month_spend.c.micros + bindparam("micros", type_=BigInteger),
}

_CORRECT = update(month_spend).where(month_spend.c.month == bindparam("of_month")).values(**_ADDED)

_TAKE = _CORRECT.where(
    _ADDED["calls"] <= bindparam("most_calls", type_=BigInteger),
    _ADDED["micros"] <= bindparam("most_micros", type_=BigInteger),
)
"""The caps are part of the UPDATE, as in those of a run."""
