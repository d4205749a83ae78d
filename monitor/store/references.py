"""Pinned runs: the one that others of its panel are compared with when asked for `reference`."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from monitor.store.rows import insert_new
from monitor.store.tables import reference_run, run


@dataclass(frozen=True, slots=True)
class Reference:
    """The pinned run of one panel."""

    panel: str
    run_id: int
    run: str
    """Its public id."""
    pinned_at: datetime


def pin(connection: Connection, panel: str, run_id: int, *, at: datetime) -> None:
    """Make a run the reference of its panel, in place of another; the same one again is a no-op."""
    row = {"panel": panel, "run_id": run_id, "pinned_at": at}
    if insert_new(connection, reference_run, [row]):
        return
    columns = reference_run.c
    other = update(reference_run).where(columns.panel == panel, columns.run_id != run_id)
    connection.execute(other.values(run_id=run_id, pinned_at=at))


def unpin(connection: Connection, panel: str) -> bool:
    """Leave a panel without a reference; False where it had none."""
    gone = connection.execute(delete(reference_run).where(reference_run.c.panel == panel))
    return bool(gone.rowcount)


def list_references(connection: Connection, panel: str | None = None) -> tuple[Reference, ...]:
    """References by panel: of all panels, or of one."""
    columns = reference_run.c
    query = select(columns.panel, columns.run_id, run.c.public_id, columns.pinned_at).join_from(
        reference_run, run
    )
    if panel is not None:
        query = query.where(columns.panel == panel)
    rows = connection.execute(query.order_by(columns.panel))
    return tuple(Reference(row.panel, row.run_id, row.public_id, row.pinned_at) for row in rows)
