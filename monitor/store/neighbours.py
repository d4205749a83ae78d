"""Captures beside one: other engines and repeats, and the same question before and after."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from monitor.store.tables import capture, panel_version, prompt_version, reading, run


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A capture of the same prompt."""

    id: int
    run: str
    """Public id."""
    slot: str
    engine: str
    access: str
    repeat: int
    outcome: str
    """`answered`, `no_answer/declined`, ...; `planned` or `asked` while nothing is stored."""


def load_beside(connection: Connection, capture_id: int) -> tuple[Neighbour, ...]:
    """Captures of the same prompt version in the same run, this one among them, as planned."""
    columns = capture.c
    own = select(columns.run_id, columns.prompt_version_id).where(columns.id == capture_id)
    row = connection.execute(own).first()
    if row is None:
        return ()
    query = _neighbours().where(
        columns.run_id == row.run_id, columns.prompt_version_id == row.prompt_version_id
    )
    # Sorted here: to be given an order, SQLite would walk all captures of the prompt.
    found = sorted(connection.execute(query), key=lambda one: one.id)
    return tuple(map(_neighbour_of, found))


def load_nearest(
    connection: Connection, capture_id: int, panel: str, *, later: bool
) -> Neighbour | None:
    """The same question to the same engine, as often repeated, in the run before or after.

    An edited prompt is the same question in other words.
    """
    columns = capture.c
    own = (
        select(capture, prompt_version.c.prompt_id)
        .join_from(capture, prompt_version)
        .where(columns.id == capture_id)
    )
    row = connection.execute(own).first()
    if row is None:
        return None
    worded = select(prompt_version.c.id).where(prompt_version.c.prompt_id == row.prompt_id)
    alike = _neighbours().where(
        columns.engine == row.engine,
        columns.access == row.access,
        columns.repeat == row.repeat,
        columns.run_id != row.run_id,
        panel_version.c.name == panel,
        columns.id > capture_id if later else columns.id < capture_id,
    )
    order = columns.id.asc() if later else columns.id.desc()
    # One version at a time: its captures stand in the order of their ids, and the nearest ends it.
    ways = [
        alike.where(columns.prompt_version_id == one).order_by(order).limit(1)
        for one in connection.execute(worded).scalars().all()
    ]
    found = [one for way in ways for one in connection.execute(way)]
    if not found:
        return None
    return _neighbour_of((min if later else max)(found, key=lambda one: one.id))


def _neighbours() -> Select[Any]:
    return (
        select(
            capture.c.id,
            capture.c.engine,
            capture.c.access,
            capture.c.repeat,
            capture.c.state,
            run.c.public_id,
            run.c.slot,
            reading.c.outcome,
            reading.c.reason,
        )
        .join_from(capture, run, capture.c.run_id == run.c.id)
        .join(panel_version, run.c.panel_version_id == panel_version.c.id)
        .join(reading, capture.c.reading_id == reading.c.id, isouter=True)
    )


def _neighbour_of(row: Row[Any]) -> Neighbour:
    reason = f"/{row.reason}" if row.reason else ""
    outcome = row.state if row.outcome is None else f"{row.outcome}{reason}"
    return Neighbour(row.id, row.public_id, row.slot, row.engine, row.access, row.repeat, outcome)
