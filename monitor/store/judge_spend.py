"""Calls of judges that are paid: reserved under the caps of captures, and under the judge's own."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, bindparam, or_, select, update

from monitor.errors import BudgetError
from monitor.store import months
from monitor.store.rows import insert_numbered
from monitor.store.runs import Caps, RunState, load_caps
from monitor.store.spend import (
    next_call,
    over_month,
    over_run,
    refuse_cancelled,
    shown_cap,
    shown_usd,
)
from monitor.store.tables import run, spend

IN_SETTINGS = "raise judge.calls or judge.usd in the settings"
"""How caps of a judge itself are raised."""


@dataclass(frozen=True, slots=True)
class JudgeAsk:
    """One call of a judge about to be made, with its estimated price in millionths of a USD."""

    run_id: int | None
    """None for a call that belongs to no run."""
    judge: str
    """Name and version."""
    micros: int
    raised: str = IN_SETTINGS
    """How the judge's own caps are raised, in words."""

    @property
    def shown(self) -> str:
        """The call in words."""
        return next_call(self.judge, self.micros)


def reserve_judging(
    connection: Connection, ask: JudgeAsk, *, own: Caps, month: Caps, at: datetime
) -> int:
    """Id of the reservation of one call.

    BudgetError when it would pass a cap of the month, of its run, or of the judge within its run
    (`own`); RunCancelledError when the run was cancelled. Then nothing is taken.
    """
    months.one_at_a_time(connection)
    of_month = months.month_of(at)
    if not months.take(connection, of_month, calls=1, micros=ask.micros, caps=month):
        if ask.run_id is not None:
            refuse_cancelled(connection, ask.run_id, ask.judge)
        raise over_month(connection, ask.shown, of_month, month, on="")
    if ask.run_id is not None and not _take(connection, ask.run_id, ask.micros, own):
        months.correct(connection, {of_month: -ask.micros}, calls={of_month: -1})
        refuse_cancelled(connection, ask.run_id, ask.judge)
        raise _over(connection, ask, ask.run_id, own)
    row = {
        "run_id": ask.run_id,
        "capture_id": None,
        "engine": ask.judge,
        "attempt": 1,
        "currency": "USD",
        "reserved_micros": ask.micros,
        "reserved_at": at,
    }
    return insert_numbered(connection, spend, [row])[0]


def _take(connection: Connection, run_id: int, micros: int, own: Caps) -> bool:
    """Whether a call fits under the caps of its run and of the judge; it is counted if so."""
    taken = {
        "of_run": run_id,
        "micros": micros,
        "own_calls": months.NO_CAP if own.calls is None else own.calls,
        "own_micros": months.NO_CAP if own.micros is None else own.micros,
    }
    return connection.execute(_TAKE, taken).rowcount == 1


def _big(name: str) -> Any:
    return bindparam(name, type_=BigInteger)


def _fits(spent: ColumnElement[int], cap: ColumnElement[int | None]) -> ColumnElement[bool]:
    return or_(cap.is_(None), spent <= cap)


_TAKE = (
    update(run)
    .where(
        run.c.id == bindparam("of_run"),
        run.c.state != RunState.CANCELLED.value,
        _fits(run.c.spent_calls + 1, run.c.cap_calls),
        _fits(run.c.spent_micros + _big("micros"), run.c.cap_micros),
        run.c.judge_calls + 1 <= _big("own_calls"),
        run.c.judge_micros + _big("micros") <= _big("own_micros"),
    )
    .values(
        spent_calls=run.c.spent_calls + 1,
        spent_micros=run.c.spent_micros + _big("micros"),
        judge_calls=run.c.judge_calls + 1,
        judge_micros=run.c.judge_micros + _big("micros"),
    )
)
"""The caps are part of the UPDATE, so two calls cannot both take the last place."""


def _over(connection: Connection, ask: JudgeAsk, run_id: int, own: Caps) -> BudgetError:
    """Which of the caps a call would pass: those of the run, or the judge's own within them."""
    query = select(run.c.judge_calls, run.c.judge_micros).where(run.c.id == run_id)
    spent = connection.execute(query).one()
    calls_fit = own.calls is None or spent.judge_calls < own.calls
    micros_fit = own.micros is None or spent.judge_micros + ask.micros <= own.micros
    if calls_fit and micros_fit:
        caps = load_caps(connection, run_id)
        return over_run(connection, ask.shown, run_id, caps, on="it takes")
    return over_own(ask, Caps(spent.judge_calls, spent.judge_micros), own)


def over_own(ask: JudgeAsk, spent: Caps, own: Caps) -> BudgetError:
    """That a call would pass the caps of the judge itself."""
    return BudgetError(
        f"{ask.shown} would pass the judge's own budget: {spent.calls} of {shown_cap(own.calls)} "
        f"calls and {shown_usd(spent.micros)} of {shown_usd(own.micros)} USD are spent or "
        f"reserved; {ask.raised}"
    )
