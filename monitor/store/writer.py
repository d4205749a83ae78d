"""One thread that writes, with group commit: many small changes share one transaction."""

import asyncio
import contextlib
import queue
import random
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from sqlalchemy import Connection

from monitor.errors import StoreError
from monitor.store.database import Database

T = TypeVar("T")
Part = TypeVar("Part")


_WAITS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds before another try of a batch that was undone, at most."""

Change = Callable[[Connection], T]
ManyChange = Callable[[Connection, Sequence[Part]], Sequence[T]]
"""A change made of parts: it gives a value for each, in their order."""


@dataclass(frozen=True, slots=True)
class _Job:
    change: ManyChange[Any, Any]
    part: Any
    future: Future[Any] | asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop | None = None
    """Where the future must be set; None for one that any thread may set."""

    @property
    def kind(self) -> Hashable:
        """What jobs share that run as one change; a job of its own kind runs by itself."""
        return id(self.part) if self.change is _each else self.change

    def starts(self) -> bool:
        """Whether nobody cancelled it; a thread's future cannot be cancelled from here on."""
        if isinstance(self.future, Future):
            return self.future.set_running_or_notify_cancel()
        return not self.future.cancelled()


@dataclass(frozen=True, slots=True)
class _Told:
    """What became of a change."""

    job: _Job
    value: Any = None
    error: BaseException | None = None

    def tell(self) -> None:
        """Set the future, on its own ground."""
        if self.job.future.done():
            return
        if self.error is not None:
            self.job.future.set_exception(self.error)
        else:
            self.job.future.set_result(self.value)


def _each(connection: Connection, changes: Sequence[Change[T]]) -> list[T]:
    """Changes that know nothing of one another."""
    return [change(connection) for change in changes]


class _OneFailedError(Exception):
    """A change of a batch raised: the batch is undone and done again, each change apart."""


class _UndoneError(Exception):
    """The database undid a batch for a reason that passes: a deadlock, a broken connection."""


class Writer:
    """The only writer of a process: changes run in order of arrival, many in one transaction.

    Parts of one `ManyChange` that wait together run as one, at the place of the first of them.
    A change's future is set after the COMMIT of its batch; a change that raises is undone alone.
    A batch with a failing change is run a second time, so a change touches its connection only.
    So is one that the database undid before its COMMIT was sent: another transaction was in the
    way, or the server was restarted.
    """

    def __init__(self, database: Database, *, batch: int = 200) -> None:
        self._database = database
        self._batch = batch
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, change: Change[T]) -> Future[T]:
        """Queue a change from a thread; the future holds its value once it is committed."""
        future: Future[T] = Future()
        self._queue(_Job(_each, change, future))
        return future

    async def do(self, change: Change[T]) -> T:
        """Run a change in the shared transaction; return its value once it is committed."""
        return await self.do_along(_each, change)

    async def do_along(self, change: ManyChange[Part, T], part: Part) -> T:
        """Run one part of a change along with all other parts of it that wait."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._queue(_Job(change, part, future, loop))
        return await future

    def _queue(self, job: _Job) -> None:
        with self._lock:
            if self._closed:
                raise StoreError("the writer is closed: nothing more can be stored by this process")
            self._jobs.put(job)

    def close(self) -> None:
        """Commit what is queued, then end the thread; a second call does nothing."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _loop(self) -> None:
        open_ = True
        while open_:
            jobs, open_ = self._next_batch()
            if jobs:
                self._commit(jobs)

    def _next_batch(self) -> tuple[list[_Job], bool]:
        """Wait for one change, then take what is queued; False when the writer is to end."""
        job = self._jobs.get()
        jobs: list[_Job] = []
        while job is not None:
            if job.starts():
                jobs.append(job)
            if len(jobs) >= self._batch:
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _commit(self, jobs: Sequence[_Job]) -> None:
        try:
            told = self._kept(jobs)
        except BaseException as error:  # noqa: BLE001 - handed to everyone who waits for the batch
            told = [_Told(job, error=error) for job in jobs]
        _tell(told)

    def _kept(self, jobs: Sequence[_Job]) -> list[_Told]:
        """What became of the changes of a batch, which is tried again where it was undone."""
        for most in _WAITS:
            try:
                return self._once(jobs)
            except _UndoneError:
                # Two processes that met must not meet again.
                time.sleep(random.uniform(0, most))  # noqa: S311
        try:
            return self._once(jobs)
        except _UndoneError as error:
            raise StoreError(f"a change was undone again and again: {error.__cause__}") from error

    def _once(self, jobs: Sequence[_Job]) -> list[_Told]:
        try:
            return self._together(jobs)
        except _OneFailedError:
            return self._apart(jobs)

    def _together(self, jobs: Sequence[_Job]) -> list[_Told]:
        """The usual case: no savepoints, for no change raises."""
        alike: dict[Hashable, list[_Job]] = {}
        for job in jobs:
            alike.setdefault(job.kind, []).append(job)
        with self._database.write() as connection:
            return [one for part in alike.values() for one in self._tried(connection, part)]

    def _tried(self, connection: Connection, jobs: Sequence[_Job]) -> list[_Told]:
        try:
            values = jobs[0].change(connection, [job.part for job in jobs])
        except BaseException as error:
            self._again(error)
            raise _OneFailedError from error
        if not self._database.is_inside(connection):
            raise _OneFailedError
        return [_Told(job, value) for job, value in zip(jobs, values, strict=True)]

    def _apart(self, jobs: Sequence[_Job]) -> list[_Told]:
        """Each change in a savepoint of its own."""
        with self._database.write() as connection:
            return [self._run(connection, job) for job in jobs]

    def _run(self, connection: Connection, job: _Job) -> _Told:
        savepoint = connection.begin_nested()
        try:
            (value,) = job.change(connection, [job.part])
        except BaseException as error:  # noqa: BLE001 - handed to the one who waits for it
            self._again(error)
            savepoint.rollback()
            return _Told(job, error=self._database.explained(error))
        savepoint.commit()
        return _Told(job, value)

    def _again(self, error: BaseException) -> None:
        """Have the whole batch done again where the database undid it."""
        if self._database.was_undone(error):
            raise _UndoneError from error


def _tell(told: Iterable[_Told]) -> None:
    """Set all futures; those of one event loop by a single call, for each call wakes it."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Told]] = {}
    for one in told:
        if one.job.loop is None:
            one.tell()
        else:
            by_loop.setdefault(one.job.loop, []).append(one)
    for loop, part in by_loop.items():
        # A loop that ended has nobody left to tell.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_tell_all, part)


def _tell_all(told: Iterable[_Told]) -> None:
    for one in told:
        one.tell()
