"""What every stage works with: settings, the store, the artifacts, the clock, the family map."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
    progress: Progress = silent

    def identify(self, url: str) -> UrlIdentity:
        """Identity of a structured URL under this installation's family map."""
        return identify(url, families=self.families)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run reading work on its own connection."""
        with self.database.read() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run writing work through the one writer, from a thread or a synchronous door."""
        return self.writer.submit(work).result()


@contextmanager
def open_bench(
    settings: Settings, progress: Progress = silent, *, migrate: bool = True
) -> Iterator[Bench]:
    """A bench for one command; the store is brought to the newest revision first."""
    database = open_database(settings.store.database)
    if migrate:
        upgrade(database)
    else:
        stale = check(database)
        if stale:
            raise StoreError(stale)
    writer = Writer(database)
    try:
        yield Bench(
            settings=settings,
            database=database,
            writer=writer,
            artifacts=open_artifacts(settings.store.artifacts),
            clock=SystemClock(),
            families=family_map(settings.families),
            progress=progress,
        )
    finally:
        writer.close()
        database.close()
