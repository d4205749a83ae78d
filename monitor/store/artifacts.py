"""Bytes under their sha256, write-once: a local folder, or a bucket by URL.

`ab/abcd....zst` holds the bytes, compressed by zstd; the hash is that of the bytes before
compression. `pointers/NAME` holds the hash a name stands for, `pointers/OWNER/NAME` where one
artifact folder serves several owners. Writes are put-if-absent, so that
a second writer can neither replace nor tear what the first one stored.
"""

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import zstandard
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, ObjectStore

from monitor.domain.keys import sha256_hex
from monitor.errors import LostBytesError, StoreError
from monitor.store.buckets import SCHEMES, explained, is_no_bucket, open_bucket
from monitor.store.readiness import Readiness

if TYPE_CHECKING:
    from obstore import GetResult

_LEVEL = 3
"""Level 9 saves a tenth more space at a fifth of the speed (measured on API JSON and HTML)."""

_TRIAL_BYTES = 256 * 1024
"""Of a trial write: as many as a long answer."""
_HASH = re.compile(r"[0-9a-f]{64}")
_STORED = re.compile(r"[0-9a-f]{2}/([0-9a-f]{64})\.zst")
_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_=.-]{0,127}")
_DEPTH = 8


class _Guard(Protocol):
    def __call__(self, path: str) -> None:
        """Raise StoreError when a path must not be touched."""


