"""Grades that annotators give to pooled sources, and how disagreements were settled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from monitor.domain.baseline import Match
from monitor.domain.drafted import SourceDetails, SourceLabel, SourceRuling
from monitor.domain.source import Grade
from monitor.store import adjudications
from monitor.store.adjudications import Adjudication, Subject
from monitor.store.codec import decode, encode
from monitor.store.drafts import hold_open
from monitor.store.rows import insert_one
from monitor.store.tables import source_label


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
    hold_open(connection, act.draft_id)
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


def save_ruling(
    connection: Connection, panel: str, ruling: SourceRuling, labels: Sequence[SourceLabel]
) -> int:
    """Store how a disagreement was settled, with the labels as they were; these stay."""
    return adjudications.save_adjudication(
        connection,
        Adjudication(
            panel,
            Subject.SOURCE,
            ruling.subject,
            {"grade": ruling.grade.value, "match": ruling.match.value},
            tuple(_original(one) for one in labels),
            ruling.reason,
            ruling.adjudicator,
            ruling.saved_at,
        ),
    )


def load_rulings(connection: Connection, panel: str) -> dict[str, SourceRuling]:
    """The newest ruling of each source of a panel's drafts, by subject."""
    found = adjudications.load_adjudications(connection, panel, Subject.SOURCE)
    return {subject: _ruling_of(one) for subject, one in adjudications.decided(found).items()}


def _original(one: SourceLabel) -> dict[str, Any]:
    return {
        "id": one.id,
        "annotator": one.annotator,
        "grade": one.grade.value if one.grade else None,
        "details": encode(SourceDetails, one.details),
        "saved_at": one.saved_at.isoformat(),
    }


def _ruling_of(one: Adjudication) -> SourceRuling:
    return SourceRuling(
        one.subject,
        Grade(one.body["grade"]),
        Match(one.body["match"]),
        one.reason,
        one.adjudicator,
        tuple(label["id"] for label in one.originals),
        one.saved_at,
        one.id,
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
