"""One worker process at a time on one local store."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.errors import StoreError


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file of a store; StoreError names the process that holds it already.

    The lock goes with the process, however it ends.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise StoreError(
                f"another monitor process ({holder}) is working on this store; "
                "wait for it to end, or stop it and run `monitor resume`"
            ) from error
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield
