"""Where a database is, from its URL: read strictly, and told without a password in it."""

import os
from pathlib import Path
from urllib.parse import unquote

from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from monitor.config.settings import secret
from monitor.errors import StoreError

_PLAIN = frozenset({"host", "hostaddr", "port", "service", "sslmode", "connect_timeout"})
"""Options whose values are told; any other one, or a slip of the pen, may hold a password."""


def database_address(url: str) -> URL:
    """Parsed URL with our drivers; the folder of an SQLite file is made."""
    try:
        if "\0" in unquote(url):
            raise ValueError
        address = make_url(url)
    except (ArgumentError, ValueError):  # a port that is no number is a ValueError
        # Not a word of it, nor of the error: where it is misread, its password is anywhere.
        raise StoreError(
            "the URL of a database cannot be read: expected sqlite:///path/to/file.db "
            "or postgresql://user@host/name"
        ) from None
    if address.drivername in {"postgres", "postgresql"}:
        address = address.set(drivername="postgresql+psycopg")
    if address.drivername not in {"sqlite", "postgresql+psycopg"}:
        raise StoreError(unknown_kind(address.drivername))
    if address.drivername == "sqlite":
        if address.query:
            raise StoreError("the URL of an SQLite store has no options: leave out `?` and more")
        _make_folder(address.database)
        return address
    _refuse_ambiguous(url)
    return _with_password(address)


def shown(address: URL) -> str:
    """An address without a password, and without the values of options that may be one."""
    hidden = {name: "***" for name in address.query if name not in _PLAIN}
    return address.update_query_dict(hidden).render_as_string(hide_password=True)


def _refuse_ambiguous(url: str) -> None:
    """StoreError where a part of the password would be taken for the host, and told as such."""
    if url.partition("?")[0].count("@") > 1:
        raise StoreError(
            "the URL of a database has more than one @: write those of the password as %40 (and "
            "/ as %2F, : as %3A), or leave the password to PGPASSWORD_FILE"
        )


def _with_password(address: URL) -> URL:
    """The address with the password of PGPASSWORD_FILE; the other ways libpq finds by itself."""
    if address.password is None and os.environ.get("PGPASSWORD_FILE"):
        return address.set(password=secret("PGPASSWORD"))
    return address


def unknown_kind(name: str) -> str:
    """What to say of a kind of database that is none of ours."""
    return f"database kind {name!r} is unknown: expected sqlite or postgresql"


def _make_folder(path: str | None) -> None:
    if not path or path == ":memory:" or path.startswith("file:"):
        raise StoreError(
            f"an SQLite store needs a plain file, got {path or 'no path'!r}: "
            "write sqlite:///data/monitor.db"
        )
    if path.endswith(".lock"):
        raise StoreError(f"{path}: a store cannot be called so, for it would be its own lock file")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder of the database {path}: {error}") from error
