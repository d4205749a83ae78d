"""Sources that people grade for a draft, and the pages that a run's answers cite."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from monitor.domain.drafted import PooledSource, PoolNote
from monitor.domain.engine import VISIBLE
from monitor.store import notes
from monitor.store.codec import decode, encode
from monitor.store.parts import WHOLE
from monitor.store.rows import chunks, insert_new, page_hash
from monitor.store.tables import (
    capture,
    citation,
    page,
    page_fetch,
    pool_source,
    prompt_version,
)


def add_sources(
    connection: Connection, draft_id: int, sources: Sequence[PooledSource], *, at: datetime
) -> int:
    """Add sources that the pool of their prompt lacks; how many those are."""
    notes.clear(connection, [one.text_sha256 for one in sources])
    return insert_new(connection, pool_source, [_row(draft_id, one, at) for one in sources])


def load_pool(
    connection: Connection, draft_id: int, prompt: str | None = None
) -> tuple[PooledSource, ...]:
    """Sources of a draft by prompt and position."""
    columns = pool_source.c
    chosen = [columns.draft_id == draft_id]
    if prompt is not None:
        chosen.append(columns.prompt == prompt)
    query = select(pool_source).where(*chosen)
    rows = connection.execute(query.order_by(columns.prompt, columns.position, columns.id))
    return tuple(_source_of(row) for row in rows)


def set_fetched(connection: Connection, draft_id: int, source: PooledSource) -> None:
    """Put down what a page's own fetch gave: title, text, dates."""
    columns = pool_source.c
    notes.clear(connection, [source.text_sha256])
    connection.execute(
        update(pool_source)
        .where(
            columns.draft_id == draft_id,
            columns.prompt == source.prompt,
            columns.page_hash == source.page_hash,
        )
        .values(
            title=source.title,
            text_sha256=source.text_sha256,
            origins=encode(PoolNote, source.note),
        )
    )


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page that answers of a run to one prompt cite."""

    prompt: str
    page_key: str
    url: str
    family: str | None
    engines: tuple[str, ...]
    answers: int


def cited_pages(connection: Connection, run_id: int) -> tuple[CitedPage, ...]:
    """Pages that answers of a run visibly cite, by prompt; redirects that led nowhere are out."""
    columns = citation.c
    query = (
        select(
            prompt_version.c.prompt_id,
            columns.page_key,
            capture.c.engine,
            func.min(columns.clean_url).label("url"),
            func.min(columns.family).label("family"),
            func.count(columns.capture_id.distinct()).label("answers"),
        )
        .join_from(capture, citation, capture.c.reading_id == columns.reading_id)
        .join(prompt_version, capture.c.prompt_version_id == prompt_version.c.id)
        .where(
            WHOLE.of_run(run_id),
            columns.role.in_(sorted(role.value for role in VISIBLE)),
            columns.page_key.is_not(None),
            columns.clean_url.is_not(None),
            columns.family.is_not(None),
        )
        .group_by(prompt_version.c.prompt_id, columns.page_key, capture.c.engine)
        .order_by(prompt_version.c.prompt_id, columns.page_key, capture.c.engine)
    )
    found: dict[tuple[str, str], list[Row[Any]]] = {}
    for row in connection.execute(query):
        found.setdefault((row.prompt_id, row.page_key), []).append(row)
    return tuple(_cited(rows) for rows in found.values())


@dataclass(frozen=True, slots=True)
class FetchedText:
    """What the newest fetch of a page with text gave, in whichever run."""

    title: str | None
    text_sha256: str
    published: date | None
    updated: date | None
    fetched_at: datetime | None


def fetched_texts(connection: Connection, page_keys: Collection[str]) -> dict[str, FetchedText]:
    """The newest text of each of these pages that any run fetched, by page key."""
    hashes = {page_hash(key): key for key in page_keys}
    columns = page_fetch.c
    found: dict[str, FetchedText] = {}
    for part in chunks(hashes):
        newest = (
            select(func.max(columns.id))
            .join_from(page, page_fetch)
            .where(page.c.page_hash.in_(part), columns.text_sha256.is_not(None))
            .group_by(columns.page_id)
        )
        query = select(page.c.page_hash, page_fetch).join_from(page, page_fetch)
        for row in connection.execute(query.where(columns.id.in_(newest))):
            found[hashes[row.page_hash]] = FetchedText(
                row.title, row.text_sha256, row.published, row.updated, row.fetched_at
            )
    return found


def _cited(rows: Sequence[Row[Any]]) -> CitedPage:
    first = rows[0]
    return CitedPage(
        first.prompt_id,
        first.page_key,
        min(row.url for row in rows),
        first.family,
        tuple(row.engine for row in rows),
        sum(row.answers for row in rows),
    )


def _row(draft_id: int, one: PooledSource, at: datetime) -> dict[str, Any]:
    return {
        "draft_id": draft_id,
        "prompt": one.prompt,
        "position": one.position,
        "url": one.url,
        "page_key": one.page_key,
        "page_hash": one.page_hash,
        "family": one.family,
        "title": one.title,
        "text_sha256": one.text_sha256,
        "origins": encode(PoolNote, one.note),
        "annotators": list(one.annotators),
        "added_at": at,
    }


def _source_of(row: Row[Any]) -> PooledSource:
    return PooledSource(
        row.prompt,
        row.position,
        row.url,
        row.page_key,
        row.page_hash,
        row.family,
        row.title,
        row.text_sha256,
        decode(PoolNote, row.origins),
        tuple(row.annotators),
    )