class StoredArtifacts:
    """Artifacts in an object store; implements monitor.domain.ports.Artifacts, for threads."""

    def __init__(
        self,
        store: ObjectStore,
        guard: _Guard,
        place: str,
        *,
        names: str = "pointers",
        readiness: Readiness | None = None,
    ) -> None:
        self._store = store
        self._guard = guard
        self._place = place
        self._names = names
        self._readiness = readiness or Readiness(self._try_out)
        self._root = Path(str(store.prefix)) if isinstance(store, LocalStore) else None

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return self._place

    def owned_by(self, owner: str) -> "StoredArtifacts":
        """The same bytes with pointers of one owner, apart from those of all others."""
        names = self._named(owner)
        return StoredArtifacts(
            self._store, self._guard, self._place, names=names, readiness=self._readiness
        )

    def ready(self) -> None:
        """Return where bytes can be kept right now; StoreError says why they cannot.

        To be asked before anything is paid for. It costs nothing while writes succeed.
        """
        self._readiness.demand()

    def put(self, content: bytes, *, lasting: bool = False) -> str:
        """Store bytes if they are not there yet; return their sha256 as hex.

        `lasting` waits until they would outlive a power cut, as pointers always do.
        """
        sha256 = sha256_hex(content)
        path = _path_of(sha256)
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(content)
        if not self._create(path, packed) and self._read(path) != packed:
            self._check_or_mend(sha256, packed)
        if lasting:
            self._flush(path)
        return sha256

    def get(self, sha256: str) -> bytes:
        """Bytes of that hash; LostBytesError when absent or altered."""
        packed = self._read(_path_of(sha256))
        if packed is None:
            raise LostBytesError(
                f"{self._place} holds no bytes under {sha256}: they were removed or never stored; "
                "restore them from a backup, or run `monitor verify` to list what is missing"
            )
        content = _unpacked(packed)
        if content is None or sha256_hex(content) != sha256:
            raise LostBytesError(
                f"{self._place}: the bytes under {sha256} were altered or cut; "
                "restore them from a backup, or run `monitor verify` to list all of them"
            )
        return content

    def has(self, sha256: str) -> bool:
        """Whether anything lies under that hash, intact or not, be it a link nobody follows."""
        path = _path_of(sha256)
        if not self._is_plain(path):
            return True
        # Asked without a body (HEAD), a service does not say whether it is the bucket that is gone.
        return self._get(path) is not None

    def point(self, name: str, sha256: str) -> None:
        """Leave a pointer; StoreError when the name points at other bytes already."""
        path = self._named(name)
        _check_hash(sha256)
        if self._create(path, sha256.encode("ascii")):
            self._flush(path)
            return
        found = self._target(path)
        if found != sha256:
            raise StoreError(
                f"{self._place}: {name} points at {found} already, refused to point it at "
                f"{sha256}: the same exchange was stored twice with different bytes; keep the first"
            )

    def pointers(self, prefix: str) -> tuple[tuple[str, str], ...]:
        """All (name, sha256) under a prefix of whole segments, sorted by name."""
        return tuple((name, self.target(name)) for name in self.names(prefix))

    def names(self, prefix: str = "") -> tuple[str, ...]:
        """Names of all pointers under a prefix of whole segments, sorted; nothing is read.

        Files of other programs, such as `.DS_Store`, are no pointers.
        """
        path = self._named(prefix) if prefix else self._names
        self._guard(path)
        found = (one.removeprefix(f"{self._names}/") for one in self._list(path))
        return tuple(sorted(filter(_is_pointer, found)))

    def target(self, name: str) -> str:
        """The sha256 that a pointer names; LostBytesError where it names none."""
        return self._target(self._named(name))

    def sound_target(self, name: str) -> str | None:
        """The sha256 that a pointer names; None where it names none, or is a link."""
        if not self._is_plain(self._named(name)):
            return None
        try:
            return self.target(name)
        except LostBytesError:
            return None

    def hashes(self) -> Iterator[str]:
        """Every hash that bytes lie under, intact or not, in no order."""
        found = (_STORED.fullmatch(path) for path in self._list(None))
        return (match[1] for match in found if match is not None)

    def packed(self, sha256: str) -> bytes | None:
        """The bytes of a hash as they are kept, compressed; None where they are gone or broken.

        A link that nobody follows counts as broken.
        """
        path = _path_of(sha256)
        packed = self._read(path) if self._is_plain(path) else None
        content = None if packed is None else _unpacked(packed)
        return packed if content is not None and sha256_hex(content) == sha256 else None

    def put_packed(self, sha256: str, packed: bytes) -> None:
        """Store what `packed` gave elsewhere, unless something lies there."""
        self._create(_path_of(sha256), packed)

    def remove(self, sha256: str) -> None:
        """Take bytes away for good; nothing to do where there are none."""
        path = _path_of(sha256)
        self._guard(path)
        try:
            self._store.delete(path)
        except FileNotFoundError:
            return
        except (BaseError, OSError) as error:
            raise StoreError(
                f"cannot remove {path} from {self._place}: {explained(error)}"
            ) from error

    def _list(self, path: str | None) -> Iterator[str]:
        """Paths of everything under a path, or of everything."""
        try:
            for batch in self._store.list(path):
                yield from (entry["path"] for entry in batch)
        except (BaseError, OSError) as error:
            raise self._unread(path or "the list", error) from error

    def _is_plain(self, path: str) -> bool:
        """Whether no link stands in a path."""
        try:
            self._guard(path)
        except StoreError:
            return False
        return True

    def _named(self, name: str) -> str:
        _check_pointer(name)
        return f"{self._names}/{name}"

    def _target(self, path: str) -> str:
        content = self._read(path)
        text = (content or b"").decode("ascii", "replace").strip()
        if not _HASH.fullmatch(text):
            raise LostBytesError(
                f"{self._place}/{path} is no pointer: expected 64 hex digits, found {text[:70]!r}; "
                "where its capture is not stored yet, the next `monitor resume` asks again"
            )
        return text

    def _check_or_mend(self, sha256: str, packed: bytes) -> None:
        """Write the bytes anew where what lies there is broken; they are in our hands now."""
        found = _unpacked(self._read(_path_of(sha256)) or b"")
        if found is None or sha256_hex(found) != sha256:
            try:
                self._store.put(_path_of(sha256), packed)
            except (BaseError, OSError) as error:
                raise StoreError(
                    f"cannot mend {sha256} in {self._place}: {explained(error)}"
                ) from error

    def _create(self, path: str, content: bytes) -> bool:
        """Write unless there is something; False when there was."""
        self._guard(path)
        try:
            self._store.put(path, content, mode="create")
        except AlreadyExistsError:
            return False
        except (BaseError, OSError) as error:
            self._readiness.doubt()
            raise StoreError(f"cannot write {path} to {self._place}: {explained(error)}") from error
        return True

    def _try_out(self) -> None:
        """Write some bytes that do not compress, and take them away again."""
        path = f"trial-{os.getpid()}-{threading.get_ident()}"
        try:
            self._store.put(path, os.urandom(_TRIAL_BYTES))
            self._store.delete(path)
        except (BaseError, OSError) as error:
            raise StoreError(f"cannot write to {self._place}: {explained(error)}") from error

    def _flush(self, path: str) -> None:
        """Wait until a file of ours is on the disk; a service says so by answering."""
        if self._root is None:
            return
        try:
            descriptor = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StoreError(f"cannot write {path} to {self._place}: {explained(error)}") from error

    def _read(self, path: str) -> bytes | None:
        self._guard(path)
        found = self._get(path)
        try:
            return None if found is None else bytes(found.bytes())
        except (BaseError, OSError) as error:
            raise self._unread(path, error) from error

    def _get(self, path: str) -> "GetResult | None":
        """What lies at a path, not yet read; None where there is nothing."""
        try:
            return self._store.get(path)
        except FileNotFoundError as error:
            if is_no_bucket(error):
                raise self._unread(path, error) from error
            return None
        except (BaseError, OSError) as error:
            raise self._unread(path, error) from error

    def _unread(self, path: str, error: Exception) -> StoreError:
        """The place failed, not the bytes."""
        return StoreError(f"cannot read {path} from {self._place}: {explained(error)}")


