"""What a scoring reads from the store, as one hash an engine: other inputs, other numbers.

Verdicts are not among it: one that was given stays. Whoever scores must know by itself whether
it used one that may still be replaced (a judge's error).
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, func, select

from monitor.domain.keys import content_key
from monitor.store.parts import WHOLE
from monitor.store.tables import (
    baseline_version,
    capture,
    citation,
    group_set,
    page_fetch,
    retrieved_source,
)


def scoring_inputs(
    connection: Connection, run_id: int, panel: str, *, matrix: bool
) -> Mapping[str, str]:
    """Engine -> hash of the evidence and the baseline that its tallies would be counted from now.

    `matrix` says whether the support matrix is among it: no recipe tells, for it changes no other
    number, but tallies without it are none that have it.
    Rows of readings, fetches, groups and baselines are never changed once written, so their ids
    stand for them; the one exception, redirects that were followed later, is counted.
    """
    shared = [
        connection.execute(
            select(func.max(baseline_version.c.id)).where(baseline_version.c.panel == panel)
        ).scalar(),
        *connection.execute(
            select(func.count(), func.max(page_fetch.c.id)).where(page_fetch.c.run_id == run_id)
        ).one(),
        connection.execute(
            select(func.max(group_set.c.id)).where(group_set.c.run_id == run_id)
        ).scalar(),
        *(["matrix"] if matrix else []),
    ]
    followed = [_followed(connection, table, run_id) for table in (citation, retrieved_source)]
    return {
        engine: content_key([*shared, *(counts.get(engine, 0) for counts in followed), readings])
        for engine, readings in _readings(connection, run_id).items()
    }


def _readings(connection: Connection, run_id: int) -> dict[str, list[list[int | str | None]]]:
    """Every capture of an engine with the reading that counts."""
    query = select(capture.c.engine, capture.c.id, capture.c.reading_id, capture.c.locale_state)
    found: dict[str, list[list[int | str | None]]] = {}
    for row in connection.execute(query.where(WHOLE.of_run(run_id)).order_by(capture.c.id)):
        found.setdefault(row.engine, []).append(_told(row))
    return found


def _told(row: Any) -> list[int | str | None]:
    """A capture as the hash takes it; one whose locale nobody asked about as ever."""
    own: list[int | str | None] = [row.id, row.reading_id]
    return own if row.locale_state is None else [*own, row.locale_state]


def _followed(connection: Connection, table: Table, run_id: int) -> dict[str, int]:
    """Redirects of an engine's counting readings that were followed."""
    query = (
        select(capture.c.engine, func.count().label("followed"))
        .join_from(capture, table, capture.c.reading_id == table.c.reading_id)
        .where(WHOLE.of_run(run_id), table.c.resolved)
        .group_by(capture.c.engine)
    )
    return {row.engine: row.followed for row in connection.execute(query)}
