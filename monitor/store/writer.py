"""One thread that writes, with group commit: many small changes share one transaction."""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from sqlalchemy import Connection

from monitor.errors import StoreError
from monitor.store.database import Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    change: Callable[[Connection], Any]
    future: Future[Any]


@dataclass(frozen=True, slots=True)
class _Done:
    future: Future[Any]
    value: Any


class Writer:
    """The only writer of a process: changes run in order of arrival, each in a savepoint.

    A change's future is set after the COMMIT of its batch; a change that raises is undone alone.
    """

    def __init__(self, database: Database, *, batch: int = 200) -> None:
        self._database = database
        self._batch = batch
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, change: Callable[[Connection], T]) -> Future[T]:
        """Queue a change from a thread; the future holds its value once it is committed."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise StoreError("the writer is closed: nothing more can be stored by this process")
            self._jobs.put(_Job(change, future))
        return future

    async def do(self, change: Callable[[Connection], T]) -> T:
        """Run a change in the shared transaction; return its value once it is committed."""
        return await asyncio.wrap_future(self.submit(change))

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
            # A cancelled future is skipped; from here on it can no longer be cancelled.
            if job.future.set_running_or_notify_cancel():
                jobs.append(job)
            if len(jobs) >= self._batch:
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _commit(self, jobs: Sequence[_Job]) -> None:
        done: list[_Done] = []
        try:
            with self._database.write() as connection:
                done.extend(one for job in jobs if (one := _run(connection, job)) is not None)
        except BaseException as error:  # noqa: BLE001 - handed to everyone who waits for the batch
            for job in jobs:
                if not job.future.done():
                    job.future.set_exception(error)
            return
        for one in done:
            one.future.set_result(one.value)


def _run(connection: Connection, job: _Job) -> _Done | None:
    """Run one change in its savepoint; a failure is told at once, for it is undone at once."""
    savepoint = connection.begin_nested()
    try:
        value = job.change(connection)
    except BaseException as error:  # noqa: BLE001 - handed to the one who waits for it
        savepoint.rollback()
        job.future.set_exception(error)
        return None
    savepoint.commit()
    return _Done(job.future, value)
