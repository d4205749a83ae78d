"""Alerts as somebody looks for them: by panel, engine, standing, severity and words, in pages."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ColumnElement, Connection, func, select, type_coerce

from monitor.domain.alert import Severity, StoredAlert
from monitor.store.alerts import select_alerts, stored_alert
from monitor.store.tables import alert


class AlertState(StrEnum):
    """Which alerts are meant."""

    OPEN = "open"
    CLOSED = "closed"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class AlertSearch:
    """What an alert must be to be shown; None and empty ask for nothing."""

    panel: str | None = None
    engine: str | None = None
    state: AlertState = AlertState.ALL
    severity: Severity | None = None
    words: str = ""
    """Each of them stands in its sentence, in what changed, or in its engine or kind."""


def find_alerts(
    connection: Connection, asked: AlertSearch, *, limit: int, offset: int = 0
) -> tuple[StoredAlert, ...]:
    """Alerts of a search, newest first."""
    query = select_alerts().where(*_wanted(asked)).order_by(alert.c.id.desc())
    rows = connection.execute(query.limit(limit).offset(offset))
    return tuple(stored_alert(row) for row in rows)


def count_alerts(connection: Connection, asked: AlertSearch) -> int:
    """How many alerts a search finds in all."""
    query = select(func.count()).select_from(alert).where(*_wanted(asked))
    return int(connection.execute(query).scalar_one())


def alert_names(connection: Connection) -> tuple[tuple[str, str], ...]:
    """(panel, engine) of which there was ever an alert, in order."""
    columns = alert.c
    query = select(columns.panel, columns.engine).distinct()
    rows = connection.execute(query.order_by(columns.panel, columns.engine))
    return tuple((row.panel, row.engine) for row in rows)


def _wanted(asked: AlertSearch) -> list[ColumnElement[bool]]:
    """What the rows of a search have in common."""
    columns = alert.c
    found: list[ColumnElement[bool]] = []
    if asked.panel is not None:
        found.append(columns.panel == asked.panel)
    if asked.engine is not None:
        found.append(columns.engine == asked.engine)
    if asked.state is not AlertState.ALL:
        is_open = columns.closed_at.is_(None)
        found.append(is_open if asked.state is AlertState.OPEN else ~is_open)
    if asked.severity is not None:
        found.append(columns.severity == asked.severity.value)
    return [*found, *(_says(word) for word in asked.words.split())]


def _says(word: str) -> ColumnElement[bool]:
    """Whether a word stands in what an alert says."""
    body: Any = type_coerce(alert.c.body, JSON)
    told = (
        func.coalesce(body["says"].as_string(), "")
        + " "
        + func.coalesce(body["entity"].as_string(), "")
        + " "
        + alert.c.engine
        + " "
        + alert.c.kind
    )
    return func.lower(told).contains(word.lower(), autoescape=True)
