"""Money and calls: reserved before a call under caps, settled after it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    func,
    select,
    update,
)

from monitor.domain.money import Spent
from monitor.domain.ports import Clock
from monitor.errors import BudgetError, RunCancelledError, StoreError
from monitor.store import months
from monitor.store.captures import mark_asked
from monitor.store.rows import chunks, insert_numbered
from monitor.store.runs import Caps, RunState, load_caps, load_run_by_id
from monitor.store.tables import run, spend
from monitor.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Ask:
    """One call about to be made, with its estimated price in millionths of a USD."""

    run_id: int
    capture_id: int
    engine: str
    micros: int


NO_CAPS = Caps()
"""Any number of calls at any price."""


def reserve(
    connection: Connection, ask: Ask, *, caps: Caps, at: datetime, month: Caps = NO_CAPS
) -> int:
    """Id of the reservation of one call; BudgetError when it would pass a cap."""
    return reserve_all(connection, [ask], caps=caps, at=at, month=month)[0]


def reserve_all(
    connection: Connection,
    asks: Sequence[Ask],
    *,
    caps: Caps,
    at: datetime,
    month: Caps = NO_CAPS,
) -> tuple[int, ...]:
    """Ids of the reservations of calls of one run, under its caps and those of the month.

    BudgetError when they do not all fit, RunCancelledError when the run was cancelled; then
    nothing is taken from either.
    """
    _take(connection, asks, caps, at=at, month=month)
    tries = _tries(connection, asks)
    rows = []
    for one in asks:
        tries[one.capture_id] += 1
        rows.append(
            {
                "run_id": one.run_id,
                "capture_id": one.capture_id,
                "engine": one.engine,
                "attempt": tries[one.capture_id],
                "currency": "USD",
                "reserved_micros": one.micros,
                "reserved_at": at,
            }
        )
    return insert_numbered(connection, spend, rows)


def _take(
    connection: Connection, asks: Sequence[Ask], caps: Caps, *, at: datetime, month: Caps
) -> None:
    """Count calls and money in the month and in the run, or in neither."""
    ask, of_month = asks[-1], months.month_of(at)
    calls, micros = len(asks), sum(one.micros for one in asks)
    months.one_at_a_time(connection)
    if not months.take(connection, of_month, calls=calls, micros=micros, caps=month):
        refuse_cancelled(connection, ask.run_id, ask.engine)
        raise over_month(connection, _next_call(ask), of_month, month)
    taken = {
        "of_run": ask.run_id,
        "calls": calls,
        "micros": micros,
        "most_calls": months.NO_CAP if caps.calls is None else caps.calls,
        "most_micros": months.NO_CAP if caps.micros is None else caps.micros,
    }
    if not connection.execute(_TAKE, taken).rowcount:
        months.correct(connection, {of_month: -micros}, calls={of_month: -calls})
        refuse_cancelled(connection, ask.run_id, ask.engine)
        raise over_run(connection, _next_call(ask), ask.run_id, caps)


def _tries(connection: Connection, asks: Sequence[Ask]) -> Counter[int]:
    """Capture -> calls reserved for it so far."""
    found: Counter[int] = Counter()
    for part in chunks({one.capture_id for one in asks}):
        for row in connection.execute(_TRIES, {"captures": part}):
            found[row.capture_id] = row.calls
    return found


_TAKE = (
    update(run)
    .where(
        run.c.id == bindparam("of_run"),
        run.c.state != RunState.CANCELLED.value,
        run.c.spent_calls + bindparam("calls", type_=BigInteger)
        <= bindparam("most_calls", type_=BigInteger),
        run.c.spent_micros + bindparam("micros", type_=BigInteger)
        <= bindparam("most_micros", type_=BigInteger),
    )
    .values(
        spent_calls=run.c.spent_calls + bindparam("calls", type_=BigInteger),
        spent_micros=run.c.spent_micros + bindparam("micros", type_=BigInteger),
    )
)
"""The caps are part of the UPDATE, so two calls cannot both take the last place."""

_TRIES = (
    select(spend.c.capture_id, func.count().label("calls"))
    .where(spend.c.capture_id.in_(bindparam("captures", expanding=True)))
    .group_by(spend.c.capture_id)
)


def refuse_cancelled(connection: Connection, run_id: int, engine: str) -> None:
    """RunCancelledError where somebody cancelled the run that a call was to be made for."""
    found = load_run_by_id(connection, run_id)
    if found.state is RunState.CANCELLED:
        raise RunCancelledError(
            f"{found.public_id} was cancelled: no call to {engine} is made for it any more; "
            "plan a new run with `monitor run`"
        )


RESUMED = "go on with `monitor resume`"
"""What to do about a cap that ended the captures of a run."""


def over_run(
    connection: Connection, call: str, run_id: int, caps: Caps, *, on: str = f"{RESUMED} and"
) -> BudgetError:
    """That a call would pass the caps of its run, with what is spent of them.

    `on` are the words before the options to be given.
    """
    spent = totals(connection, run_id)
    return BudgetError(
        f"{call} would pass the budget of the run: {spent.calls} of "
        f"{shown_cap(caps.calls)} calls and {shown_usd(spent.micros)} of "
        f"{shown_usd(caps.micros)} USD are spent or reserved; {on} a higher --budget-calls or "
        "--budget-usd"
    )


def over_month(
    connection: Connection, call: str, month: str, caps: Caps, *, on: str = f", and {RESUMED}"
) -> BudgetError:
    """That a call would pass the caps of a month, with what is spent of them.

    `on` are the last words: how to go on.
    """
    spent = months.load_month(connection, month)
    return BudgetError(
        f"{call} would pass the budget of the month {month} over all runs: "
        f"{spent.calls} of {shown_cap(caps.calls)} calls and {shown_usd(spent.micros)} of "
        f"{shown_usd(caps.micros)} USD are spent or reserved; raise budget.month_calls or "
        f"budget.month_usd in the settings, or wait for {months.next_month(month)}{on}"
    )


def _next_call(ask: Ask) -> str:
    return next_call(ask.engine, ask.micros)


def next_call(whom: str, micros: int) -> str:
    """A call that is not made yet, in words."""
    return f"the next call to {whom} (about {shown_usd(micros)} USD)"


def shown_cap(cap: int | None) -> str:
    """A cap on calls, in words."""
    return "any number of" if cap is None else str(cap)


def shown_usd(micros: int | None) -> str:
    """Money with four places, for a call may cost less than a cent."""
    return "any number of" if micros is None else f"{micros / 1_000_000:.4f}"


def settle(connection: Connection, reservation_id: int, micros: int, *, at: datetime) -> None:
    """Replace a reservation's estimate by what the call cost; the same again is a no-op."""
    settle_all(connection, [(reservation_id, micros)], at=at)


