"""A whole store from one place to another, and the proof that it arrived."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from monitor.errors import StoreError
from monitor.pipeline.at_rest import at_rest
from monitor.pipeline.bench import Bench
from monitor.pipeline.transferring import copy_bytes, copy_pointers, each
from monitor.pipeline.verifying import State, bodies_of, state_of
from monitor.store import (
    Connection,
    Database,
    StoredArtifacts,
    check,
    copying,
    notes,
    open_artifacts,
    open_database,
    removals,
    upgrade,
)


@dataclass(frozen=True, slots=True)
class MovedTable:
    """One table on both sides."""

    name: str
    here: copying.Digest
    there: copying.Digest


@dataclass(frozen=True, slots=True)
class Moved:
    """What is on both sides after a move."""

    tables: tuple[MovedTable, ...]
    artifacts: int
    """Artifacts that rows and pointers refer to, each read again in the target."""
    pointers: int
    differences: tuple[str, ...]
    """What is not the same on both sides, one line each."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The target of a move."""

    database: Database
    artifacts: StoredArtifacts


def move_store(
    bench: Bench, database_url: str, artifacts: str, *, verify_only: bool = False
) -> Moved:
    """Copy all rows, bytes and pointers of a store elsewhere, then compare both sides.

    A move that was cut goes on where it ended. The source is read only, in one moment of it.
    """
    with (
        _target(bench, database_url, artifacts, verify_only=verify_only) as target,
        bench.database.read() as source,
    ):
        if not verify_only:
            _copy(bench, source, target)
        return _compare(bench, source, target)


@contextmanager
def _target(
    bench: Bench, database_url: str, artifacts: str, *, verify_only: bool
) -> Iterator[_Place]:
    """The target with its tables made, while nobody works on either side."""
    with ExitStack() as held:
        held.enter_context(at_rest(bench))
        database = open_database(database_url)
        held.callback(database.close)
        if _is_same(database, bench.database):
            raise StoreError(
                f"{database.shown_url} is where this store is already: name another database"
            )
        if verify_only and not _is_there(database):
            raise StoreError(f"{database.shown_url}: there is nothing to compare with yet")
        held.enter_context(database.exclusive())
        # Opened first: a place that cannot be had leaves no tables behind.
        place = open_artifacts(artifacts)
        if not verify_only:
            upgrade(database)
        elif stale := check(database):
            raise StoreError(stale)
        yield _Place(database, place)


def _file(database: Database) -> Path | None:
    """File of a database, where it is one."""
    return Path(database.shown_url.removeprefix("sqlite:///")) if database.is_sqlite else None


def _is_there(database: Database) -> bool:
    """Whether a database needs no making; a server tells by itself."""
    path = _file(database)
    return path is None or path.exists()


def _is_same(one: Database, other: Database) -> bool:
    """Whether two databases are one, however it is named."""
    if one.shown_url == other.shown_url:
        return True
    here, there = _file(one), _file(other)
    if here is None or there is None or not (here.exists() and there.exists()):
        return False
    return here.samefile(there)


def _copy(bench: Bench, source: Connection, target: _Place) -> None:
    """Rows first where the target's are of this store, then bytes, then what points at them."""
    names = copying.table_names()
    # All tables are looked at before anything is written.
    begun = [copying.begun(source, target.database, name) for name in names]
    total = sum(copying.count_rows(source, name) for name in names)
    done = sum(part.rows for part in begun)
    bench.progress("rows", done, total)

    def copied(rows: int) -> None:
        nonlocal done
        done += rows
        bench.progress("rows", done, total)

    for part in begun:
        copying.copy_rest(source, target.database, part, copied)
    with target.database.write() as connection:
        copying.set_counters(connection)
    copy_bytes(bench.artifacts, target.artifacts, bench.progress)
    copy_pointers(bench.artifacts, target.artifacts, bench.artifacts.names(), bench.progress)


def _compare(bench: Bench, source: Connection, target: _Place) -> Moved:
    """Both sides, table by table, then every pointer and every artifact that something needs."""
    tables = []
    names = copying.table_names()
    with target.database.read() as connection:
        for done, name in enumerate(names, start=1):
            tables.append(
                MovedTable(name, copying.digest(source, name), copying.digest(connection, name))
            )
            bench.progress("compare", done, len(names))
    pointers, strayed = _pointers(bench, target)
    named = removals.referenced(source) | bodies_of(bench.artifacts, set(pointers.values()))
    needed = named - notes.all_removed(source) | set(pointers.values())
    return Moved(
        tables=tuple(tables),
        artifacts=len(needed),
        pointers=len(pointers),
        differences=(
            *(line for table in tables if (line := _table_line(table))),
            *strayed,
            *_bytes(bench, target, sorted(needed)),
        ),
    )


def _table_line(table: MovedTable) -> str | None:
    """What differs in a table, or None."""
    if table.here == table.there:
        return None
    if table.here.rows != table.there.rows:
        return f"table {table.name}: {table.here.rows} rows here, {table.there.rows} there"
    return f"table {table.name}: {table.here.rows} rows on both sides, with other values"


def _pointers(bench: Bench, target: _Place) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Pointers of the source, and a line for each that leads elsewhere in the target."""
    names = bench.artifacts.names()
    found = zip(names, each(bench.artifacts.sound_target, names), strict=True)
    here = {name: sha256 for name, sha256 in found if sha256 is not None}
    known = set(target.artifacts.names())
    shared = [name for name in here if name in known]
    there = dict(zip(shared, each(target.artifacts.sound_target, shared), strict=True))
    return here, (
        *(f"pointer {name}: names no bytes here" for name in names if name not in here),
        *(
            f"pointer {name}: {'other bytes' if name in there else 'missing'} there"
            for name in here
            if there.get(name) != here[name]
        ),
    )


def _bytes(bench: Bench, target: _Place, needed: list[str]) -> Iterator[str]:
    """A line for every artifact that is not whole in the target."""
    states = each(partial(state_of, target.artifacts), needed)
    bench.progress("verify", 0, len(needed))
    for done, (sha256, state) in enumerate(zip(needed, states, strict=True), start=1):
        if state is not State.INTACT:
            here = state_of(bench.artifacts, sha256)
            also = "" if here is State.INTACT else f" ({here.name.lower()} here too)"
            yield f"artifact {sha256}: {state.name.lower()} there{also}"
        bench.progress("verify", done, len(needed))
