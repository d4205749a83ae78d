"""Under which recipe an engine of a run was scored, and when: signatures without their numbers."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from monitor.store.tables import scorecard


@dataclass(frozen=True, slots=True)
class Scoring:
    """One scoring of an engine of a run."""

    made_at: datetime
    signature: str
    recipe: str
    """Hash of the recipe part of the signature."""


def load_scorings(
    connection: Connection, run_id: int, engine: str, segment: str
) -> tuple[Scoring, ...]:
    """Every scoring of a segment of an engine, the first one first."""
    columns = scorecard.c
    query = (
        select(columns.made_at, columns.signature, columns.recipe)
        .where(columns.run_id == run_id, columns.engine == engine, columns.segment == segment)
        .order_by(columns.id)
    )
    return tuple(Scoring(*row) for row in connection.execute(query))
