"""Schema history: bring a store up to date, or say what is pending."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from monitor.errors import StoreError
from monitor.store.database import Database
from monitor.store.queue import install_queue

_HERE = Path(__file__).resolve()
_PLACES = (_HERE.parents[1] / "migrations", _HERE.parents[2] / "migrations")
"""Inside an installed package, or beside it in a checkout."""


def upgrade(database: Database, revision: str = "head") -> None:
    """Bring the schema to a revision, all or nothing; a store that is there already stays.

    On PostgreSQL the queue of the workers is made as well, where its library is installed.
    """
    _run(database, revision, command.upgrade)
    if not database.is_sqlite and revision == "head" and find_spec("pgqueuer") is not None:
        with database.migrate() as connection:
            install_queue(connection)


def downgrade(database: Database, revision: str) -> None:
    """Take the schema back to a revision (`base` drops every table), all or nothing."""
    _run(database, revision, command.downgrade)


def check(database: Database) -> str | None:
    """What is pending and what to do about it, or None when the schema is up to date."""
    history = ScriptDirectory.from_config(_config())
    head = history.get_current_head()
    with database.read() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
    if current == head:
        return None
    if current is None:
        return f"{database.shown_url} has no tables yet: run `monitor db upgrade`"
    return _newer(database, current) or (
        f"{database.shown_url} is at revision {current}, expected {head}: run `monitor db upgrade`"
    )


def _newer(database: Database, current: str) -> str | None:
    """What to do about a revision that this version does not know; None where it knows it."""
    history = ScriptDirectory.from_config(_config())
    if current in {script.revision for script in history.walk_revisions()}:
        return None
    return (
        f"{database.shown_url} is at revision {current}, which this version does not know "
        f"(it ends at {history.get_current_head()}): a newer monitor wrote it; install that version"
    )


def _run(database: Database, revision: str, step: Callable[[Config, str], None]) -> None:
    config = _config()
    with database.migrate() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
        newer = _newer(database, current) if current is not None else None
        if newer is not None:
            raise StoreError(newer)
        config.attributes["connection"] = connection
        try:
            step(config, revision)
        except CommandError as error:
            raise StoreError(f"schema of {database.shown_url}: {error}") from error


def _config() -> Config:
    place = next((place for place in _PLACES if (place / "env.py").is_file()), None)
    if place is None:
        raise StoreError(
            f"no schema history found in {' or '.join(map(str, _PLACES))}: "
            "the installation is incomplete; install the package again"
        )
    config = Config()
    # Alembic reads its options through a config parser, to which a percent sign is special.
    config.set_main_option("script_location", str(place).replace("%", "%%"))
    return config
