"""Pages, what fetching them gave in a run, and which of them are copies of one text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, ScalarSelect, Select, func, select

from monitor.domain.page import Copy, Fetched, FetchStatus, PageText
from monitor.store import notes
from monitor.store.rows import (
    Version,
    chunks,
    insert_many,
    insert_new,
    insert_one,
    one_row,
    page_hash,
)
from monitor.store.tables import evidence_group, group_set, page, page_copy, page_fetch


class Page(NamedTuple):
    """A page by its identity, with an address that is safe to open."""

    page_key: str
    url: str
    family: str | None


@dataclass(frozen=True, slots=True)
class StoredFetch:
    """One fetch of a page for a run; bytes and text lie among the artifacts."""

    id: int
    run_id: int
    page_id: int
    page_key: str
    fetched: Fetched
    """Its `body` is empty: read it by `body_sha256`."""
    body_sha256: str | None
    text_sha256: str | None
    about: PageText | None
    """Its `text` is empty: read it by `text_sha256`. None when no text was extracted."""
    pages_version: str

    def page_text(self, text: str) -> PageText | None:
        """What the page says, with its text put back."""
        return None if self.about is None else replace(self.about, text=text)


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Pages that carry one text: one piece of independent evidence."""

    key: str
    pages: tuple[str, ...]
    """Page keys, in order."""
    original: str | None = None
    """Page key of the known original, else None."""


def save_pages(
    connection: Connection, pages: Iterable[tuple[str, str, str | None]], *, seen_at: datetime
) -> dict[str, int]:
    """Ids by page key; pages that are new are inserted, known ones keep their first address."""
    wanted = {one[0]: Page(*one) for one in pages}
    hashes = {key: page_hash(key) for key in wanted}
    rows = [
        {
            "page_key": key,
            "page_hash": hashes[key],
            "url": one.url,
            "family": one.family,
            "seen_at": seen_at,
        }
        for key, one in wanted.items()
    ]
    insert_new(connection, page, rows)
    ids: dict[str, int] = {}
    for part in chunks(hashes.values()):
        query = select(page.c.page_hash, page.c.id).where(page.c.page_hash.in_(part))
        ids |= {row.page_hash: row.id for row in connection.execute(query)}
    return {key: ids[hashed] for key, hashed in hashes.items()}


def save_page(
    connection: Connection, page_key: str, url: str, family: str | None, *, seen_at: datetime
) -> int:
    """Id of a page, inserted when it is new."""
    return save_pages(connection, [(page_key, url, family)], seen_at=seen_at)[page_key]


def load_page(connection: Connection, page_id: int) -> Page:
    """Page of that id; StoreError when there is none."""
    row = one_row(connection, select(page).where(page.c.id == page_id), f"page with id {page_id}")
    return Page(row.page_key, row.url, row.family)


def load_page_id(connection: Connection, page_key: str) -> int | None:
    """Id of a page by its key, or None when it was never seen."""
    query = select(page.c.id).where(page.c.page_hash == page_hash(page_key))
    return connection.execute(query).scalar()


def save_fetch(
    connection: Connection,
    run_id: int,
    page_id: int,
    fetched: Fetched,
    *,
    body_sha256: str | None,
    text_sha256: str | None,
    about: PageText | None,
    pages_version: Version,
) -> int:
    """Insert one fetch of a page for a run; the newest one of the run counts."""
    row = {
        "run_id": run_id,
        "page_id": page_id,
        "url": fetched.url,
        "status": fetched.status.value,
        "http_status": fetched.http_status,
        "final_url": fetched.final_url,
        "hops": list(fetched.hops),
        "media_type": fetched.media_type,
        "charset": fetched.charset,
        "fetched_at": fetched.fetched_at,
        "detail": fetched.detail,
        "body_sha256": body_sha256,
        "text_sha256": text_sha256,
        "pages_version": str(pages_version),
    }
    notes.clear(connection, [body_sha256, text_sha256])
    return insert_one(connection, page_fetch, row | _about_columns(about))


def _about_columns(about: PageText | None) -> dict[str, Any]:
    if about is None:
        return {"has_text": False, "paywalled": False}
    return {
        "has_text": True,
        "title": about.title,
        "canonical": about.canonical,
        "canonical_key": about.page_key,
        "syndicated_from": about.syndicated_from,
        "published": about.published,
        "updated": about.updated,
        "paywalled": about.paywalled,
    }


def load_fetches(
    connection: Connection, run_id: int, keys: Iterable[str] | None = None
) -> dict[str, StoredFetch]:
    """The newest fetch of each page of a run, or of those with some keys, by page key."""
    newest = select(func.max(page_fetch.c.id)).where(page_fetch.c.run_id == run_id)
    if keys is None:
        return _newest(connection, newest)
    found: dict[str, StoredFetch] = {}
    for part in chunks({page_hash(key) for key in keys}):
        ids = select(page.c.id).where(page.c.page_hash.in_(part))
        found |= _newest(connection, newest.where(page_fetch.c.page_id.in_(ids)))
    return found


def load_moved(connection: Connection, run_id: int) -> dict[str, StoredFetch]:
    """Fetches of a run, by page key, that ended at another address or name another as theirs."""
    columns = page_fetch.c
    newest = select(func.max(columns.id)).where(columns.run_id == run_id)
    elsewhere = columns.canonical_key.is_not(None) | (columns.final_url != columns.url)
    return _newest(connection, newest, elsewhere)


