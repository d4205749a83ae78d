"""Statements and claims of an answer, by the version of the rules that found them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select

from monitor.domain.claim import AnswerFormat, Claim, Statement, StatementKind
from monitor.store.parts import WHOLE, Part
from monitor.store.rows import Version, insert_many, insert_one, one_row
from monitor.store.tables import capture, claim, claim_set, reading, statement


@dataclass(frozen=True, slots=True)
class StoredStatements:
    """What one reading's text states; no statements is a finding, not a gap."""

    capture_id: int
    reading_id: int
    claims_version: str
    answer_format: AnswerFormat | None
    statements: tuple[Statement, ...]


def save_statements(
    connection: Connection,
    reading_id: int,
    statements: Sequence[Statement],
    *,
    answer_format: AnswerFormat | None,
    claims_version: Version,
    made_at: datetime,
) -> int:
    """Id of the set of statements; a reading that this version has read already is left alone."""
    columns = claim_set.c
    known = select(columns.id).where(
        columns.reading_id == reading_id, columns.claims_version == str(claims_version)
    )
    if (found := connection.execute(known).scalar()) is not None:
        return int(found)
    owner = select(reading.c.capture_id).where(reading.c.id == reading_id)
    capture_id = one_row(connection, owner, f"reading with id {reading_id}").capture_id
    row = {
        "reading_id": reading_id,
        "capture_id": capture_id,
        "claims_version": str(claims_version),
        "answer_format": answer_format.value if answer_format else None,
        "made_at": made_at,
    }
    set_id = insert_one(connection, claim_set, row)
    insert_many(connection, statement, [_statement_row(set_id, one) for one in statements])
    insert_many(
        connection, claim, [_claim_row(set_id, one) for whole in statements for one in whole.claims]
    )
    return set_id


def _statement_row(set_id: int, one: Statement) -> dict[str, Any]:
    return {
        "claim_set_id": set_id,
        "position": one.index,
        "text": one.text,
        "start_offset": one.start,
        "end_offset": one.end,
        "kind": one.kind.value,
        "citations": list(one.citations),
        "unmapped": one.unmapped,
    }


def _claim_row(set_id: int, one: Claim) -> dict[str, Any]:
    return {
        "claim_set_id": set_id,
        "statement": one.statement,
        "position": one.index,
        "text": one.text,
        "start_offset": one.start,
        "end_offset": one.end,
    }


def load_statements(connection: Connection, capture_id: int) -> StoredStatements | None:
    """Statements of the reading that counts, by the newest rules; None before they were found."""
    return _load(connection, capture.c.id == capture_id).get(capture_id)


def load_run_statements(
    connection: Connection, run_id: int, part: Part = WHOLE, *, version: Version | None = None
) -> dict[int, StoredStatements]:
    """Statements by capture id for a whole run or a part of it, in three queries.

    Those of one version, or the newest ones.
    """
    wanted = part.of_run(run_id)
    if version is not None:
        wanted &= claim_set.c.claims_version == str(version)
    return _load(connection, wanted)


def _load(connection: Connection, wanted: ColumnElement[bool]) -> dict[int, StoredStatements]:
    newest = (
        select(func.max(claim_set.c.id))
        .join_from(capture, claim_set, capture.c.reading_id == claim_set.c.reading_id)
        .where(wanted)
        .group_by(claim_set.c.reading_id)
    )
    claims = _by_set(connection, claim, newest)
    statements = _by_set(connection, statement, newest)
    query = select(claim_set).where(claim_set.c.id.in_(newest)).order_by(claim_set.c.id)
    return {
        row.capture_id: _stored_of(row, statements.get(row.id, []), claims.get(row.id, []))
        for row in connection.execute(query)
    }


def _by_set(connection: Connection, table: Table, newest: Any) -> dict[int, list[Row[Any]]]:
    """Rows of a table by set of statements, in order."""
    columns = table.c
    query = select(table).where(columns.claim_set_id.in_(newest))
    found: dict[int, list[Row[Any]]] = {}
    for row in connection.execute(query.order_by(columns.claim_set_id, columns.position)):
        found.setdefault(row.claim_set_id, []).append(row)
    return found


def _stored_of(
    row: Row[Any], statements: list[Row[Any]], claims: list[Row[Any]]
) -> StoredStatements:
    by_statement: dict[int, list[Claim]] = {}
    for one in claims:
        by_statement.setdefault(one.statement, []).append(_claim_of(one))
    return StoredStatements(
        capture_id=row.capture_id,
        reading_id=row.reading_id,
        claims_version=row.claims_version,
        answer_format=AnswerFormat(row.answer_format) if row.answer_format else None,
        statements=tuple(
            _statement_of(one, tuple(by_statement.get(one.position, ()))) for one in statements
        ),
    )


def _claim_of(row: Row[Any]) -> Claim:
    return Claim(row.position, row.statement, row.text, row.start_offset, row.end_offset)


def _statement_of(row: Row[Any], claims: tuple[Claim, ...]) -> Statement:
    return Statement(
        index=row.position,
        text=row.text,
        start=row.start_offset,
        end=row.end_offset,
        kind=StatementKind(row.kind),
        citations=tuple(row.citations),
        unmapped=row.unmapped,
        claims=claims,
    )
