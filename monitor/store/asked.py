"""What the captures of a run asked, what engines searched for, and by which rules that was read."""

from sqlalchemy import Connection, func, select

from monitor.store.parts import WHOLE
from monitor.store.rows import Version
from monitor.store.tables import capture, prompt_version, reading, search_query


def prompt_versions(connection: Connection, run_id: int) -> dict[int, str]:
    """Capture id -> `prompt id@version key` of what it asks, for a whole run."""
    columns = prompt_version.c
    query = (
        select(capture.c.id, columns.prompt_id, columns.version_key)
        .join_from(capture, prompt_version)
        .where(WHOLE.of_run(run_id))
    )
    return {row.id: f"{row.prompt_id}@{row.version_key}" for row in connection.execute(query)}


def load_queries(connection: Connection, run_id: int) -> dict[str, dict[str, set[str]]]:
    """Engine -> `prompt id@version key` -> queries that readings which count tell, case folded."""
    versions = prompt_version.c
    query = (
        select(capture.c.engine, versions.prompt_id, versions.version_key, search_query.c.text)
        .join_from(capture, search_query, capture.c.reading_id == search_query.c.reading_id)
        .join(prompt_version, capture.c.prompt_version_id == versions.id)
        .where(WHOLE.of_run(run_id))
    )
    found: dict[str, dict[str, set[str]]] = {}
    for row in connection.execute(query):
        own = found.setdefault(row.engine, {})
        own.setdefault(f"{row.prompt_id}@{row.version_key}", set()).add(row.text.casefold())
    return found


def count_outdated(
    connection: Connection, run_id: int, *, parse_version: Version, urls_version: Version
) -> int:
    """Readings of a run that count, and that other rules of reading or of URLs made."""
    columns = reading.c
    query = select(func.count(columns.id)).join_from(
        capture, reading, capture.c.reading_id == columns.id
    )
    other = (columns.parse_version != str(parse_version)) | (
        columns.urls_version != str(urls_version)
    )
    return int(connection.execute(query.where(capture.c.run_id == run_id, other)).scalar_one())
