"""What a container gives: documents as bytes, with what it says of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from monitor.errors import MonitorError

Counts = Mapping[str, int]
"""Kind of what was left out -> how often; never what it said."""

NOTHING: Counts = MappingProxyType({})


class Container(StrEnum):
    """What holds the documents of a file, told by its bytes."""

    ARCHIVE = "zip"
    HAR = "har"
    MHTML = "mhtml"
    PAGE = "html"
    PICTURE = "picture"
    JSON = "json"
    TEXT = "text"


class ImportFileError(MonitorError):
    """A file that was handed in cannot be taken; its text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Most that is taken from one file; what is larger is refused, never cut."""

    archive_bytes: int = 4 * 1024**3
    """Of a zip file, which is read piece by piece."""
    file_bytes: int = 128 * 1024**2
    """Of any other file."""
    members: int = 20_000
    """Files in a zip, entries of a HAR, parts of an MHTML."""
    member_bytes: int = 4 * 1024**3
    """Of one member of a zip, unpacked."""
    total_bytes: int = 6 * 1024**3
    """Of all members that are read, unpacked."""
    ratio: int = 200
    """Unpacked bytes per packed byte; conversations pack to about a tenth."""
    document_bytes: int = 64 * 1024**2
    """Of one document, such as a conversation."""
    text_bytes: int = 8 * 1024**2
    """Of a document that is text alone, such as Markdown or a stream."""
    answer_bytes: int = 1024**2
    """Of an answer that is copied without its page."""


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """One document of a file, before anybody knows which surface it is of."""

    body: bytes
    member: str | None = None
    """Its name inside the file; None where the file is the document."""
    url: str | None = None
    """Address the container gives it, without what may be secret."""
    inside_at: datetime | None = None
    """When it was saved, as the container says."""
    notes: tuple[str, ...] = ()
    """What the container makes doubtful, in words."""
    media: str | None = None
    """Its media type, where the container tells."""
    dropped: Counts = field(default_factory=lambda: NOTHING)
    """What was left out of it as the container was opened."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A container's documents, and what was not taken from it."""

    container: Container
    documents: tuple[FoundDocument, ...]
    dropped: Counts = field(default_factory=lambda: NOTHING)
    notes: tuple[str, ...] = ()


def added(*several: Counts) -> Counts:
    """Several counts in one, by name."""
    total: dict[str, int] = {}
    for counts in several:
        for name, count in counts.items():
            total[name] = total.get(name, 0) + count
    return MappingProxyType(dict(sorted(total.items())))


def shown_bytes(count: int) -> str:
    """A number of bytes as people read it: `12.5 MB`."""
    for unit, size in (("GB", 1024**3), ("MB", 1024**2), ("KB", 1024)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
