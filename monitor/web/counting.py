"""Long work that pages ask for: done once in the background, and waited for only a while."""

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from monitor.web.problems import TITLES, Problem, is_api
from monitor.web.rendering import render

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds that a page waits before it says that something is being counted."""
AGAIN = 5
"""Seconds after which a program may ask again."""

COUNTING: dict[int | str, dict[str, Any]] = {
    202: {"model": Problem, "description": "Being counted: ask again in some seconds."}
}
"""Answer of the API for what is not counted yet, beside its own."""


class StillCountingError(Exception):
    """What was asked for is being counted, or waits for its turn."""


class Counting:
    """One worker at a time over a bounded queue; what it made is kept by its key.

    A key names everything that the outcome depends on: another state of the store, another key.
    """

    def __init__(
        self, *, waiting: int = 8, kept: int = 32, watchers: int = 8, patience: float = PATIENCE
    ) -> None:
        """`waiting` works may queue, `kept` outcomes stay, `watchers` requests may wait at once.

        `patience` is how many seconds these wait.
        """
        self._limits = waiting, kept, watchers
        self._patience = patience
        self._known: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._queue: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._busy = False
        self._watching = 0
        self._lock = Lock()

    def get(self, key: Hashable, work: Callable[[], T], *, patience: float | None = None) -> T:
        """What `work` makes: kept, or made now in the background and waited for.

        StillCountingError where that takes longer. What `work` raises is raised to everybody who
        waits for it, and forgotten, so that who asks again has it tried again.
        """
        future = self._asked(key, work)
        with self._watched() as may_wait:
            longest = self._patience if patience is None else patience
            wait([future], timeout=longest if may_wait else 0)
        if not future.done():
            raise StillCountingError
        if future.exception() is not None:
            self._forget(key, future)
        return cast(T, future.result())

    def _asked(self, key: Hashable, work: Callable[[], Any]) -> Future[Any]:
        """The future of a key; queued where it is new."""
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
            if len(self._queue) >= self._limits[0]:
                raise HTTPException(
                    503,
                    f"{len(self._queue)} other countings wait for their turn; ask again later",
                    headers={"retry-after": str(AGAIN)},
                )
            future: Future[Any] = Future()
            self._known[key] = future
            self._queue.append((future, work))
            self._drop_oldest()
            if not self._busy:
                self._busy = True
                # A daemon: who stops the application does not wait for what nobody will read.
                Thread(target=self._run, name="counting", daemon=True).start()
            return future

    def _drop_oldest(self) -> None:
        """Forget the outcomes that were asked for longest ago; what is not made yet stays."""
        made = [key for key, one in self._known.items() if one.done()]
        for key in made[: max(0, len(made) - self._limits[1])]:
            del self._known[key]

    def _forget(self, key: Hashable, future: Future[Any]) -> None:
        with self._lock:
            if self._known.get(key) is future:
                del self._known[key]

    def _run(self) -> None:
        """Work until the queue is empty."""
        while True:
            with self._lock:
                if not self._queue:
                    self._busy = False
                    return
                future, work = self._queue.popleft()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - told to who asked
                future.set_exception(error)

    @contextmanager
    def _watched(self) -> Iterator[bool]:
        """Whether one more request may wait: those that wait keep a thread from others."""
        with self._lock:
            may_wait = self._watching < self._limits[2]
            self._watching += may_wait
        try:
            yield may_wait
        finally:
            with self._lock:
                self._watching -= may_wait


def add_counting_pages(app: FastAPI) -> None:
    """Have what is being counted answered by 202, with the way to ask again."""
    app.add_exception_handler(StillCountingError, _of_counting)


async def _of_counting(request: Request, error: Exception) -> Response:
    """202: nothing went wrong, and there is nothing to show yet."""
    told = str(error) or "this is being counted; ask for the same address again in some seconds"
    headers = {"retry-after": str(AGAIN), "cache-control": "no-store"}
    if is_api(request):
        return JSONResponse({"detail": told}, status_code=202, headers=headers)
    page = render(request, "counting.html.j2", code=202, title=TITLES[202], detail=told)
    page.headers.update(headers)
    return page