def open_artifacts(location: str | Path) -> StoredArtifacts:
    """Artifacts in a folder (made if absent) or behind an s3://, gs:// or az:// URL."""
    text = str(location)
    if text.startswith(SCHEMES):
        return StoredArtifacts(open_bucket(text), lambda path: None, text.rstrip("/"))  # noqa: ARG005
    if "://" in text:
        kind = text.split("://", maxsplit=1)[0]
        raise StoreError(
            f"artifacts at {kind}:// are unknown: expected a folder, or {', '.join(SCHEMES)}"
        )
    root = _folder(Path(text))
    return StoredArtifacts(LocalStore(prefix=root), _no_symlinks(root), str(root))


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
        return path.resolve(strict=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder for artifacts {path}: {error}") from error


def _no_symlinks(root: Path) -> _Guard:
    """Guard that refuses paths which lead out of the folder or over a symbolic link."""

    def guard(path: str) -> None:
        place = root
        for segment in path.split("/"):
            place = place / segment
            if segment in {"", ".", ".."} or place.is_symlink():
                raise StoreError(f"refused {place}: under {root} no symbolic link is followed")

    return guard


def _check_hash(sha256: str) -> None:
    if not _HASH.fullmatch(sha256):
        raise StoreError(f"{sha256[:80]!r} is no sha256: expected 64 lower-case hex digits")


def _path_of(sha256: str) -> str:
    _check_hash(sha256)
    return f"{sha256[:2]}/{sha256}.zst"


def _is_pointer(name: str) -> bool:
    segments = name.split("/")
    return len(segments) <= _DEPTH and all(_SEGMENT.fullmatch(part) for part in segments)


def _check_pointer(name: str) -> None:
    if not _is_pointer(name):
        raise StoreError(
            f"{name[:200]!r} is no pointer name: expected up to {_DEPTH} parts of letters, digits "
            "and _=.- joined by /, each starting with a letter or digit"
        )


def _unpacked(packed: bytes) -> bytes | None:
    """The bytes of one zstd frame, or None when it is broken, cut, or anything follows it."""
    try:
        # Streamed: the one-shot call allocates whatever size an altered header claims.
        frame = zstandard.ZstdDecompressor().decompressobj()
        content = frame.decompress(packed)
    except (zstandard.ZstdError, MemoryError):
        return None
    # The library takes a whole frame out of a longer input, and a part out of a shorter one.
    return content if frame.eof and not frame.unused_data else None