def fetch_mark(connection: Connection, run_id: int) -> int:
    """The newest fetch of a run: another mark, other pages; 0 for none."""
    query = select(func.max(page_fetch.c.id)).where(page_fetch.c.run_id == run_id)
    return connection.execute(query).scalar() or 0


def _newest(
    connection: Connection, newest: Select[Any], *wanted: ColumnElement[bool]
) -> dict[str, StoredFetch]:
    ids = newest.group_by(page_fetch.c.page_id)
    query = _fetches().where(page_fetch.c.id.in_(ids), *wanted).order_by(page_fetch.c.id)
    return {row.page_key: _fetch_of(row) for row in connection.execute(query)}


def count_fetched(connection: Connection, run_id: int) -> int:
    """How many pages of a run were fetched."""
    query = select(func.count(page_fetch.c.page_id.distinct()))
    return int(connection.execute(query.where(page_fetch.c.run_id == run_id)).scalar_one())


def load_fetch(connection: Connection, run_id: int, page_id: int) -> StoredFetch | None:
    """The newest fetch of one page for a run, or None before it was fetched."""
    query = _fetches().where(page_fetch.c.run_id == run_id, page_fetch.c.page_id == page_id)
    row = connection.execute(query.order_by(page_fetch.c.id.desc()).limit(1)).first()
    return None if row is None else _fetch_of(row)


def _fetches() -> Select[Any]:
    return select(page_fetch, page.c.page_key).join_from(page_fetch, page)


def _fetch_of(row: Row[Any]) -> StoredFetch:
    fetched = Fetched(
        url=row.url,
        status=FetchStatus(row.status),
        http_status=row.http_status,
        final_url=row.final_url,
        hops=tuple(row.hops),
        media_type=row.media_type,
        charset=row.charset,
        fetched_at=row.fetched_at,
        detail=row.detail,
    )
    return StoredFetch(
        id=row.id,
        run_id=row.run_id,
        page_id=row.page_id,
        page_key=row.page_key,
        fetched=fetched,
        body_sha256=row.body_sha256,
        text_sha256=row.text_sha256,
        about=_about_of(row) if row.has_text else None,
        pages_version=row.pages_version,
    )


def _about_of(row: Row[Any]) -> PageText:
    return PageText(
        text="",
        title=row.title,
        canonical=row.canonical,
        page_key=row.canonical_key,
        syndicated_from=row.syndicated_from,
        published=row.published,
        updated=row.updated,
        paywalled=row.paywalled,
    )


def save_groups(
    connection: Connection,
    run_id: int,
    groups: Sequence[EvidenceGroup],
    copies: Sequence[Copy] = (),
    *,
    version: Version,
) -> int:
    """Insert the evidence groups of a run and the copies behind them; the newest set counts."""
    row = {"run_id": run_id, "pages_version": str(version)}
    set_id = insert_one(connection, group_set, row)
    members = [
        _member_row(set_id, group, position, page_key)
        for group in groups
        for position, page_key in enumerate(dict.fromkeys(group.pages))
    ]
    insert_many(connection, evidence_group, members)
    insert_many(connection, page_copy, [_copy_row(set_id, n, c) for n, c in enumerate(copies)])
    return set_id


def _member_row(set_id: int, group: EvidenceGroup, position: int, page_key: str) -> dict[str, Any]:
    return {
        "group_set_id": set_id,
        "page_hash": page_hash(page_key),
        "page_key": page_key,
        "group_key": group.key,
        "position": position,
        "original": group.original,
    }


def _copy_row(set_id: int, position: int, one: Copy) -> dict[str, Any]:
    return {
        "group_set_id": set_id,
        "position": position,
        "page_a": one.a,
        "page_b": one.b,
        "containment": one.containment,
        "shared": one.shared,
    }


def _newest_set(run_id: int) -> ScalarSelect[Any]:
    query = select(func.max(group_set.c.id)).where(group_set.c.run_id == run_id)
    return query.scalar_subquery()


def load_groups(
    connection: Connection, run_id: int, keys: Iterable[str] | None = None
) -> tuple[EvidenceGroup, ...]:
    """The newest evidence groups of a run, by key, their pages in the order given.

    With `keys`, those of some pages, and only these among their pages.
    """
    columns = evidence_group.c
    query = select(evidence_group).where(columns.group_set_id == _newest_set(run_id))
    members: dict[str, list[str]] = {}
    originals: dict[str, str | None] = {}
    if keys is None:
        rows = list(connection.execute(query))
    else:
        parts = chunks({page_hash(key) for key in keys})
        rows = [
            row
            for part in parts
            for row in connection.execute(query.where(columns.page_hash.in_(part)))
        ]
    for row in sorted(rows, key=attrgetter("group_key", "position")):
        members.setdefault(row.group_key, []).append(row.page_key)
        originals[row.group_key] = row.original
    return tuple(EvidenceGroup(key, tuple(keys), originals[key]) for key, keys in members.items())


def load_copies(connection: Connection, run_id: int) -> tuple[Copy, ...]:
    """Pairs of pages found to overlap in a run, as they were saved last."""
    columns = page_copy.c
    query = select(page_copy).where(columns.group_set_id == _newest_set(run_id))
    rows = connection.execute(query.order_by(columns.position))
    return tuple(Copy(row.page_a, row.page_b, row.containment, row.shared) for row in rows)
