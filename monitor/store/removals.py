"""Bytes that retention took away: what may go, what went, and when.

A note is committed before its bytes are removed and marked once they are gone, so that no row ever
points at missing bytes without a note. Whoever stores the same bytes again clears the note.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    inspect,
    not_,
    or_,
    select,
    text,
    union,
    update,
)

from monitor.errors import StoreError
from monitor.store.evidence import EvidenceKind
from monitor.store.rows import chunks, insert_new
from monitor.store.runs import FINAL, RunState
from monitor.store.tables import (
    capture,
    page_fetch,
    payload,
    pool_source,
    proof,
    removed_artifact,
    run,
    screenshot,
    snapshot,
)

_TABLES = {
    EvidenceKind.SNAPSHOT: snapshot,
    EvidenceKind.MANIFEST: proof,
    EvidenceKind.SIGNATURE: proof,
    EvidenceKind.STAMP: proof,
}
"""Kinds whose tables are younger than the first stores."""

Limits = Mapping[EvidenceKind, datetime]
"""Kind of bytes -> runs that ended before this moment do not keep theirs; no entry: for ever."""


def referenced(connection: Connection) -> set[str]:
    """Every hash that a row refers to, those of removed bytes included.

    A store of an older version lacks some tables, and has nothing of their kinds.
    """
    there = set(inspect(connection).get_table_names())
    kinds = (kind for kind in EvidenceKind if _TABLES.get(kind, payload).name in there)
    uses = [_uses(kind) for kind in kinds]
    if pool_source.name in there:
        uses.append(_pooled())
    return set(connection.execute(union(*uses)).scalars())


def removable(
    connection: Connection,
    kind: EvidenceKind,
    limits: Limits,
    among: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """Hashes of one kind that only runs past their limit refer to, and that are not removed yet.

    `among` looks at those alone.
    """
    if kind not in limits:
        return ()
    gone = select(removed_artifact.c.sha256).where(removed_artifact.c.gone)
    wanted = _uses(kind).where(_past(limits[kind]))
    kept = [*(_keepers(one, limits) for one in EvidenceKind), _pooled()]
    if among is not None:
        wanted, *kept = (q.where(q.selected_columns[0].in_(among)) for q in (wanted, *kept))
    query = wanted.except_(*kept, gone)
    return tuple(sorted(connection.execute(query).scalars()))


def note(connection: Connection, kind: EvidenceKind, hashes: Sequence[str], at: datetime) -> None:
    """Note that bytes are about to be removed."""
    rows = [{"sha256": one, "kind": kind.value, "removed_at": at, "gone": False} for one in hashes]
    insert_new(connection, removed_artifact, rows)


def pending(connection: Connection) -> tuple[tuple[str, EvidenceKind], ...]:
    """Noted bytes that may still be there: a removal was cut between note and deed."""
    columns = removed_artifact.c
    query = select(columns.sha256, columns.kind).where(not_(columns.gone)).order_by(columns.sha256)
    return tuple((row.sha256, EvidenceKind(row.kind)) for row in connection.execute(query))


def confirm(connection: Connection, hashes: Iterable[str]) -> None:
    """Mark noted bytes as gone."""
    for part in chunks(hashes):
        connection.execute(
            update(removed_artifact).where(removed_artifact.c.sha256.in_(part)).values(gone=True)
        )


def hold_runs(connection: Connection) -> None:
    """Keep every run from starting until this transaction ends; StoreError while one is at work.

    On SQLite the writing transaction does so by itself.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE run IN SHARE MODE"))
    refuse_worked_on(connection)


def refuse_worked_on(connection: Connection) -> None:
    """StoreError naming the runs that workers are at; one process alone is told by its lock."""
    at_work = (run.c.state == RunState.RUNNING.value, run.c.stage.is_not(None))
    query = select(run.c.public_id).where(*at_work).order_by(run.c.id)
    names = tuple(connection.execute(query).scalars())
    if names:
        raise StoreError(
            f"{', '.join(names[:5])}: workers are at it; let it end, or `monitor cancel` it, and "
            "try again"
        )


def _uses(kind: EvidenceKind) -> Select[Any]:
    """Hashes of one kind with the run that each belongs to."""
    match kind:
        case EvidenceKind.PAYLOAD:
            return select(payload.c.sha256).join_from(payload, capture).join(run)
        case EvidenceKind.SCREENSHOT:
            return select(screenshot.c.sha256).join_from(screenshot, capture).join(run)
        case EvidenceKind.PAGE:
            column = page_fetch.c.body_sha256
        case EvidenceKind.TEXT:
            column = page_fetch.c.text_sha256
        case EvidenceKind.SNAPSHOT:
            return select(snapshot.c.sha256).join_from(snapshot, capture).join(run)
        case EvidenceKind.MANIFEST | EvidenceKind.SIGNATURE | EvidenceKind.STAMP:
            named = proof.c[f"{kind.value}_sha256"]
            query = select(named).join_from(proof, capture).join(run)
            return query.where(named.is_not(None))
    return select(column).join_from(page_fetch, run).where(column.is_not(None))


def _pooled() -> Select[Any]:
    """Hashes of the texts that people grade sources by: no run's limit takes them."""
    return select(pool_source.c.text_sha256).where(pool_source.c.text_sha256.is_not(None))


def _past(limit: datetime) -> ColumnElement[bool]:
    """Whether a run ended, and before a limit."""
    final = run.c.state.in_([state.value for state in FINAL])
    return and_(final, run.c.finished_at < limit)


def _keepers(kind: EvidenceKind, limits: Limits) -> Select[Any]:
    """Hashes of one kind that a run still keeps."""
    if kind not in limits:
        return _uses(kind)
    return _uses(kind).where(or_(run.c.finished_at.is_(None), not_(_past(limits[kind]))))
