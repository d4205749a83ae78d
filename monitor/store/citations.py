"""Readings: what a capture's payloads say, its citations, searched sources and queries.

A reading is derived: parsing again inserts another, and the newest one counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    select,
    update,
)

from monitor.domain.engine import (
    Citation,
    Cost,
    Outcome,
    Placement,
    Reading,
    Retrieval,
    Retrieved,
    Role,
    Span,
    SpanKind,
    Usage,
)
from monitor.domain.source import UrlIdentity
from monitor.errors import StoreError
from monitor.store.codec import decode, encode
from monitor.store.parts import COUNTED, WHOLE, Part
from monitor.store.rows import (
    Version,
    chunks,
    first_time,
    identity_columns,
    identity_of,
    insert_many,
    insert_numbered,
    page_hash,
)
from monitor.store.tables import capture, citation, reading, retrieved_source, search_query


@dataclass(frozen=True, slots=True)
class StoredReading:
    """A reading with the identity of every URL in it, and the versions that made both."""

    id: int
    capture_id: int
    reading: Reading
    identities: tuple[UrlIdentity, ...]
    """One per `reading.citations`, in their order."""
    retrieved_identities: tuple[UrlIdentity, ...]
    """One per `reading.retrieved`, in their order."""
    parse_version: str
    urls_version: str
    made_at: datetime
    locale_confirmed: str | None
    """What the surface said it served, where it says; BCP 47."""


@dataclass(frozen=True, slots=True)
class FreshReading:
    """A reading about to be stored, with one identity for every URL in it."""

    capture_id: int
    reading: Reading
    identities: tuple[UrlIdentity, ...]
    retrieved_identities: tuple[UrlIdentity, ...] = ()
    locale_confirmed: str | None = None

    @property
    def citation_rows(self) -> list[dict[str, Any]]:
        """Rows of its citations."""
        return list(map(_citation_row, self.reading.citations, self.identities))

    @property
    def retrieved_rows(self) -> list[dict[str, Any]]:
        """Rows of its searched sources."""
        return list(map(_retrieved_row, self.reading.retrieved, self.retrieved_identities))

    @property
    def query_rows(self) -> list[dict[str, Any]]:
        """Rows of its search queries."""
        return [{"text": query} for query in self.reading.queries]


def save_reading(
    connection: Connection,
    capture_id: int,
    parsed: Reading,
    *,
    identities: Sequence[UrlIdentity],
    retrieved_identities: Sequence[UrlIdentity] = (),
    parse_version: Version,
    urls_version: Version,
    made_at: datetime,
    locale_confirmed: str | None = None,
) -> int:
    """Insert a reading and make it the one that counts; its capture becomes stored."""
    fresh = FreshReading(
        capture_id, parsed, tuple(identities), tuple(retrieved_identities), locale_confirmed
    )
    (reading_id,) = save_readings(
        connection,
        [fresh],
        parse_version=parse_version,
        urls_version=urls_version,
        made_at=made_at,
    )
    return reading_id


def save_readings(
    connection: Connection,
    fresh: Sequence[FreshReading],
    *,
    parse_version: Version,
    urls_version: Version,
    made_at: datetime,
) -> tuple[int, ...]:
    """Insert readings in a few statements for all of them; each becomes its capture's own."""
    for one in fresh:
        _same_length(one.reading.citations, one.identities, "citations")
        _same_length(one.reading.retrieved, one.retrieved_identities, "retrieved sources")
    made = {
        "parse_version": str(parse_version),
        "urls_version": str(urls_version),
        "made_at": made_at,
    }
    ids = insert_numbered(connection, reading, [made | _reading_row(one) for one in fresh])
    keys = [{"reading_id": i, "capture_id": f.capture_id} for i, f in zip(ids, fresh, strict=True)]
    parts = (
        (citation, [one.citation_rows for one in fresh]),
        (retrieved_source, [one.retrieved_rows for one in fresh]),
        (search_query, [one.query_rows for one in fresh]),
    )
    for table, rows in parts:
        insert_many(connection, table, list(chain.from_iterable(map(_numbered, keys, rows))))
    _count_these(connection, keys, made_at)
    return ids


def _same_length(parts: Sequence[object], identities: Sequence[object], what: str) -> None:
    if len(parts) != len(identities):
        raise StoreError(
            f"{len(parts)} {what} came with {len(identities)} URL identities: "
            "expected one each, in the same order"
        )