def settle_all(connection: Connection, prices: Sequence[tuple[int, int]], *, at: datetime) -> None:
    """Settle several (reservation, price); StoreError for one that was settled otherwise."""
    months.one_at_a_time(connection)
    known = _reservations(connection, [reservation for reservation, _ in prices])
    paid = {reservation: row.settled_micros for reservation, row in known.items()}
    of_runs: Counter[int] = Counter()
    of_judges: Counter[int] = Counter()
    of_months: Counter[str] = Counter()
    fresh = []
    for reservation, micros in prices:
        if reservation not in known:
            raise StoreError(f"the store has no reservation with id {reservation}: reserve first")
        before, row = paid[reservation], known[reservation]
        if before is None:
            paid[reservation] = micros
            of_months[months.month_of(row.reserved_at)] += micros - row.reserved_micros
            if row.run_id is not None:
                of_runs[row.run_id] += micros - row.reserved_micros
                of_judges[row.run_id] += 0 if row.capture_id else micros - row.reserved_micros
            fresh.append({"reservation": reservation, "micros": micros, "at": at})
        elif before != micros:
            raise StoreError(
                f"reservation {reservation} is settled at {before} micro-USD, refused {micros}: "
                "one call is paid once; reserve each call by itself"
            )
    if fresh:
        connection.execute(_SETTLE, fresh)
        months.correct(connection, of_months)
        changes = [
            {"of_run": one, "more": n, "of_judge": of_judges[one]}
            for one, n in sorted(of_runs.items())
        ]
        if changes:
            connection.execute(_CORRECT, changes)


def _reservations(connection: Connection, ids: Iterable[int]) -> dict[int, Row[Any]]:
    found: dict[int, Row[Any]] = {}
    for part in chunks(ids):
        query = select(spend).where(spend.c.id.in_(bindparam("ids", expanding=True)))
        found |= {row.id: row for row in connection.execute(query, {"ids": part})}
    return found


_SETTLE = (
    update(spend)
    .where(spend.c.id == bindparam("reservation"), spend.c.settled_micros.is_(None))
    .values(settled_micros=bindparam("micros"), settled_at=bindparam("at"))
)

_CORRECT = (
    update(run)
    .where(run.c.id == bindparam("of_run"))
    .values(
        spent_micros=run.c.spent_micros + bindparam("more", type_=BigInteger),
        judge_micros=run.c.judge_micros + bindparam("of_judge", type_=BigInteger),
    )
)


def totals(connection: Connection, run_id: int) -> Spent:
    """Calls and money of a run."""
    return _spent_of(connection.execute(_sums().where(spend.c.run_id == run_id)).one())


