"""Plans of labelling: who labels which pair of a draw, fixed before anybody does."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from monitor.store.rows import insert_one_new
from monitor.store.tables import label_plan


@dataclass(frozen=True, slots=True)
class Assignment:
    """One pair of a draw with those who label it, and what they are shown beside the claim."""

    position: int
    """Place in the draw, from 1."""
    annotators: tuple[str, ...]
    question: str
    statement: str
    """Sentence in which the claim stands."""
    sources: tuple[tuple[str, str], ...]
    """(URL, hash of the text) of every readable cited page."""


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Who labels which pair of a draw, and by which rules."""

    id: int
    """Row of the store; 0 before it is stored."""
    panel: str
    draw: str
    """Key of the draw."""
    annotators: tuple[str, ...]
    double_share: float
    guideline: str
    assignments: tuple[Assignment, ...]
    """Of every pair, in the order of the draw."""
    made_by: str | None
    made_at: datetime


def save_plan(connection: Connection, plan: LabelPlan) -> int | None:
    """Store a plan, and its row; None where its draw has one already, which stays as it is."""
    row = {
        "panel": plan.panel,
        "draw": plan.draw,
        "annotators": list(plan.annotators),
        "double_share": plan.double_share,
        "guideline": plan.guideline,
        "assignments": [_assignment_row(one) for one in plan.assignments],
        "made_by": plan.made_by,
        "made_at": plan.made_at,
    }
    return insert_one_new(connection, label_plan, row)


def load_plan(connection: Connection, plan_id: int) -> LabelPlan | None:
    """The plan of a row."""
    row = connection.execute(select(label_plan).where(label_plan.c.id == plan_id)).first()
    return None if row is None else _plan_of(row)


def load_plan_of(connection: Connection, draw: str) -> LabelPlan | None:
    """The plan of a draw."""
    row = connection.execute(select(label_plan).where(label_plan.c.draw == draw)).first()
    return None if row is None else _plan_of(row)


def count_plans(connection: Connection, panel: str | None = None) -> int:
    """How many plans there are, of a panel or of all."""
    query = select(func.count()).select_from(label_plan)
    if panel is not None:
        query = query.where(label_plan.c.panel == panel)
    return connection.execute(query).scalar() or 0


def planned_panels(connection: Connection) -> tuple[str, ...]:
    """Panels that have a plan."""
    return tuple(connection.execute(select(label_plan.c.panel).distinct()).scalars())


def load_plans(
    connection: Connection, panel: str | None = None, *, limit: int, offset: int = 0
) -> tuple[LabelPlan, ...]:
    """Plans of a panel or of all, newest first, a page of them."""
    query = select(label_plan).order_by(label_plan.c.id.desc()).limit(limit).offset(offset)
    if panel is not None:
        query = query.where(label_plan.c.panel == panel)
    return tuple(map(_plan_of, connection.execute(query)))


def _assignment_row(one: Assignment) -> list[Any]:
    shown = {
        "question": one.question,
        "statement": one.statement,
        "sources": [list(source) for source in one.sources],
    }
    return [one.position, list(one.annotators), shown]


def _assignment_of(stored: tuple[int, list[str], Mapping[str, Any]]) -> Assignment:
    position, annotators, shown = stored
    return Assignment(
        position,
        tuple(annotators),
        shown["question"],
        shown["statement"],
        tuple((url, sha256) for url, sha256 in shown["sources"]),
    )


def _plan_of(row: Row[Any]) -> LabelPlan:
    return LabelPlan(
        row.id,
        row.panel,
        row.draw,
        tuple(row.annotators),
        row.double_share,
        row.guideline,
        tuple(map(_assignment_of, row.assignments)),
        row.made_by,
        row.made_at,
    )
