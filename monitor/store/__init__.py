"""The store: tables, saved and loaded as domain values, and bytes under their hash.

Functions live in modules by noun (panels, runs, captures, citations, pages, claims, verdicts,
scores, spend, screenshots, manifest) and take an open connection first: from `Database.read()`
or `Database.write()` in a thread, or inside `Writer.do(...)`.
"""

from sqlalchemy import Connection

from monitor.store.artifacts import StoredArtifacts, open_artifacts
from monitor.store.database import Database, open_database
from monitor.store.migrate import check, downgrade, upgrade
from monitor.store.writer import Writer

__all__ = [
    "Connection",
    "Database",
    "StoredArtifacts",
    "Writer",
    "check",
    "downgrade",
    "open_artifacts",
    "open_database",
    "upgrade",
]
