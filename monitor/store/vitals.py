"""What the health of the whole is read from, in queries whose cost does not grow with the past.

A run that ended has its counts in `run_engine`, one small row per engine. Only runs that are not
ended are counted from their captures.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, distinct, func, insert, select

from monitor.domain.engine import VISIBLE, Access, Outcome
from monitor.domain.instrument import EngineTotals
from monitor.store import captures
from monitor.store.codec import decode, encode
from monitor.store.parts import WHOLE
from monitor.store.rows import chunks
from monitor.store.runs import FINAL, Run
from monitor.store.spend import totals_by_month
from monitor.store.tables import (
    capture,
    citation,
    delivery,
    job,
    reading,
    run,
    run_engine,
)


def count_totals(connection: Connection, run_id: int) -> dict[str, EngineTotals]:
    """What each engine came to in a run, counted from its captures."""
    cited = _citations(connection, run_id)
    models = _models(connection, run_id)
    spent = totals_by_month(connection, run_id)
    return {
        engine: EngineTotals(
            coverage,
            *cited.get(engine, (0, 0)),
            models=models.get(engine, {}),
            spent=spent.get(engine, {}),
        )
        for engine, coverage in captures.coverage(connection, run_id).items()
    }


def _citations(connection: Connection, run_id: int) -> dict[str, tuple[int, int]]:
    """Engine -> answers with a visible citation, and visible citations."""
    query = (
        select(
            capture.c.engine,
            func.count(distinct(capture.c.id)).label("cited"),
            func.count().label("citations"),
        )
        .join_from(capture, reading, capture.c.reading_id == reading.c.id)
        .join(citation, citation.c.reading_id == reading.c.id)
        .where(
            WHOLE.of_run(run_id),
            reading.c.outcome == Outcome.ANSWERED.value,
            citation.c.role.in_(sorted(VISIBLE)),
        )
        .group_by(capture.c.engine)
    )
    return {row.engine: (row.cited, row.citations) for row in connection.execute(query)}


def _models(connection: Connection, run_id: int) -> dict[str, dict[str, int]]:
    """Engine -> served model -> answers; the commonest of them where a vendor names very many."""
    query = (
        select(capture.c.engine, reading.c.served_model, func.count().label("answers"))
        .join_from(capture, reading, capture.c.reading_id == reading.c.id)
        .where(
            WHOLE.of_run(run_id),
            reading.c.outcome == Outcome.ANSWERED.value,
            reading.c.served_model.is_not(None),
        )
        .group_by(capture.c.engine, reading.c.served_model)
        .order_by(func.count().desc(), reading.c.served_model)
    )
    found: dict[str, dict[str, int]] = {}
    for row in connection.execute(query):
        known = found.setdefault(row.engine, {})
        if len(known) < _MOST_MODELS:
            known[row.served_model] = row.answers
    return found


_MOST_MODELS = 20


def save_totals(
    connection: Connection, run_id: int, totals: Mapping[str, EngineTotals], *, at: datetime
) -> None:
    """Keep what the engines of a run came to, instead of what was kept before."""
    connection.execute(delete(run_engine).where(run_engine.c.run_id == run_id))
    rows = [
        {"run_id": run_id, "engine": engine, "body": encode(EngineTotals, one), "made_at": at}
        for engine, one in totals.items()
    ]
    if rows:
        connection.execute(insert(run_engine), rows)


def load_totals(
    connection: Connection, run_ids: Iterable[int]
) -> dict[int, dict[str, EngineTotals]]:
    """Run -> engine -> what was kept; a run of which nothing was kept is left out."""
    found: dict[int, dict[str, EngineTotals]] = {}
    for part in chunks(run_ids):
        query = select(run_engine).where(run_engine.c.run_id.in_(part))
        for row in connection.execute(query.order_by(run_engine.c.run_id, run_engine.c.engine)):
            found.setdefault(row.run_id, {})[row.engine] = decode(EngineTotals, row.body)
    return found


def still_hold(one: Run, kept: Mapping[str, EngineTotals]) -> bool:
    """Whether what was kept of a run's engines is all there is: it has ended, and no money moved.

    Money of the judge is none of an engine's.
    """
    micros = sum(totals.spent_in_all.micros for totals in kept.values())
    return one.state in FINAL and micros == one.spent_micros - one.judge_micros


@dataclass(frozen=True, slots=True)
class OpenWork:
    """Captures of one engine that are planned in a run at work, and not stored."""

    engine: str
    access: Access
    captures: int
    since: datetime
    """When the oldest of their runs was planned."""


def open_work(connection: Connection) -> tuple[OpenWork, ...]:
    """What is left to ask, by engine and access."""
    # By their ids: joined by state, SQLite would walk the captures of all runs there ever were.
    states = [one.value for one in FINAL]
    at_work = connection.execute(select(run.c.id).where(run.c.state.not_in(states))).scalars().all()
    query = (
        select(
            capture.c.engine,
            capture.c.access,
            func.count().label("captures"),
            func.min(run.c.created_at).label("since"),
        )
        .join_from(run, capture, capture.c.run_id == run.c.id)
        .where(
            capture.c.run_id.in_(at_work),
            capture.c.state != captures.CaptureState.STORED.value,
        )
        .group_by(capture.c.engine, capture.c.access)
        .order_by(capture.c.engine, capture.c.access)
    )
    return tuple(
        OpenWork(row.engine, Access(row.access), row.captures, row.since)
        for row in connection.execute(query)
    )


@dataclass(frozen=True, slots=True)
class Outbox:
    """Messages to the outside of one kind, and by one channel, that were not taken."""

    kind: str
    waiting: int
    since: datetime | None
    """When the oldest waiting one was written."""
    given_up: int
    channel: str | None = None
    """Channel of alerts; None for kinds that have none."""


def outbox(connection: Connection) -> tuple[Outbox, ...]:
    """What waits and what was given up, by kind and channel."""
    query = (
        select(
            delivery.c.kind,
            delivery.c.target,
            delivery.c.state,
            func.count().label("messages"),
            func.min(delivery.c.created_at).label("since"),
        )
        .where(delivery.c.state != "sent")
        .group_by(delivery.c.kind, delivery.c.target, delivery.c.state)
    )
    rows: dict[tuple[str, str], list[Row[Any]]] = {}
    for row in connection.execute(query):
        where, _, channel = row.target.partition(":")
        rows.setdefault((row.kind, channel if where == "channel" else ""), []).append(row)
    return tuple(_outbox(kind, channel, found) for (kind, channel), found in sorted(rows.items()))


def _outbox(kind: str, channel: str, found: list[Row[Any]]) -> Outbox:
    """Messages of one kind and channel, whatever their targets."""
    waiting = [row for row in found if row.state == "waiting"]
    given_up = [row for row in found if row.state == "given_up"]
    return Outbox(
        kind,
        sum(row.messages for row in waiting),
        min((row.since for row in waiting), default=None),
        sum(row.messages for row in given_up),
        channel or None,
    )


def jobs_given_up(connection: Connection) -> dict[str, int]:
    """Queue -> jobs that are given up until a person resumes their run."""
    query = select(job.c.queue, func.count().label("jobs")).where(job.c.given_up)
    rows = connection.execute(query.group_by(job.c.queue).order_by(job.c.queue))
    return {row.queue: row.jobs for row in rows}
