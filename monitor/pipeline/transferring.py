"""Bytes and pointers from one place to another, many at once, each checked by its hash."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from monitor.pipeline.bench import Progress
from monitor.store import StoredArtifacts

T = TypeVar("T")
U = TypeVar("U")

_AT_ONCE = 16
"""Reads and writes under way: a bucket answers late, not slowly."""

_TAKEN = 512
"""Values handed to the threads at a time: more would only wait in memory."""


def each(work: Callable[[T], U], values: Iterable[T]) -> Iterator[U]:
    """What a function gives for every value, in their order, some of them at once."""
    rest = list(values)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for start in range(0, len(rest), _TAKEN):
            yield from threads.map(work, rest[start : start + _TAKEN])


def copy_bytes(
    source: StoredArtifacts, target: StoredArtifacts, progress: Progress
) -> tuple[str, ...]:
    """Copy all bytes that the target lacks; hashes of those that are broken in the source."""

    def copy(sha256: str) -> str | None:
        packed = source.packed(sha256)
        if packed is None:
            return sha256
        target.put_packed(sha256, packed)
        return None

    wanted = sorted(set(source.hashes()) - set(target.hashes()))
    told = _told(each(copy, wanted), "artifacts", len(wanted), progress)
    return tuple(broken for broken in told if broken is not None)


def copy_pointers(
    source: StoredArtifacts, target: StoredArtifacts, names: Iterable[str], progress: Progress
) -> tuple[str, ...]:
    """Copy pointers of those names; names of those that are broken in the source.

    StoreError where the target has one to other bytes.
    """
    rest = sorted(set(names) - set(target.names()))

    def copy(name: str) -> str | None:
        sha256 = source.sound_target(name)
        if sha256 is None:
            return name
        target.point(name, sha256)
        return None

    told = _told(each(copy, rest), "pointers", len(rest), progress)
    return tuple(broken for broken in told if broken is not None)


def _told(values: Iterator[T], stage: str, total: int, progress: Progress) -> Iterator[T]:
    """The same values, each of them a step of a stage."""
    progress(stage, 0, total)
    for done, value in enumerate(values, start=1):
        yield value
        progress(stage, done, total)
