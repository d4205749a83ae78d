"""Who looked at which answer first when: what `drawn_blind` of a baseline is told from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from monitor.store.rows import chunks, insert_new
from monitor.store.tables import answer_seen, capture

UNNAMED = "?"
"""Under which it is noted what people at this machine opened who gave no name: nobody has this."""


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """An answer that somebody opened, or of which they were told what it cites."""

    annotator: str
    """Their name, or `UNNAMED`."""
    panel: str
    prompt: str
    capture_id: int


def note_seen(connection: Connection, *seen: SeenAnswer, at: datetime) -> None:
    """Note that annotators saw answers; the first time stays."""
    rows = [
        {
            "annotator": one.annotator,
            "panel": one.panel,
            "prompt": one.prompt,
            "capture_id": one.capture_id,
            "seen_at": at,
        }
        for one in seen
    ]
    insert_new(connection, answer_seen, rows)


def pass_on(connection: Connection, before: str, after: str) -> None:
    """Note what was opened under one name for another, which the same person may have."""
    columns = answer_seen.c
    names = ("panel", "prompt", "capture_id", "seen_at")
    query = select(*(columns[name] for name in names)).where(columns.annotator == before)
    rows = [{**row, "annotator": after} for row in connection.execute(query).mappings()]
    if rows:
        insert_new(connection, answer_seen, rows)


def unseen_of(connection: Connection, annotator: str, captures: Iterable[int]) -> set[int]:
    """Those of some captures of which it is not noted yet that an annotator saw the answer."""
    found: set[int] = set()
    for part in chunks(captures):
        columns = answer_seen.c
        seen = select(columns.capture_id).where(
            columns.annotator == annotator, columns.capture_id.in_(part)
        )
        query = select(capture.c.id).where(capture.c.id.in_(part), capture.c.id.not_in(seen))
        found.update(connection.execute(query).scalars())
    return found


def prompts_seen(connection: Connection, panel: str) -> Mapping[tuple[str, str], datetime]:
    """(annotator, prompt) -> when they first saw what an answer to it cites, of a panel."""
    columns = answer_seen.c
    query = (
        select(columns.annotator, columns.prompt, func.min(columns.seen_at).label("first"))
        .where(columns.panel == panel)
        .group_by(columns.annotator, columns.prompt)
    )
    return {(row.annotator, row.prompt): row.first for row in connection.execute(query)}
