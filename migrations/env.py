"""How Alembic meets the store: one history for SQLite and PostgreSQL, in batch mode."""

from typing import Any

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection
from sqlalchemy.types import TypeDecorator

from monitor.store.database import open_database
from monitor.store.tables import metadata
from monitor.store.types import CleanJson


def include_name(name: str | None, kind: str, _parents: object) -> bool:
    """Leave tables alone that are not ours, such as those of a job queue."""
    return kind != "table" or name in metadata.tables


def render_type(kind: str, value: Any, autogen: AutogenContext) -> str | bool:
    """Write our column types as the plain ones they stand on: history outlives our classes."""
    if kind != "type" or not isinstance(value, TypeDecorator):
        return False
    if isinstance(value, CleanJson):
        autogen.imports.add("from sqlalchemy.dialects import postgresql")
        return "sa.JSON().with_variant(postgresql.JSONB(), 'postgresql')"
    return f"sa.{value.impl!r}"


def migrate_with(connection: Connection) -> None:
    """Run the pending steps on a connection whose transaction the caller owns."""
    context.configure(
        connection=connection,
        target_metadata=metadata,
        include_name=include_name,
        render_item=render_type,
        render_as_batch=True,
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def migrate_alone() -> None:
    """Open the database that `-x url=...` or alembic.ini names, and migrate it."""
    given = context.get_x_argument(as_dictionary=True).get("url")
    database = open_database(given or str(context.config.get_main_option("sqlalchemy.url")))
    with database.migrate() as connection:
        migrate_with(connection)
    database.close()


if context.config.attributes.get("connection") is not None:
    migrate_with(context.config.attributes["connection"])
else:
    migrate_alone()
