"""Any file that was handed in -> its documents, read piece by piece where it is an archive."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

from monitor.capture.imports.archive import (
    conversation_members,
    conversations,
    left_out,
    open_archive,
)
from monitor.capture.imports.har import open_har
from monitor.capture.imports.json_pieces import is_list, pieces, read_json
from monitor.capture.imports.mhtml import open_mhtml
from monitor.capture.imports.pages import open_page
from monitor.capture.imports.parts import (
    NOTHING,
    Caps,
    Container,
    Counts,
    FoundDocument,
    ImportFileError,
    Opened,
    shown_bytes,
)
from monitor.capture.imports.sniffing import HEAD, container_of


@dataclass(frozen=True, slots=True)
class Source:
    """An opened file; its documents can be read once."""

    container: Container
    documents: Iterator[FoundDocument]
    dropped: Counts = field(default_factory=lambda: NOTHING)
    notes: tuple[str, ...] = ()


@contextmanager
def open_source(file: BinaryIO, caps: Caps) -> Iterator[Source]:
    """A file by what its bytes are; ImportFileError says why it cannot be taken."""
    size = file.seek(0, 2)
    file.seek(0)
    container = container_of(file.read(HEAD))
    file.seek(0)
    most = caps.archive_bytes if container is Container.ARCHIVE else caps.file_bytes
    if size > most:
        raise ImportFileError(
            f"{shown_bytes(size)}, at most {shown_bytes(most)} are taken as {container.value}"
        )
    if container is Container.ARCHIVE:
        with open_archive(file, caps) as archive:
            members = conversation_members(archive, caps)
            every = (one for member in members for one in conversations(archive, member, caps))
            yield Source(container, every, left_out(archive))
        return
    opened = _opened(container, file.read(), caps)
    yield Source(opened.container, iter(opened.documents), opened.dropped, opened.notes)


def _opened(container: Container, body: bytes, caps: Caps) -> Opened:
    """A file that is read as a whole."""
    match container:
        case Container.HAR:
            return open_har(body, caps)
        case Container.MHTML:
            return open_mhtml(body, caps)
        case Container.PAGE:
            _refuse_large(body, caps.document_bytes)
            return open_page(body)
        case Container.JSON:
            return _json(body, caps)
    _refuse_large(body, caps.text_bytes if container is Container.TEXT else caps.document_bytes)
    return Opened(container, (FoundDocument(body),))


def _json(body: bytes, caps: Caps) -> Opened:
    """One document, or each of the conversations that are listed."""
    if is_list(body):
        several = tuple(
            FoundDocument(one, f"#{number}", media="application/json")
            for number, one in enumerate(pieces([body], "json", caps))
        )
        return Opened(Container.JSON, several)
    _refuse_large(body, caps.document_bytes)
    read_json(body, "json")
    return Opened(Container.JSON, (FoundDocument(body, media="application/json"),))


def _refuse_large(body: bytes, most: int) -> None:
    if len(body) > most:
        raise ImportFileError(
            f"{shown_bytes(len(body))} in one document, at most {shown_bytes(most)} are read; "
            "hand in the page or the conversation by itself"
        )
