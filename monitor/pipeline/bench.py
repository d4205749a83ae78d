"""What every stage works with: settings, the store, the artifacts, the clock, the family map."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import TypeVar

from monitor.capture.clock import SystemClock
from monitor.config.settings import Settings
from monitor.domain.source import UrlIdentity
from monitor.errors import StoreError
from monitor.store import (
    Connection,
    Database,
    StoredArtifacts,
    Writer,
    check,
    open_artifacts,
    open_database,
    upgrade,
)
from monitor.urls import FamilyMap, family_map, identify

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); a door draws it."""
Also = Callable[[Connection], object]
"""Writes something beside a change, in its transaction."""


_IDENTITIES = 32_768
"""Identities that are remembered; some kilobytes each at most."""


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The edges a run needs, opened once by a door."""

    settings: Settings
    database: Database
    writer: Writer
    artifacts: StoredArtifacts
    clock: SystemClock
    families: FamilyMap
    identify: Callable[[str], UrlIdentity]
    """Identity of a structured URL under this installation's family map."""
    progress: Progress = silent
    keeps: bool = True
    """Whether what is made is stored; a bench that only looks makes the same and stores nothing."""

    def looking(self) -> "Bench":
        """The same bench for who only looks."""
        return replace(self, keeps=False)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run reading work on its own connection."""
        with self.database.read() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run writing work through the one writer, from a thread or a synchronous door.

        RuntimeError where the bench only looks: who may be handed one asks `keeps` first.
        """
        if not self.keeps:
            raise RuntimeError("a bench that only looks was asked to write")
        return self.writer.submit(work).result()


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Keep the garbage collector from walking all live values again and again.

    For stages that build millions of values and no cycles: without it their time grows faster
    than their input. What is no longer used is freed as ever.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def open_bench(
    settings: Settings, progress: Progress = silent, *, migrate: bool = True
) -> Iterator[Bench]:
    """A bench for one command; the store is brought to the newest revision first."""
    database = open_database(settings.store.database)
    try:
        _bring_up(database, migrate=migrate)
    except BaseException:
        database.close()
        raise
    writer = Writer(database)
    families = family_map(settings.families)
    _remember_absence("sniffio")
    try:
        yield Bench(
            settings=settings,
            database=database,
            writer=writer,
            artifacts=open_artifacts(settings.store.artifacts),
            clock=SystemClock(),
            families=families,
            # Engines cite the same pages again and again.
            identify=lru_cache(_IDENTITIES)(partial(identify, families=families)),
            progress=progress,
        )
    finally:
        writer.close()
        database.close()


def _bring_up(database: Database, *, migrate: bool) -> None:
    """Make the store fit this version, or say that it does not."""
    if migrate:
        upgrade(database)
    elif stale := check(database):
        raise StoreError(stale)


def _remember_absence(module: str) -> None:
    """Make a missing optional module fail to import at once.

    The HTTP client tries to import it some ten times a request, and every failed try searches
    the whole path again: a millisecond a request.
    """
    if module not in sys.modules and find_spec(module) is None:
        sys.modules[module] = None  # type: ignore[assignment]
