"""Who looked at which answer first when: what `drawn_blind` of a baseline is told from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from monitor.store.rows import insert_new
from monitor.store.tables import answer_seen

UNNAMED = "?"
"""Under which it is noted what people at this machine opened who gave no name: nobody has this."""


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """An answer that somebody opened."""

    annotator: str
    """Their name, or `UNNAMED`."""
    panel: str
    prompt: str
    capture_id: int


def note_seen(connection: Connection, seen: SeenAnswer, *, at: datetime) -> bool:
    """Note that an annotator opened an answer; the first time stays. Whether it is new."""
    row = {
        "annotator": seen.annotator,
        "panel": seen.panel,
        "prompt": seen.prompt,
        "capture_id": seen.capture_id,
        "seen_at": at,
    }
    return insert_new(connection, answer_seen, [row]) > 0


def pass_on(connection: Connection, before: str, after: str) -> None:
    """Note what was opened under one name for another, which the same person may have."""
    columns = answer_seen.c
    names = ("panel", "prompt", "capture_id", "seen_at")
    query = select(*(columns[name] for name in names)).where(columns.annotator == before)
    rows = [{**row, "annotator": after} for row in connection.execute(query).mappings()]
    if rows:
        insert_new(connection, answer_seen, rows)


def is_seen(connection: Connection, annotator: str, capture_id: int) -> bool:
    """Whether it is noted that an annotator opened an answer."""
    columns = answer_seen.c
    query = select(columns.id).where(
        columns.annotator == annotator, columns.capture_id == capture_id
    )
    return connection.execute(query).first() is not None


def prompts_seen(connection: Connection, panel: str) -> Mapping[tuple[str, str], datetime]:
    """(annotator, prompt) -> when they first opened an answer to it, of a panel."""
    columns = answer_seen.c
    query = (
        select(columns.annotator, columns.prompt, func.min(columns.seen_at).label("first"))
        .where(columns.panel == panel)
        .group_by(columns.annotator, columns.prompt)
    )
    return {(row.annotator, row.prompt): row.first for row in connection.execute(query)}
