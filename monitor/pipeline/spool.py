"""Files that somebody uploaded, kept until he says that they are to be stored, or for an hour.

They lie under random names and numbers in a folder of ours; what they were called is written
beside them and opens nothing.
"""

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from monitor.config.settings import Settings
from monitor.errors import MonitorError

KEPT_SECONDS = 3600
MOST_FILES = 100
_NAME = re.compile(r"[A-Za-z0-9_-]{32}")
_ABOUT, _TAKEN, _DRAFT = "about.json", ".taken", ".draft"
_UNSEEN = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_NAME = 200
_CHUNK = 1 << 20
_AT_ONCE = 5
"""Uploads of full size that may lie here at a time."""


class UploadGoneError(MonitorError):
    """An upload is not there: it was stored, dropped, or waited for too long."""


@dataclass(frozen=True, slots=True)
class Upload:
    """Files of one upload, in the order they were sent."""

    name: str
    """Random: who knows it may store them."""
    folder: Path
    files: Mapping[Path, Path]
    """File -> what it was called, which is never opened."""
    about: Mapping[str, Any]
    """What was said beside them."""


class Spool:
    """The folder in which uploads wait."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        """`most_bytes` is the most that one upload may hold."""
        self._folder, self._most = folder, most_bytes

    def keep(self, sent: Iterable[tuple[str, BinaryIO]], about: Mapping[str, Any]) -> Upload:
        """Files written down whole; MonitorError where there is none, too many, or no room."""
        self.tidy()
        self._require_room()
        name = secrets.token_urlsafe(24)
        draft = self._folder / f"{name}{_DRAFT}"
        draft.mkdir(mode=0o700)
        try:
            called = [_write(draft / f"{n:03}", *one) for n, one in enumerate(_few(sent))]
            if not called:
                raise MonitorError("no file was sent: choose one or more, or paste a text")
            told = {"files": called, "about": dict(about)}
            _private(draft / _ABOUT, json.dumps(told).encode())
            draft.rename(self._folder / name)
        except BaseException as error:
            shutil.rmtree(draft, ignore_errors=True)
            if isinstance(error, OSError):
                raise MonitorError(
                    f"the upload cannot be kept ({error.strerror}), nothing of it was; ask whoever "
                    "runs the monitor to make room beside its artifacts"
                ) from error
            raise
        return self.load(name)

    def load(self, name: str) -> Upload:
        """The upload of a name; UploadGoneError where it is not there any more."""
        self.tidy()
        folder = self._place(name)
        try:
            told = json.loads((folder / _ABOUT).read_bytes())
        except (OSError, ValueError) as error:
            raise _gone() from error
        files = {folder / f"{n:03}": Path(called) for n, called in enumerate(told["files"])}
        return Upload(name, folder, files, told["about"])

    def note(self, name: str, key: str, value: Any) -> None:
        """Write down one thing more about an upload."""
        one = self.load(name)
        about = {**one.about, key: value}
        told = {"files": [str(called) for called in one.files.values()], "about": about}
        draft = one.folder / f"{_ABOUT}{_DRAFT}"
        _private(draft, json.dumps(told).encode())
        draft.replace(one.folder / _ABOUT)

    @contextmanager
    def taken(self, name: str) -> Iterator[Upload]:
        """An upload for one alone to store: removed after, put back where that fails.

        UploadGoneError for everybody else who asks for it meanwhile.
        """
        self.load(name)
        folder, taken = self._place(name), self._folder / f"{name}{_TAKEN}"
        try:
            folder.rename(taken)
        except OSError as error:
            raise _gone() from error
        try:
            told = json.loads((taken / _ABOUT).read_bytes())
            files = {taken / f"{n:03}": Path(called) for n, called in enumerate(told["files"])}
            yield Upload(name, taken, files, told["about"])
        except BaseException:
            with suppress(OSError):
                taken.rename(folder)
            raise
        shutil.rmtree(taken, ignore_errors=True)

    def drop(self, name: str) -> None:
        """Remove an upload; nothing where it is not there."""
        shutil.rmtree(self._place(name), ignore_errors=True)

    def tidy(self) -> None:
        """Remove what has waited for too long."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        oldest = time.time() - KEPT_SECONDS
        for one in self._folder.iterdir():
            with suppress(OSError):
                if one.lstat().st_mtime < oldest:
                    shutil.rmtree(one, ignore_errors=True)

    def _place(self, name: str) -> Path:
        """Folder of an upload; UploadGoneError for what is no name of one."""
        if not _NAME.fullmatch(name):
            raise _gone()
        return self._folder / name

    def _require_room(self) -> None:
        used = 0
        for one in self._folder.rglob("*"):
            with suppress(OSError):
                used += one.lstat().st_size
        if used > (_AT_ONCE - 1) * self._most:
            raise MonitorError(
                "uploads of others wait to be stored and take all the room there is for them; "
                "store or drop yours, or try again in an hour"
            )


def spool_of(settings: Settings) -> Spool:
    """The spool beside the artifacts; beside the reports where those are in a bucket."""
    artifacts = settings.store.artifacts
    beside = Path(settings.reports if "://" in artifacts else artifacts).absolute()
    return Spool(
        beside.with_name(f"{beside.name}-uploads"), settings.web.upload_megabytes * 1024 * 1024
    )


def _few(sent: Iterable[tuple[str, BinaryIO]]) -> Iterator[tuple[str, BinaryIO]]:
    for count, one in enumerate(sent):
        if count >= MOST_FILES:
            raise MonitorError(f"more than {MOST_FILES} files at once; hand them in in parts")
        yield one


def _write(path: Path, name: str, stream: BinaryIO) -> str:
    """Write a file piece by piece; returns what it is called."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        shutil.copyfileobj(stream, file, _CHUNK)
    return plain_name(name) or f"file {int(path.name) + 1}"


def plain_name(name: str) -> str:
    """Last part of what a file was called, printable and not too long; may be empty."""
    last = _UNSEEN.sub("", name.replace("\\", "/").rpartition("/")[2]).strip()
    kept = last.encode("utf-8", "replace").decode("utf-8")
    return "" if kept in {".", ".."} else kept[:_LONGEST_NAME]


def _private(path: Path, body: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(body)


def _gone() -> UploadGoneError:
    return UploadGoneError(
        "this upload is not here: it was stored or dropped, or nobody stored it for an hour; "
        "hand the files in again"
    )
