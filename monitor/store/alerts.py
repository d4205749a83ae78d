"""Alerts: opened by a run, held against later ones, closed once and kept.

Of one key a single alert is open at a time; the database holds to that, not only this module.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, update

from monitor.domain.alert import Alert, Closed, StoredAlert
from monitor.store.codec import decode, encode
from monitor.store.rows import insert_one_new
from monitor.store.tables import alert, run

_SEEN = run.alias("seen")


def open_alert(
    connection: Connection, run_id: int, panel: str, one: Alert, *, at: datetime
) -> int | None:
    """Insert an alert that a run raised, open from now on, and return its id.

    None where one of its key is open: also one that another process has opened meanwhile.
    """
    row = {
        "key": one.key(panel),
        "panel": panel,
        "engine": one.engine,
        "kind": one.kind.value,
        "severity": one.severity.value,
        "run_id": run_id,
        "body": encode(Alert, one),
        "opened_at": at,
        "quiet_runs": 0,
        "seen_run_id": run_id,
    }
    return insert_one_new(connection, alert, row)


def close_alert(connection: Connection, alert_id: int, how: Closed, *, at: datetime) -> bool:
    """Close an open alert; False where it was closed already."""
    columns = alert.c
    closed = connection.execute(
        update(alert)
        .where(columns.id == alert_id, columns.closed_at.is_(None))
        .values(closed_at=at, closed=how.value)
    )
    return bool(closed.rowcount)


def hold_against(connection: Connection, alert_id: int, run_id: int, quiet_runs: int) -> None:
    """Note that an open alert was held against a run, and its quiet runs since."""
    columns = alert.c
    connection.execute(
        update(alert)
        .where(columns.id == alert_id, columns.closed_at.is_(None))
        .values(seen_run_id=run_id, quiet_runs=quiet_runs)
    )


def open_alerts(
    connection: Connection, panel: str | None = None, engine: str | None = None
) -> tuple[StoredAlert, ...]:
    """Open alerts, of a panel and an engine or of all, oldest first."""
    query = select_alerts().where(alert.c.closed_at.is_(None)).order_by(alert.c.id)
    if panel is not None:
        query = query.where(alert.c.panel == panel)
    if engine is not None:
        query = query.where(alert.c.engine == engine)
    return tuple(stored_alert(row) for row in connection.execute(query))


def list_alerts(
    connection: Connection,
    panel: str | None = None,
    *,
    limit: int,
    keys: Iterable[str] | None = None,
) -> tuple[StoredAlert, ...]:
    """Alerts open and closed, newest first: of a panel or of all, with some of the keys."""
    query = select_alerts().order_by(alert.c.id.desc()).limit(limit)
    if panel is not None:
        query = query.where(alert.c.panel == panel)
    if keys is not None:
        query = query.where(alert.c.key.in_(sorted(keys)))
    return tuple(stored_alert(row) for row in connection.execute(query))


def raised_by(connection: Connection, run_id: int) -> tuple[StoredAlert, ...]:
    """Alerts that a run raised, open and closed, oldest first."""
    query = select_alerts().where(alert.c.run_id == run_id).order_by(alert.c.id)
    return tuple(stored_alert(row) for row in connection.execute(query))


def load_alert(connection: Connection, alert_id: int) -> StoredAlert | None:
    """The alert of an id, open or closed, or None; of any number, also one no store can hold."""
    if alert_id.bit_length() > 63:
        return None
    row = connection.execute(select_alerts().where(alert.c.id == alert_id)).first()
    return None if row is None else stored_alert(row)


def count_open(connection: Connection) -> dict[tuple[str, str], int]:
    """(panel, severity) -> open alerts."""
    columns = alert.c
    query = (
        select(columns.panel, columns.severity, func.count().label("alerts"))
        .where(columns.closed_at.is_(None))
        .group_by(columns.panel, columns.severity)
    )
    return {(row.panel, row.severity): row.alerts for row in connection.execute(query)}


def alert_mark(connection: Connection, panel: str) -> tuple[int, int]:
    """Newest alert of a panel, and how many are closed: another mark, other alerts; 0 for none."""
    query = select(func.max(alert.c.id), func.count(alert.c.closed_at))
    newest, closed = connection.execute(query.where(alert.c.panel == panel)).one()
    return newest or 0, closed


def accepted_at(connection: Connection, panel: str, engine: str) -> dict[str, int]:
    """Key -> row id of the run whose level a person took last: no run before it is a baseline."""
    columns = alert.c
    query = (
        select(columns.key, func.max(columns.run_id).label("run_id"))
        .where(
            columns.panel == panel,
            columns.engine == engine,
            columns.closed == Closed.ACCEPTED.value,
        )
        .group_by(columns.key)
    )
    return {row.key: row.run_id for row in connection.execute(query)}


def select_alerts() -> Select[Any]:
    """Alerts with the public id of the run that each was held against last."""
    return select(alert, _SEEN.c.public_id.label("seen_run")).join(
        _SEEN, _SEEN.c.id == alert.c.seen_run_id
    )


def stored_alert(row: Row[Any]) -> StoredAlert:
    """The alert of a row of `select_alerts`."""
    return StoredAlert(
        id=row.id,
        key=row.key,
        panel=row.panel,
        alert=decode(Alert, row.body),
        opened_at=row.opened_at,
        seen_run=row.seen_run,
        quiet_runs=row.quiet_runs,
        closed_at=row.closed_at,
        closed=Closed(row.closed) if row.closed else None,
    )