def _numbered(keys: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**keys, "position": position, **row} for position, row in enumerate(rows)]


def _count_these(
    connection: Connection, keys: Sequence[Mapping[str, int]], made_at: datetime
) -> None:
    counted = [
        {"counted": key["capture_id"], "reading": key["reading_id"], "at": made_at} for key in keys
    ]
    if counted and connection.execute(_COUNT_THIS, counted).rowcount != len(counted):
        ids = ", ".join(str(key["capture_id"]) for key in keys)
        raise StoreError(f"the store lacks a capture with one of the ids {ids}: plan its run first")


_COUNT_THIS = (
    update(capture)
    .where(capture.c.id == bindparam("counted"))
    .values(
        state="stored",
        reading_id=bindparam("reading"),
        stored_at=first_time(capture.c.stored_at, "at"),
    )
)


def _reading_row(fresh: FreshReading) -> dict[str, Any]:
    parsed, cost = fresh.reading, fresh.reading.cost
    return {
        "capture_id": fresh.capture_id,
        "locale_confirmed": fresh.locale_confirmed,
        "outcome": parsed.outcome.value,
        "reason": parsed.reason,
        "text": parsed.text,
        "retrieval": parsed.retrieval.value,
        "requested_model": parsed.requested_model,
        "served_model": parsed.served_model,
        "usage": encode(Usage, parsed.usage) if parsed.usage else None,
        "cost_micros": cost.micros if cost else None,
        "cost_currency": cost.currency if cost else None,
        "cost_basis": cost.basis if cost else None,
        "warnings": list(parsed.warnings),
        "shopping": parsed.shopping,
        "hidden_citations": parsed.hidden_citations,
    }


def _citation_row(cited: Citation, identity: UrlIdentity) -> dict[str, Any]:
    return {
        "raw": cited.url,
        "title": cited.title,
        "role": cited.role.value,
        "marks": cited.marks,
        "spans": [[span.start, span.end, span.kind.value] for span in cited.spans],
        "snippet": cited.snippet,
        **identity_columns(identity),
        "resolved": False,
        "placement": encode(Placement, cited.placement) if cited.placement else None,
    }


def _retrieved_row(source: Retrieved, identity: UrlIdentity) -> dict[str, Any]:
    return {
        "raw": source.url,
        "title": source.title,
        **identity_columns(identity),
        "resolved": False,
    }


def load_reading(connection: Connection, capture_id: int) -> StoredReading | None:
    """The reading of a capture that counts, or None before it was parsed."""
    return _load(connection, capture.c.id == capture_id).get(capture_id)


def load_readings(
    connection: Connection, run_id: int, part: Part = WHOLE
) -> dict[int, StoredReading]:
    """Readings that count by capture id, in four queries: of a whole run, or of a part of it."""
    return _load(connection, part.of_run(run_id))


def load_canary_readings(connection: Connection, run_id: int) -> dict[int, StoredReading]:
    """Readings of the captures of a run that ask about the locale, by capture id."""
    return _load(connection, (capture.c.run_id == run_id) & ~COUNTED)


def served_models(connection: Connection, run_id: int) -> dict[str, tuple[str, ...]]:
    """Engine -> the models that readings which count name, sorted; silent engines are absent."""
    query = (
        select(capture.c.engine, reading.c.served_model)
        .join_from(capture, reading, capture.c.reading_id == reading.c.id)
        .where(WHOLE.of_run(run_id), reading.c.served_model.is_not(None))
        .distinct()
    )
    found: dict[str, set[str]] = {}
    for row in connection.execute(query):
        if row.served_model:
            found.setdefault(row.engine, set()).add(row.served_model)
    return {engine: tuple(sorted(models)) for engine, models in sorted(found.items())}


def reading_versions(
    connection: Connection, capture_id: int
) -> tuple[tuple[int, str, datetime], ...]:
    """(id, parse version, time) of every reading of a capture, oldest first."""
    columns = reading.c
    query = (
        select(columns.id, columns.parse_version, columns.made_at)
        .where(columns.capture_id == capture_id)
        .order_by(columns.id)
    )
    return tuple((row.id, row.parse_version, row.made_at) for row in connection.execute(query))


