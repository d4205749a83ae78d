"""Work of several threads handed on in order, with a bounded look-ahead."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")
_AHEAD = 2
"""Pieces begun for each thread while the first of them is not wanted yet."""


def in_order(work: Callable[[S], T], asked: Iterable[S], *, threads: int) -> Iterator[T]:
    """What `work` makes of each piece, in order; an error comes after all that went before it.

    Pieces are taken from `asked` in the caller's own thread. Whoever stops asking waits for the
    calls under way, so that what they cost is kept.
    """
    with ThreadPoolExecutor(threads, thread_name_prefix="judge") as pool:
        waiting: deque[Future[T]] = deque()
        try:
            for one in asked:
                waiting.append(pool.submit(copy_context().run, work, one))
                if len(waiting) >= _AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one_more in waiting:
                one_more.cancel()
