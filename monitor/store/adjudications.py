"""What was decided where annotators disagree; their own labels stay as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, select

from monitor.store.rows import insert_one
from monitor.store.tables import adjudication


class Subject(StrEnum):
    """What can be adjudicated."""

    SUPPORT = "support"
    """Whether texts support a claim."""
    SOURCE = "source"
    """The grade of a source in a draft of a baseline."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """One decision; a later one of the same subject counts in its place."""

    panel: str
    kind: Subject
    subject: str
    """Identity of the pair, or of draft, prompt and source."""
    body: Mapping[str, Any]
    originals: Sequence[Mapping[str, Any]]
    """The labels that disagreed, as they were."""
    reason: str
    adjudicator: str
    saved_at: datetime
    id: int = 0
    """Row of the store; 0 before it is stored."""


def save_adjudication(connection: Connection, one: Adjudication) -> int:
    """Store a decision, and its row; those before it stay."""
    row = {
        "panel": one.panel,
        "kind": one.kind.value,
        "subject": one.subject,
        "body": dict(one.body),
        "originals": [dict(label) for label in one.originals],
        "reason": one.reason,
        "adjudicator": one.adjudicator,
        "saved_at": one.saved_at,
    }
    return insert_one(connection, adjudication, row)


def load_adjudications(
    connection: Connection, panel: str, kind: Subject, *, subject: str | None = None
) -> tuple[Adjudication, ...]:
    """Every decision of a kind of a panel, or of one subject of it, oldest first."""
    query = (
        select(adjudication)
        .where(adjudication.c.panel == panel, adjudication.c.kind == kind.value)
        .order_by(adjudication.c.id)
    )
    if subject is not None:
        query = query.where(adjudication.c.subject == subject)
    return tuple(map(_adjudication_of, connection.execute(query)))


def decided(found: Sequence[Adjudication]) -> dict[str, Adjudication]:
    """Subject -> the decision that counts: the latest one."""
    return {one.subject: one for one in found}


def _adjudication_of(row: Row[Any]) -> Adjudication:
    return Adjudication(
        row.panel,
        Subject(row.kind),
        row.subject,
        row.body,
        tuple(row.originals),
        row.reason,
        row.adjudicator,
        row.saved_at,
        row.id,
    )
