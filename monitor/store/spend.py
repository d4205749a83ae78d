"""Money and calls: reserved before a call under caps, settled after it."""

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
    insert,
    select,
    update,
)

from monitor.domain.ports import Clock
from monitor.errors import BudgetError, StoreError
from monitor.store.captures import mark_asked
from monitor.store.rows import one_row
from monitor.store.runs import Caps
from monitor.store.tables import run, spend
from monitor.store.writer import Writer


@dataclass(frozen=True, slots=True)
class Ask:
    """One call about to be made, with its estimated price in millionths of a USD."""

    run_id: int
    capture_id: int
    engine: str
    micros: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls reserved, and money settled or, while a call is open, estimated."""

    calls: int
    micros: int
    unsettled: int
    """Calls whose price is still the estimate; a call cut by a crash stays so."""


def reserve(connection: Connection, ask: Ask, *, caps: Caps, at: datetime) -> int:
    """Id of the reservation of one call; BudgetError when it would pass a cap."""
    taken = {
        "of_run": ask.run_id,
        "micros": ask.micros,
        "most_calls": _NO_CAP if caps.calls is None else caps.calls,
        "most_micros": _NO_CAP if caps.micros is None else caps.micros,
    }
    if not connection.execute(_TAKE, taken).rowcount:
        raise _over(connection, ask, caps)
    row = {
        "of_capture": ask.capture_id,
        "run_id": ask.run_id,
        "capture_id": ask.capture_id,
        "engine": ask.engine,
        "currency": "USD",
        "reserved_micros": ask.micros,
        "reserved_at": at,
    }
    key = connection.execute(_NOTE, row).inserted_primary_key
    return int(key[0]) if key else 0


_NO_CAP = 2**62

_TAKE = (
    update(run)
    .where(
        run.c.id == bindparam("of_run"),
        run.c.spent_calls + 1 <= bindparam("most_calls", type_=BigInteger),
        run.c.spent_micros + bindparam("micros", type_=BigInteger)
        <= bindparam("most_micros", type_=BigInteger),
    )
    .values(
        spent_calls=run.c.spent_calls + 1,
        spent_micros=run.c.spent_micros + bindparam("micros", type_=BigInteger),
    )
)
"""The caps are part of the UPDATE, so two calls cannot both take the last place."""

_NOTE = insert(spend).values(
    attempt=select(func.count() + 1)
    .select_from(spend)
    .where(spend.c.capture_id == bindparam("of_capture"))
    .scalar_subquery()
)


def _over(connection: Connection, ask: Ask, caps: Caps) -> BudgetError:
    spent = totals(connection, ask.run_id)
    return BudgetError(
        f"the next call to {ask.engine} (about {ask.micros} micro-USD) would pass the budget: "
        f"{spent.calls} of {_shown(caps.calls)} calls and {spent.micros} of {_shown(caps.micros)} "
        "micro-USD are spent; raise the budget and resume the run"
    )


def _shown(cap: int | None) -> str:
    return "any number of" if cap is None else str(cap)


def settle(connection: Connection, reservation_id: int, micros: int, *, at: datetime) -> None:
    """Replace a reservation's estimate by what the call cost; the same again is a no-op."""
    settled = {"reservation": reservation_id, "micros": micros, "at": at}
    row = connection.execute(_SETTLE, settled).first()
    if row is None:
        _refuse_other_price(connection, reservation_id, micros)
        return
    connection.execute(_CORRECT, {"of_run": row.run_id, "more": micros - row.reserved_micros})


_SETTLE = (
    update(spend)
    .where(spend.c.id == bindparam("reservation"), spend.c.settled_micros.is_(None))
    .values(settled_micros=bindparam("micros"), settled_at=bindparam("at"))
    .returning(spend.c.run_id, spend.c.reserved_micros)
)

_CORRECT = (
    update(run)
    .where(run.c.id == bindparam("of_run"))
    .values(spent_micros=run.c.spent_micros + bindparam("more", type_=BigInteger))
)


def _refuse_other_price(connection: Connection, reservation_id: int, micros: int) -> None:
    query = select(spend.c.settled_micros).where(spend.c.id == reservation_id)
    paid = one_row(connection, query, f"reservation with id {reservation_id}").settled_micros
    if paid != micros:
        raise StoreError(
            f"reservation {reservation_id} is settled at {paid} micro-USD, refused {micros}: "
            "one call is paid once; reserve each call by itself"
        )


def totals(connection: Connection, run_id: int) -> Spent:
    """Calls and money of a run."""
    return _spent_of(connection.execute(_sums().where(spend.c.run_id == run_id)).one())


def totals_by_engine(connection: Connection, run_id: int) -> dict[str, Spent]:
    """Calls and money of a run by engine."""
    query = _sums().add_columns(spend.c.engine).where(spend.c.run_id == run_id)
    rows = connection.execute(query.group_by(spend.c.engine).order_by(spend.c.engine))
    return {row.engine: _spent_of(row) for row in rows}


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
    """Caps of one run; implements monitor.domain.ports.Budget through the writer."""

    def __init__(self, writer: Writer, run_id: int, caps: Caps, clock: Clock) -> None:
        self._writer = writer
        self._run_id = run_id
        self._caps = caps
        self._clock = clock

    async def reserve(self, capture_id: int, engine: str, micros: int) -> int:
        """Reserve one call and note that its capture is being asked; BudgetError at a cap."""
        ask = Ask(self._run_id, capture_id, engine, micros)
        at = self._clock.now()

        def save(connection: Connection) -> int:
            reservation = reserve(connection, ask, caps=self._caps, at=at)
            mark_asked(connection, capture_id, at=at)
            return reservation

        return await self._writer.do(save)

    async def settle(self, reservation: int, micros: int) -> None:
        """Replace the estimate by what the call cost; 0 when nothing was charged."""
        at = self._clock.now()
        await self._writer.do(lambda c: settle(c, reservation, micros, at=at))
