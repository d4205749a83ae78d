"""Files that people name: opened without waiting, read up to a size, dated as far as believable."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from monitor.capture.imports.parts import ImportFileError


def open_plain(path: Path) -> BinaryIO:
    """A plain file, open for reading; OSError, and ImportFileError where it is none.

    A pipe that nobody writes to is not waited for.
    """
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ImportFileError("not a plain file; name files one by one")
    return file


def read_plain(path: Path, most: int) -> bytes:
    """Content of a plain file, no more than one byte beyond `most`; as `open_plain` fails."""
    with open_plain(path) as file:
        return file.read(most + 1)


def changed_at(seconds: float, now: datetime) -> datetime:
    """When a file was changed, as its folder says in Unix time; `now` where that lies ahead."""
    try:
        return min(datetime.fromtimestamp(seconds, UTC), now)
    except (OverflowError, ValueError, OSError):
        return now
