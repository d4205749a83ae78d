"""Reading a zip that somebody handed over: bounded, in memory, and nothing is ever unpacked."""

import hashlib
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from monitor.errors import EvidenceError
from monitor.proofs.archive_layout import fault_of

MOST_ENTRIES = 200_000
MOST_BYTES = 8 * 1024**3
"""Of all files together, unpacked."""
_SMALL = 16 * 1024**2
_RATIO = 250
"""Times its packed size that a file beyond `_SMALL` may have: pages and answers stay under it."""
_BLOCK = 1024 * 1024
_DEVICES = {"CON", "PRN", "AUX", "NUL"} | {f"{w}{n}" for w in ("COM", "LPT") for n in range(10)}
"""Names that are no files on some systems, whatever their ending."""


class BrokenEntryError(Exception):
    """A file in an archive whose bytes are not those that were packed."""


class Archive:
    """The files of a zip by their names."""

    def __init__(self, zipped: zipfile.ZipFile, path: Path) -> None:
        self._zipped = zipped
        self._entries = {one.filename: one for one in _checked(zipped, path)}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all files, sorted."""
        return tuple(sorted(self._entries))

    def sha256(self, name: str) -> str | None:
        """Hash of a file, read piece by piece; None where its bytes are broken."""
        seen = hashlib.sha256()
        try:
            for part in self._parts(name):
                seen.update(part)
        except BrokenEntryError:
            return None
        return seen.hexdigest()

    def read(self, name: str, most: int) -> bytes:
        """Bytes of a file; EvidenceError where they are broken or more than `most`."""
        if self._entries[name].file_size > most:
            raise EvidenceError(
                f"{name}: {self._entries[name].file_size} bytes, expected at most {most}"
            )
        try:
            return b"".join(self._parts(name))
        except BrokenEntryError as error:
            raise EvidenceError(f"{name}: {error}") from None

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """A file as a stream."""
        with self._zipped.open(self._entries[name]) as stream:
            yield stream

    def _parts(self, name: str) -> Iterator[bytes]:
        entry, read = self._entries[name], 0
        try:
            with self._zipped.open(entry) as stream:
                while part := stream.read(_BLOCK):
                    read += len(part)
                    if read > entry.file_size:
                        raise BrokenEntryError("longer than it says")
                    yield part
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise BrokenEntryError(f"cannot be unpacked ({error.__class__.__name__})") from None
        if read != entry.file_size:
            raise BrokenEntryError("shorter than it says")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """A zip whose every name is plain; EvidenceError says what is wrong with it."""
    try:
        with zipfile.ZipFile(path) as zipped:
            yield Archive(zipped, path)
    except FileNotFoundError:
        raise EvidenceError(f"{path}: no such file") from None
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read ({error.strerror})") from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError) as error:
        raise EvidenceError(
            f"{path}: no zip that can be read ({str(error)[:100]}): cut, or another kind of file"
        ) from None


def _checked(zipped: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """The entries of a zip; EvidenceError where one could do harm, or there are too many."""
    entries = zipped.infolist()
    if len(entries) > MOST_ENTRIES:
        raise EvidenceError(f"{path}: {len(entries)} files, expected at most {MOST_ENTRIES}")
    seen: set[str] = set()
    for one in entries:
        shown = ascii(one.filename[:100])
        if not is_plain(one.filename) or one.orig_filename != one.filename:
            raise EvidenceError(f"{path}: refused the name {shown}: it could lead out of a folder")
        if one.filename.lower() in seen:
            raise EvidenceError(f"{path}: holds {shown} twice: which one counts is open")
        if stat.S_IFMT(one.external_attr >> 16) not in {0, stat.S_IFREG}:
            raise EvidenceError(f"{path}: {shown} is a link or a device, expected plain files")
        if one.flag_bits & 0x1:
            raise EvidenceError(f"{path}: {shown} is encrypted")
        if one.file_size > max(_SMALL, one.compress_size * _RATIO):
            raise EvidenceError(
                f"{path}: {shown} would grow from {one.compress_size} to {one.file_size} bytes: "
                "a file made to fill memory"
            )
        seen.add(one.filename.lower())
    total = sum(one.file_size for one in entries)
    if total > MOST_BYTES:
        raise EvidenceError(f"{path}: {total} bytes unpacked, expected at most {MOST_BYTES}")
    if (fault := fault_of(zipped, entries)) is not None:
        raise EvidenceError(
            f"{path}: {fault}: other programs could read other files from it than are checked here"
        )
    return entries


def is_plain(name: str) -> bool:
    """Whether a name stays in its folder on every system, and steers no terminal."""
    parts = name.split("/")
    return (
        name.isascii()
        and name.isprintable()
        and len(name) <= 300
        and not any(ch in name for ch in '\\:*?"<>|')
        and all(part not in {"", ".", ".."} and not part.endswith((".", " ")) for part in parts)
        and not any(part.partition(".")[0].strip().upper() in _DEVICES for part in parts)
    )
