"""Imported retrieval logs: what an engine retrieved for a prompt, as somebody's log says."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from monitor.domain.source import UrlIdentity
from monitor.store.rows import insert_new, page_hash
from monitor.store.tables import prompt_version, retrieval_log


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a log, about to be stored."""

    line: int
    """From 1."""
    prompt_version_id: int
    engine: str
    asked_at: datetime
    identity: UrlIdentity
    rank: int | None


@dataclass(frozen=True, slots=True)
class LoggedPage:
    """A page that a log says was retrieved."""

    prompt_id: str
    version_key: str
    engine: str
    asked_at: datetime
    page_key: str
    rank: int | None


def save_log(
    connection: Connection, panel: str, lines: Sequence[LogLine], *, file_sha256: str
) -> int:
    """Store the lines of a file; how many are new, which is none for the same file again."""
    rows = [
        {
            "panel": panel,
            "prompt_version_id": one.prompt_version_id,
            "engine": one.engine,
            "asked_at": one.asked_at,
            "raw": one.identity.raw,
            "clean_url": one.identity.clean_url,
            "page_key": one.identity.page_key,
            "page_hash": page_hash(one.identity.page_key) if one.identity.page_key else None,
            "family": one.identity.family,
            "rank": one.rank,
            "file_sha256": file_sha256,
            "line": one.line,
        }
        for one in lines
    ]
    return sum(
        insert_new(connection, retrieval_log, rows[at : at + _AT_ONCE])
        for at in range(0, len(rows), _AT_ONCE)
    )


_AT_ONCE = 4000


def load_log(
    connection: Connection, panel: str, *, since: datetime, until: datetime
) -> tuple[LoggedPage, ...]:
    """Pages logged for a panel between two moments, both counted, oldest first."""
    columns = retrieval_log.c
    query = (
        select(
            prompt_version.c.prompt_id,
            prompt_version.c.version_key,
            columns.engine,
            columns.asked_at,
            columns.page_key,
            columns.rank,
        )
        .join_from(retrieval_log, prompt_version)
        .where(columns.panel == panel, columns.asked_at.between(since, until))
        .where(columns.page_key.is_not(None))
        .order_by(columns.asked_at, columns.id)
    )
    return tuple(LoggedPage(*row) for row in connection.execute(query))