def totals_by_engine(connection: Connection, run_id: int) -> dict[str, Spent]:
    """Calls and money of a run by engine."""
    query = _sums().add_columns(spend.c.engine).where(spend.c.run_id == run_id)
    rows = connection.execute(query.group_by(spend.c.engine))
    found = {row.engine: _spent_of(row) for row in rows}
    return {engine: found[engine] for engine in sorted(found)}


def totals_by_capture(connection: Connection, capture_ids: Iterable[int]) -> dict[int, Spent]:
    """Calls and money of captures, every try of them; those without a call are absent."""
    found: dict[int, Spent] = {}
    for part in chunks(capture_ids):
        query = _sums().add_columns(spend.c.capture_id).where(spend.c.capture_id.in_(part))
        for row in connection.execute(query.group_by(spend.c.capture_id)):
            found[row.capture_id] = _spent_of(row)
    return found


def totals_by_month(connection: Connection, run_id: int) -> dict[str, dict[str, Spent]]:
    """Calls and money of a run by engine and calendar month."""
    ends = select(func.min(spend.c.reserved_at), func.max(spend.c.reserved_at))
    first, last = connection.execute(ends.where(spend.c.run_id == run_id)).one()
    found: dict[str, dict[str, Spent]] = {}
    for month in () if first is None else months.months_between(first, last):
        since, until = months.bounds(month)
        query = (
            _sums()
            .add_columns(spend.c.engine)
            .where(spend.c.run_id == run_id, *_within(since, until))
            .group_by(spend.c.engine)
        )
        for row in connection.execute(query):
            found.setdefault(row.engine, {})[month] = _spent_of(row)
    return found


def totals_of_judge(connection: Connection, run_id: int) -> dict[str, Spent]:
    """Calls and money of a run's judge, by its name and version."""
    query = _sums().add_columns(spend.c.engine)
    mine = query.where(spend.c.run_id == run_id, spend.c.capture_id.is_(None))
    rows = connection.execute(mine.group_by(spend.c.engine).order_by(spend.c.engine))
    return {row.engine: _spent_of(row) for row in rows}


def totals_between(
    connection: Connection, since: datetime, until: datetime
) -> dict[tuple[str | None, str], Spent]:
    """Calls and money reserved from one moment to before another, by public run id and engine.

    The run is None for a judge that was asked for no run; a judge stands among the engines under
    its name and version.
    """
    query = (
        _sums()
        .add_columns(run.c.public_id, spend.c.engine)
        .join_from(spend, run, spend.c.run_id == run.c.id, isouter=True)
        .where(*_within(since, until))
        .group_by(run.c.id, run.c.public_id, spend.c.engine)
        .order_by(run.c.id, spend.c.engine)
    )
    return {(row.public_id, row.engine): _spent_of(row) for row in connection.execute(query)}


def _within(since: datetime, until: datetime) -> tuple[ColumnElement[bool], ...]:
    """Conditions on calls reserved from one moment to before another."""
    return spend.c.reserved_at >= since, spend.c.reserved_at < until


def _sums() -> Select[Any]:
    columns = spend.c
    price = func.coalesce(columns.settled_micros, columns.reserved_micros)
    sums: list[ColumnElement[Any]] = [
        func.count(columns.id).label("calls"),
        func.coalesce(func.sum(price), 0).label("micros"),
        (func.count(columns.id) - func.count(columns.settled_micros)).label("unsettled"),
    ]
    return select(*sums)


def _spent_of(row: Row[Any]) -> Spent:
    return Spent(calls=row.calls, micros=int(row.micros), unsettled=row.unsettled)


class RunBudget:
    """Caps of one run and of the month; implements monitor.domain.ports.Budget by the writer."""

    def __init__(self, writer: Writer, run_id: int, clock: Clock, *, month: Caps = NO_CAPS) -> None:
        self._writer = writer
        self._run_id = run_id
        self._month = month
        self._clock = clock

    async def reserve(self, capture_id: int, engine: str, micros: int) -> int:
        """Reserve one call and note that its capture is being asked; BudgetError at a cap."""
        return await self._writer.do_along(
            self._reserve, Ask(self._run_id, capture_id, engine, micros)
        )

    async def settle(self, reservation: int, micros: int) -> None:
        """Replace the estimate by what the call cost; 0 when nothing was charged."""
        await self._writer.do_along(self._settle, (reservation, micros))

    def _reserve(self, connection: Connection, asks: Sequence[Ask]) -> Sequence[int]:
        at = self._clock.now()
        # As they are now: whoever resumes a run may have raised them.
        caps = load_caps(connection, self._run_id)
        ids = reserve_all(connection, asks, caps=caps, at=at, month=self._month)
        mark_asked(connection, *(one.capture_id for one in asks), at=at)
        return ids

    def _settle(self, connection: Connection, prices: Sequence[tuple[int, int]]) -> Sequence[None]:
        settle_all(connection, prices, at=self._clock.now())
        return [None] * len(prices)
