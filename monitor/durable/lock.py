"""One worker process at a time on one local store."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from monitor.errors import StoreError


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file of a store; StoreError names the process that holds it already.

    The lock goes with the process, however it ends.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="ascii", errors="replace")
    except OSError as error:
        raise StoreError(f"{path}: the lock file cannot be made ({error.strerror})") from error
    with file:
        _take(file, path)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield


def _take(file: TextIO, path: Path) -> None:
    """Lock the open file, or say who holds it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        holder = file.read(20).strip() or "unknown"
        raise StoreError(
            f"another monitor process ({holder}) is working on this store; "
            "wait for it to end, or stop it and run `monitor resume`"
        ) from error
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be locked ({error.strerror}); keep the store on a local disk"
        ) from error
