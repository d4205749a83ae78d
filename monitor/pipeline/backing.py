"""A store of SQLite in a folder of its own, made while runs go on, and put back from there.

Rows come first: bytes are stored before the row that refers to them, so whatever a row of the copy
refers to lies in the artifacts when they are copied. The list of pointers comes before that of the
bytes, for the same reason. What names the copy comes last, so a backup that is cut leaves the one
before it as it was.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from monitor.capture.clock import SystemClock
from monitor.config.settings import Settings
from monitor.errors import StoreError
from monitor.pipeline.bench import Progress, silent
from monitor.pipeline.exporting import write_text
from monitor.pipeline.transferring import copy_bytes, copy_pointers, each
from monitor.pipeline.verifying import bodies_of
from monitor.store import (
    Database,
    StoredArtifacts,
    check,
    notes,
    open_artifacts,
    open_database,
    removals,
)

SCHEMA = "monitor-backup-1"
_MANIFEST = "backup.json"
_BYTES = "artifacts"
_DRAFT = "rows.part"
_ROWS = re.compile(r"rows-[0-9a-f]{16}\.db")


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What a backup holds."""

    artifacts: int
    added: int
    """Artifacts that this time added."""
    pointers: int
    missing: tuple[str, ...]
    """What its rows and pointers refer to and it does not hold, one line each."""


def backup_store(settings: Settings, folder: Path, progress: Progress = silent) -> BackedUp:
    """Copy rows, bytes and pointers of a store to a folder; what is there already stays."""
    with _local(settings, "backup") as database, database.exclusive("bytes"):
        path = _file_of(settings)
        if not path.exists():
            raise StoreError(f"{path}: no store there to back up; check `store.database`")
        source = open_artifacts(settings.store.artifacts)
        _refuse_foreign(folder, database.shown_url)
        if _overlap(folder / _BYTES, source.place) or _overlap(folder, source.place, inside=True):
            raise StoreError(f"{folder} is where the artifacts are: name another folder")
        kept = open_artifacts(folder / _BYTES)
        draft = folder / _DRAFT
        _discard(draft)
        progress("rows", 0, 1)
        database.snapshot(draft)
        progress("rows", 1, 1)
        names = source.names()
        before = len(set(kept.hashes()))
        broken = copy_bytes(source, kept, progress)
        lost = copy_pointers(source, kept, names, progress)
        after = set(kept.hashes())
        missing = _missing(draft, kept, after) - set(broken)
        pointers = len(names) - len(lost)
        _sign(folder, draft, database.shown_url, artifacts=len(after), pointers=pointers)
        told = (
            *(f"artifact {one}: altered in the store, not copied" for one in broken),
            *(f"pointer {one}: names no bytes in the store, not copied" for one in lost),
            *(f"artifact {one}: missing in the store too" for one in sorted(missing)),
        )
        return BackedUp(len(after), len(after) - before, pointers, told)


