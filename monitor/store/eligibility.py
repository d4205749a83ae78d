"""Checks of baseline pages: every one is kept, and the newest of a page counts."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from monitor.domain.eligibility import SourceCheck
from monitor.store.codec import decode, encode
from monitor.store.rows import Version, insert_many, page_hash
from monitor.store.tables import eligibility, retrieval_log


def save_checks(
    connection: Connection,
    panel: str,
    checks: Sequence[SourceCheck],
    *,
    baseline: str,
    version: Version,
) -> None:
    """Keep checks of a panel's pages beside those of before."""
    rows = [
        {
            "panel": panel,
            "baseline": baseline,
            "url": one.url,
            "page_key": one.page_key,
            "page_hash": page_hash(one.page_key),
            "body": encode(SourceCheck, one),
            "checks_version": str(version),
            "checked_at": one.checked_at,
        }
        for one in checks
    ]
    insert_many(connection, eligibility, rows)


def load_checks(connection: Connection, panel: str) -> dict[str, SourceCheck]:
    """The newest check of each page of a panel, by page key."""
    columns = eligibility.c
    newest = select(func.max(columns.id)).where(columns.panel == panel).group_by(columns.page_hash)
    query = select(columns.page_key, columns.body).where(columns.id.in_(newest))
    rows = connection.execute(query.order_by(columns.id))
    return {row.page_key: decode(SourceCheck, row.body) for row in rows}


def eligibility_mark(connection: Connection, panel: str) -> tuple[int, int]:
    """Newest check and newest line of a retrieval log of a panel; 0 for none."""
    newest = (
        select(func.max(table.c.id)).where(table.c.panel == panel)
        for table in (eligibility, retrieval_log)
    )
    checks, logs = (connection.execute(query).scalar() for query in newest)
    return checks or 0, logs or 0
