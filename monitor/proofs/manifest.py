"""The manifest of a capture: canonical JSON that names every file behind it by its hash."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from monitor.domain.keys import canonical_json
from monitor.errors import EvidenceError

SCHEMA = "monitor-capture-manifest-1"

MOST_BYTES = 8 * 1024 * 1024
"""Of a manifest that is read."""
MOST_FILES = 10_000
"""Of one capture."""

_PATH = re.compile(r"[a-z]{1,20}/[0-9a-z-]{1,60}\.[a-z0-9]{1,8}")
_HASH = re.compile(r"[0-9a-f]{64}")


class FileKind(StrEnum):
    """What a file behind a capture is."""

    PAYLOAD = "payload"
    """The body that came back, keys blanked."""
    EXCHANGE = "exchange"
    """The record of a call: what was asked, the status, the kept headers, the time."""
    SCREENSHOT = "screenshot"
    SNAPSHOT = "snapshot"
    """Page, text or file kept beside the pictures."""


@dataclass(frozen=True, slots=True)
class File:
    """A file behind a capture."""

    path: str
    """Within the capture's folder of a bundle; made by us, never of words of others."""
    kind: FileKind
    sha256: str
    bytes: int | None
    """None where the bytes were gone when the manifest was made."""
    media_type: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was read."""

    run: str
    capture: int
    files: tuple[File, ...]
    fields: Mapping[str, Any]
    """All of it."""


def manifest_bytes(fields: Mapping[str, Any], files: Iterable[File]) -> bytes:
    """The one byte form of a manifest; `fields` has at least `run` and `capture`."""
    rows = [
        {
            "path": one.path,
            "kind": one.kind.value,
            "sha256": one.sha256,
            "bytes": one.bytes,
            "media_type": one.media_type,
        }
        for one in sorted(files, key=lambda one: one.path)
    ]
    return canonical_json({**fields, "schema": SCHEMA, "files": rows})


def read_manifest(content: bytes, name: str) -> Manifest:
    """A manifest from its bytes; EvidenceError where they are none, or not in their one form."""
    if len(content) > MOST_BYTES:
        raise EvidenceError(
            f"{name}: {len(content)} bytes; expected a manifest of at most {MOST_BYTES}"
        )
    try:
        return _manifest(content)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        said = str(error) if type(error) is ValueError else error.__class__.__name__
        raise EvidenceError(
            f"{name}: no manifest that can be read ({said[:200]}); expected the canonical JSON "
            f"of schema {SCHEMA}: it was edited, or cut, or is another file"
        ) from None


def _manifest(content: bytes) -> Manifest:
    fields = json.loads(content)
    if fields["schema"] != SCHEMA:
        raise ValueError(f"schema {str(fields['schema'])[:60]!r}")
    rows = fields["files"]
    if len(rows) > MOST_FILES:
        raise ValueError(f"{len(rows)} files, expected at most {MOST_FILES}")
    # One form only: no key twice, no number in two ways, nothing between the lines.
    if canonical_json(fields) != content:
        raise ValueError("not in canonical form")
    run, capture = fields["run"], fields["capture"]
    if not isinstance(run, str) or type(capture) is not int:
        raise ValueError("no run and number of a capture")
    files = tuple(_file(row) for row in rows)
    if len({one.path for one in files}) != len(files):
        raise ValueError("a path stands there twice")
    return Manifest(run, capture, files, fields)


def _file(row: Mapping[str, Any]) -> File:
    path, sha256, size = row["path"], row["sha256"], row["bytes"]
    if not _PATH.fullmatch(path):
        raise ValueError(f"path {path[:60]!r}")
    if not _HASH.fullmatch(sha256):
        raise ValueError(f"hash {sha256[:70]!r}")
    if size is not None and (type(size) is not int or size < 0):
        raise ValueError(f"size {str(size)[:60]!r}")
    return File(path, FileKind(row["kind"]), sha256, size, str(row["media_type"]))
