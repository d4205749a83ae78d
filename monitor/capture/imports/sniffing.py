"""What a file is, by its first bytes; its name says nothing."""

import codecs
import re

from monitor.capture.imports.parts import Container, ImportFileError

HEAD = 65_536
"""Bytes that are looked at."""

_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "a gzip file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"MZ\x90", "a program"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
    (b"bplist00", "a Safari web archive"),
    (b"GIF8", "a GIF picture"),
    (b"WARC/", "a WARC file"),
)
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_HAR = re.compile(rb'\s*\{\s*"log"\s*:\s*\{')
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*(?:[{\]]|\[\s*[\[{]))')
_MIME = re.compile(rb"^(?:mime-version|snapshot-content-location):", re.IGNORECASE | re.MULTILINE)
_RELATED = re.compile(rb"^content-type:\s*multipart/", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(rb"\s*<(?:!doctype|!--|[a-z])", re.IGNORECASE)
_MARK = b"\xef\xbb\xbf"


def container_of(head: bytes) -> Container:
    """What a file that starts so is; ImportFileError for what nobody here reads."""
    if not head.strip():
        raise ImportFileError("the file is empty; expected a document of an answer surface")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return Container.ARCHIVE
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return Container.PICTURE
    for magic, name in _FOREIGN:
        if head.startswith(magic):
            raise ImportFileError(f"this is {name}, which is not read here; {_EXPECTED}")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ImportFileError("this is text as UTF-16; save it as UTF-8, and hand that in")
    if b"\x00" in head:
        raise ImportFileError(f"these bytes are no text; {_EXPECTED}, text as UTF-8")
    start = head.removeprefix(_MARK)
    if _HAR.match(start):
        return Container.HAR
    if _JSON.match(start):
        return Container.JSON
    if _TAG.match(start):
        return Container.PAGE
    if _MIME.search(start) and _RELATED.search(start):
        return Container.MHTML
    return Container.TEXT


_EXPECTED = (
    "expected a ChatGPT export (zip), a share page, a thread, a conversation or HAR (JSON), a "
    "saved page (MHTML or HTML), Markdown, a copied text, or a picture (PNG, JPEG, WebP)"
)