def _load(connection: Connection, wanted: ColumnElement[bool]) -> dict[int, StoredReading]:
    cited = _by_reading(connection, citation, wanted)
    searched = _by_reading(connection, retrieved_source, wanted)
    asked = _by_reading(connection, search_query, wanted)
    query = select(reading).join_from(capture, reading, capture.c.reading_id == reading.c.id)
    rows = connection.execute(query.where(wanted).order_by(reading.c.capture_id))
    return {
        row.capture_id: _stored_of(
            row, cited.get(row.id, []), searched.get(row.id, []), asked.get(row.id, [])
        )
        for row in rows
    }


def _by_reading(
    connection: Connection, table: Table, wanted: ColumnElement[bool]
) -> dict[int, list[Row[Any]]]:
    """Rows of a table by reading, only of readings that count."""
    query: Select[Any] = (
        select(table)
        .join_from(capture, table, capture.c.reading_id == table.c.reading_id)
        .where(wanted)
        .order_by(table.c.reading_id, table.c.position)
    )
    found: dict[int, list[Row[Any]]] = {}
    for row in connection.execute(query):
        found.setdefault(row.reading_id, []).append(row)
    return found


def _stored_of(
    row: Row[Any], cited: list[Row[Any]], searched: list[Row[Any]], asked: list[Row[Any]]
) -> StoredReading:
    cost = None
    if row.cost_micros is not None:
        cost = Cost(row.cost_micros, row.cost_currency, row.cost_basis)
    parsed = Reading(
        outcome=Outcome(row.outcome),
        reason=row.reason,
        text=row.text,
        citations=tuple(_citation_of(one) for one in cited),
        retrieved=tuple(Retrieved(one.raw, one.title) for one in searched),
        queries=tuple(one.text for one in asked),
        retrieval=Retrieval(row.retrieval),
        requested_model=row.requested_model,
        served_model=row.served_model,
        usage=decode(Usage, row.usage) if row.usage else None,
        cost=cost,
        warnings=tuple(row.warnings),
        shopping=row.shopping,
        hidden_citations=row.hidden_citations,
        # No other answered reading can be stored without a text.
        without_text=row.outcome == Outcome.ANSWERED.value and not row.text.strip(),
    )
    return StoredReading(
        id=row.id,
        capture_id=row.capture_id,
        reading=parsed,
        identities=tuple(identity_of(one) for one in cited),
        retrieved_identities=tuple(identity_of(one) for one in searched),
        parse_version=row.parse_version,
        urls_version=row.urls_version,
        made_at=row.made_at,
        locale_confirmed=row.locale_confirmed,
    )


def _citation_of(row: Row[Any]) -> Citation:
    return Citation(
        url=row.raw,
        title=row.title,
        role=Role(row.role),
        marks=row.marks,
        spans=tuple(Span(start, end, SpanKind(kind)) for start, end, kind in row.spans),
        snippet=row.snippet,
        placement=decode(Placement, row.placement) if row.placement else None,
    )


def resolve_citations(
    connection: Connection, run_id: int, resolved: Mapping[str, UrlIdentity]
) -> int:
    """Give opaque redirects of a run the identity their fetch led to; the number of rows changed.

    Keys are the page keys the redirects had. `raw` stays, and a new reading starts from it again.
    """
    changed = 0
    for table in (citation, retrieved_source):
        for part in chunks(resolved.items()):
            changed += _resolve(connection, table, run_id, part)
    return changed


def load_resolved(connection: Connection, run_id: int) -> dict[str, str]:
    """Where opaque redirects of a run led, by the URL as cited; the last finding counts.

    Findings of readings that no longer count are among them: such links expire.
    """
    columns = citation.c
    query = (
        select(columns.raw, columns.clean_url)
        .join_from(citation, capture, columns.capture_id == capture.c.id)
        .where(capture.c.run_id == run_id, columns.resolved, columns.clean_url.is_not(None))
        .order_by(columns.id)
    )
    return {row.raw: row.clean_url for row in connection.execute(query)}


def _resolve(
    connection: Connection, table: Table, run_id: int, part: Sequence[tuple[str, UrlIdentity]]
) -> int:
    hashes = {page_hash(key): identity for key, identity in part}
    query = (
        select(table.c.id, table.c.page_hash)
        .join_from(capture, table, capture.c.reading_id == table.c.reading_id)
        .where(capture.c.run_id == run_id, table.c.page_hash.in_(list(hashes)))
    )
    rows = [
        {"row_id": row.id, "resolved": True, **identity_columns(hashes[row.page_hash])}
        for row in connection.execute(query)
    ]
    if rows:
        connection.execute(update(table).where(table.c.id == bindparam("row_id")), rows)
    return len(rows)
