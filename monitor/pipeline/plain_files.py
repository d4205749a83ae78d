"""Files that people name: read without waiting and up to a size, dated, written whole or not."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import get_ident
from typing import BinaryIO

from monitor.capture.imports.parts import ImportFileError
from monitor.errors import MonitorError


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


@contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """A file beside a path that is put in its place when all went well, and removed otherwise.

    MonitorError where that cannot be; a folder, link target or device is never replaced by a file.
    """
    # Through links: the file they lead to is written, the link stays.
    target = Path(os.path.realpath(path))
    if str(path) == "-" or (os.path.lexists(target) and not target.is_file()):
        raise MonitorError(f"{path}: not a plain file, nothing was written; name a file")
    draft = target.with_name(f".{target.name[:100]}.{os.getpid()}-{get_ident()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> MonitorError:
    """Why nothing was written, and what to do."""
    return MonitorError(
        f"{path}: cannot be written ({error.strerror}), nothing was kept there; "
        "name a place with room that you may write to"
    )