def restore_store(settings: Settings, folder: Path, progress: Progress = silent) -> BackedUp:
    """Put a backup back into empty places; the rows come last, so that a cut one can go on."""
    manifest = _read_manifest(folder)
    rows = folder / manifest["rows"]
    if not rows.is_file() or rows.is_symlink() or _sha256(rows) != manifest["rows_sha256"]:
        raise StoreError(f"{rows}: missing or altered since the backup; take another backup")
    path = _file_of(settings)
    leftovers = [one for one in _companions(path) if one.exists()]
    if leftovers:
        raise StoreError(
            f"{leftovers[0]} is there already: restore into an empty place, or move it away"
        )
    for place in (path, settings.store.artifacts):
        if _overlap(place, folder, inside=True):
            raise StoreError(f"{place} is in the backup itself: restore to another place")
    kept, target = open_artifacts(folder / _BYTES), open_artifacts(settings.store.artifacts)
    names = kept.names()
    foreign = sorted(set(target.names()) - set(names))
    if foreign:
        raise StoreError(
            f"{target.place} holds what is not of this backup (pointer {foreign[0]}): "
            "restore into an empty place"
        )
    before = len(set(target.hashes()))
    copy_bytes(kept, target, progress)
    lost = copy_pointers(kept, target, names, progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.part")
    _discard(draft)
    shutil.copyfile(rows, draft)
    after = set(target.hashes())
    missing = _missing(draft, target, after)
    draft.replace(path)
    told = (
        *(f"pointer {one}: names no bytes in the backup, not copied" for one in lost),
        *(f"artifact {one}: not whole in the backup" for one in sorted(missing)),
    )
    return BackedUp(len(after), len(after) - before, len(names) - len(lost), told)


def _overlap(one: Path | str, other: Path | str, *, inside: bool = False) -> bool:
    """Whether two folders are the same, or one in the other; `inside`: only the first one may be.

    The URL of a bucket is no folder.
    """
    if "://" in f"{one}{other}":
        return False
    first, second = Path(one).resolve(), Path(other).resolve()
    return first.is_relative_to(second) or (not inside and second.is_relative_to(first))


@contextmanager
def _local(settings: Settings, what: str) -> Iterator[Database]:
    """The database of the settings, where it is a file."""
    if not settings.store.database.startswith("sqlite:"):
        raise StoreError(
            f"`monitor {what}` is for a store of SQLite: a server has its own tools, pg_dump and "
            "pg_restore; docs/backup.md says in which order"
        )
    database = open_database(settings.store.database)
    try:
        yield database
    finally:
        database.close()


def _file_of(settings: Settings) -> Path:
    """File of the database."""
    if not settings.store.database.startswith("sqlite:///"):
        raise StoreError(
            "a backup is restored to a store of SQLite: set store.database to sqlite:///PATH; "
            "`monitor migrate-store` takes it on to a server"
        )
    return Path(settings.store.database.removeprefix("sqlite:///"))


def _companions(path: Path) -> tuple[Path, ...]:
    """A database's file and those that SQLite keeps beside it, which would change it."""
    return (path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal")))


def _discard(draft: Path) -> None:
    """Remove what a cut copy left."""
    for one in _companions(draft):
        one.unlink(missing_ok=True)


def _refuse_foreign(folder: Path, url: str) -> None:
    """StoreError where a folder holds anything but a backup of this store."""
    if not folder.exists():
        return
    if (folder / _MANIFEST).exists():
        found = _read_manifest(folder)["database"]
        if found != url:
            raise StoreError(f"{folder} holds a backup of {found}: name another folder")
        return
    others = sorted(one.name for one in folder.iterdir() if not _is_ours(one.name))
    if others:
        raise StoreError(f"{folder} holds {others[0]}, which is no backup: name an empty folder")


def _is_ours(name: str) -> bool:
    return name == _BYTES or name.startswith(("rows.part", "rows-"))


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / _MANIFEST
    try:
        found = json.loads(path.read_text("utf-8"))
        words = [found[name] for name in ("schema", "database", "rows", "rows_sha256")]
        if not all(isinstance(word, str) for word in words) or words[0] != SCHEMA:
            raise ValueError
        if not _ROWS.fullmatch(found["rows"]):  # a path could lead anywhere
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(
            f"{path}: no backup is there, or it was cut before it was whole; "
            "expected the folder that `monitor backup` wrote"
        ) from error
    return dict(found)


def _missing(draft: Path, kept: StoredArtifacts, there: set[str]) -> set[str]:
    """Hashes that the rows or the pointers refer to and under which nothing is there."""
    database = open_database(f"sqlite:///{draft}")
    try:
        # A store of an older version has no notes yet; it is copied as it is.
        stale = check(database) is not None
        with database.read() as connection:
            needed = removals.referenced(connection)
            gone = set() if stale else notes.all_removed(connection)
    finally:
        database.close()
    pointed = {one for one in each(kept.sound_target, kept.names()) if one is not None}
    needed |= bodies_of(kept, pointed & there)
    return (needed - gone | pointed) - there


def _sign(folder: Path, draft: Path, url: str, *, artifacts: int, pointers: int) -> None:
    """Make a copy of the rows the backup's own, by one change of one file."""
    sha256 = _sha256(draft)
    rows = folder / f"rows-{sha256[:16]}.db"
    draft.replace(rows)
    made_at: datetime = SystemClock().now()
    manifest = {
        "schema": SCHEMA,
        "database": url,
        "made_at": made_at.isoformat(),
        "rows": rows.name,
        "rows_sha256": sha256,
        "artifacts": artifacts,
        "pointers": pointers,
    }
    write_text(folder / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
    for old in folder.glob("rows-*.db"):
        if old != rows:
            old.unlink()


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
