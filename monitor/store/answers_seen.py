"""Who looked at which answer first when: what `drawn_blind` of a baseline is told from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from monitor.store.rows import insert_new
from monitor.store.tables import answer_seen


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """An answer that somebody with a name opened."""

    annotator: str
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
