"""Grades that annotators give to pooled sources, and how disagreements were settled."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from monitor.domain.baseline import Match
from monitor.domain.drafted import SourceDetails, SourceLabel, SourceRuling
from monitor.domain.source import Grade
from monitor.store.codec import decode, encode
from monitor.store.drafts import require_open
from monitor.store.rows import chunks, insert_one
from monitor.store.tables import adjudication, source_label

_KIND = "source"


@dataclass(frozen=True, slots=True)
class GradeAct:
    """A grade as somebody gave it, or took it back, over the label of theirs that they saw."""

    draft_id: int
    prompt: str
    page_hash: str
    grade: Grade | None
    details: SourceDetails
    annotator: str
    guideline: str
    blind: bool
    seconds: float | None
    seen: int | None
    """Id of their own newest label of the source that the form showed."""


def save_label(connection: Connection, act: GradeAct, *, at: datetime) -> int | SourceLabel:
    """Id of the new label; where its annotator gave another one meanwhile, that, and nothing is."""
    require_open(connection, act.draft_id)
    newest = newest_label(connection, act)
    if newest is not None and newest.id != act.seen:
        return newest
    row = {
        "draft_id": act.draft_id,
        "prompt": act.prompt,
        "page_hash": act.page_hash,
        "grade": act.grade.value if act.grade else None,
        "body": encode(SourceDetails, act.details),
        "annotator": act.annotator,
        "guideline": act.guideline,
        "blind": int(act.blind),
        "seconds": act.seconds,
        "saved_at": at,
    }
    return insert_one(connection, source_label, row)


def newest_label(connection: Connection, act: GradeAct) -> SourceLabel | None:
    """The newest act of the same annotator over the same source, taken back or not."""
    columns = source_label.c
    query = select(source_label).where(
        columns.draft_id == act.draft_id,
        columns.prompt == act.prompt,
        columns.page_hash == act.page_hash,
        columns.annotator == act.annotator,
    )
    row = connection.execute(query.order_by(columns.id.desc()).limit(1)).first()
    return None if row is None else _label_of(row)


def load_source_labels(
    connection: Connection,
    draft_id: int,
    *,
    prompt: str | None = None,
    annotator: str | None = None,
) -> tuple[SourceLabel, ...]:
    """The newest act of each annotator for each source, withdrawals too, oldest first."""
    columns = source_label.c
    chosen = [columns.draft_id == draft_id]
    if prompt is not None:
        chosen.append(columns.prompt == prompt)
    if annotator is not None:
        chosen.append(columns.annotator == annotator)
    query = select(source_label).where(*chosen).order_by(columns.id)
    latest: dict[tuple[str, str, str], SourceLabel] = {}
    for row in connection.execute(query):
        key = (row.prompt, row.page_hash, row.annotator)
        latest.pop(key, None)
        latest[key] = _label_of(row)
    return tuple(latest.values())


def label_mark(connection: Connection, draft_id: int) -> int:
    """Newest label of a draft; 0 where there is none."""
    query = select(func.max(source_label.c.id)).where(source_label.c.draft_id == draft_id)
    return int(connection.execute(query).scalar() or 0)


def save_ruling(connection: Connection, panel: str, ruling: SourceRuling) -> int:
    """Store how a disagreement was settled; the labels stay as they are."""
    row = {
        "panel": panel,
        "kind": _KIND,
        "subject": ruling.subject,
        "body": {"grade": ruling.grade.value, "match": ruling.match.value},
        "originals": list(ruling.originals),
        "reason": ruling.reason,
        "adjudicator": ruling.adjudicator,
        "saved_at": ruling.saved_at,
    }
    return insert_one(connection, adjudication, row)


def load_rulings(
    connection: Connection, panel: str, subjects: tuple[str, ...]
) -> dict[str, SourceRuling]:
    """The newest ruling of each of these subjects, where there is one."""
    columns = adjudication.c
    found: dict[str, SourceRuling] = {}
    for part in chunks(subjects):
        query = select(adjudication).where(
            columns.panel == panel, columns.kind == _KIND, columns.subject.in_(part)
        )
        for row in connection.execute(query.order_by(columns.id)):
            found[row.subject] = _ruling_of(row)
    return found


def _ruling_of(row: Row[Any]) -> SourceRuling:
    return SourceRuling(
        row.subject,
        Grade(row.body["grade"]),
        Match(row.body["match"]),
        row.reason,
        row.adjudicator,
        tuple(row.originals),
        row.saved_at,
        row.id,
    )


def _label_of(row: Row[Any]) -> SourceLabel:
    return SourceLabel(
        row.id,
        row.prompt,
        row.page_hash,
        Grade(row.grade) if row.grade else None,
        decode(SourceDetails, row.body),
        row.annotator,
        row.guideline,
        bool(row.blind),
        row.seconds,
        row.saved_at,
    )
