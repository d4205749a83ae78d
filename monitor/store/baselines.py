"""Versions of baselines as they are stored, and when a panel was first asked."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from monitor.domain.baseline import Baseline
from monitor.store.codec import decode
from monitor.store.tables import baseline_version, panel_version, run


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """A stored version of a baseline; the row that came last counts for its version."""

    id: int
    baseline: Baseline
    saved_at: datetime


def list_versions(connection: Connection, panel: str) -> tuple[StoredBaseline, ...]:
    """Versions of a panel's baseline, the one that was saved last first."""
    columns = baseline_version.c
    newest = select(func.max(columns.id)).where(columns.panel == panel).group_by(columns.version)
    query = select(baseline_version).where(columns.id.in_(newest)).order_by(columns.id.desc())
    return tuple(_stored_of(row) for row in connection.execute(query))


def panels_with_versions(connection: Connection) -> dict[str, int]:
    """Panel -> how many versions of its baseline are stored."""
    columns = baseline_version.c
    query = select(columns.panel, func.count(columns.version.distinct()).label("versions"))
    rows = connection.execute(query.group_by(columns.panel).order_by(columns.panel))
    return {row.panel: row.versions for row in rows}


def first_begun(connection: Connection, panel: str) -> datetime | None:
    """When the first run of a panel began or was planned; None where there is none."""
    query = (
        select(func.coalesce(run.c.started_at, run.c.created_at).label("at"))
        .join_from(run, panel_version, run.c.panel_version_id == panel_version.c.id)
        .where(panel_version.c.name == panel)
        .order_by(run.c.id)
        .limit(1)
    )
    found: datetime | None = connection.execute(query).scalar()
    return found


def _stored_of(row: Row[Any]) -> StoredBaseline:
    return StoredBaseline(row.id, decode(Baseline, row.body), row.saved_at)
