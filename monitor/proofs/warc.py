"""WARC files: exchanges as requests and responses, everything else as resources, in fixed bytes.

The library that writes them is in the extra `evidence`.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from io import BytesIO
from types import ModuleType
from typing import IO, Any
from urllib.parse import quote, urlsplit
from uuid import NAMESPACE_URL, uuid5

from monitor.domain.keys import sha256_hex
from monitor.domain.moments import utc_second
from monitor.errors import EvidenceError

BASE = "http://evidence.invalid/"
"""Where files of ours are said to lie: a name that is reserved, so nobody takes it for a site."""

_URI = "!#$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True, slots=True)
class Resource:
    """A file of ours, or a page that was fetched."""

    uri: str
    at: datetime
    media_type: str
    read: Callable[[], bytes]
    kind: str = "resource"
    """`resource`, or `metadata` for what is said about others."""


@dataclass(frozen=True, slots=True)
class Call:
    """An HTTP exchange, as it was recorded: without keys, with the headers that are kept."""

    uri: str
    at: datetime
    method: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: bytes
    status: int
    headers: tuple[tuple[str, str], ...]
    read: Callable[[], bytes]
    """Reads the body, decoded as it was stored."""


Record = Resource | Call


def write_warc(stream: IO[bytes], records: Iterable[Record], about: dict[str, str]) -> int:
    """Write records to a gzipped WARC; how many. `about` is told in its first record."""
    writer = _library("warcio.warcwriter").WARCWriter(stream, gzip=True)
    count = 0
    for count, one in enumerate(records, start=1):
        if count == 1:
            _write_about(writer, about, one.at)
        if isinstance(one, Call):
            _write_call(writer, one, count)
        else:
            content = one.read()
            made = writer.create_warc_record(
                web_uri(one.uri),
                one.kind,
                payload=BytesIO(content),
                length=len(content),
                warc_content_type=one.media_type,
                warc_headers_dict=_heads(one.at, one.uri, count, content),
            )
            writer.write_record(made)
    return count


def _write_about(writer: Any, about: dict[str, str], at: datetime) -> None:
    lines = "".join(f"{name}: {value}\r\n" for name, value in sorted(about.items())).encode("utf-8")
    made = writer.create_warc_record(
        "",
        "warcinfo",
        payload=BytesIO(lines),
        length=len(lines),
        warc_content_type="application/warc-fields",
        warc_headers_dict=_heads(at, "warcinfo", 0, lines),
    )
    writer.write_record(made)


def _write_call(writer: Any, call: Call, number: int) -> None:
    """A response and the request it answers."""
    heads = _library("warcio.statusandheaders").StatusAndHeaders
    body, uri = call.read(), web_uri(call.uri)
    phrase = HTTPStatus(call.status).phrase if call.status in set(HTTPStatus) else "Unknown"
    answered = writer.create_warc_record(
        uri,
        "response",
        payload=BytesIO(body),
        length=len(body),
        http_headers=heads(f"{call.status} {phrase}", list(call.headers), protocol="HTTP/1.1"),
        warc_headers_dict=_heads(call.at, call.uri, number, body),
    )
    parts = urlsplit(uri)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    asked = writer.create_warc_record(
        uri,
        "request",
        payload=BytesIO(call.request_body),
        length=len(call.request_body),
        http_headers=heads(
            f"{call.method} {target} HTTP/1.1",
            [("host", parts.netloc), *call.request_headers],
            is_http_request=True,
        ),
        warc_headers_dict=_heads(call.at, f"request {call.uri}", number, call.request_body),
    )
    writer.write_request_response_pair(asked, answered)


def _heads(at: datetime, uri: str, number: int, content: bytes) -> dict[str, str]:
    """Headers that make a record the same each time it is written."""
    name = json.dumps([uri, number, sha256_hex(content)])
    return {
        "WARC-Date": utc_second(at),
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, name)}>",
    }


def web_uri(uri: str) -> str:
    """An address without anything that could end a header line."""
    return quote(uri, safe=_URI)


def _library(name: str) -> ModuleType:
    try:
        import warcio.archiveiterator
        import warcio.statusandheaders
        import warcio.warcwriter
    except ImportError:
        raise EvidenceError(
            "WARC files need the extra `evidence`: pip install 'citation-monitor[evidence]'"
        ) from None
    modules: dict[str, ModuleType] = {
        one.__name__: one
        for one in (warcio.warcwriter, warcio.statusandheaders, warcio.archiveiterator)
    }
    return modules[name]


def require() -> None:
    """EvidenceError where WARC files can be neither written nor read here."""
    _library("warcio.warcwriter")


@dataclass(frozen=True, slots=True)
class Found:
    """A record that was read."""

    uri: str
    kind: str
    sha256: str
    content: bytes | None
    """Its bytes where they are few, else None."""


def read_warc(stream: IO[bytes], *, keep: int, most: int) -> Iterable[Found]:
    """The records of a WARC, bytes of small ones kept; EvidenceError beyond `most` bytes in all."""
    iterate = _library("warcio.archiveiterator").ArchiveIterator
    total = 0
    for record in iterate(stream):
        seen, parts, size = hashlib.sha256(), [], 0
        content = record.content_stream()
        while part := content.read(1024 * 1024):
            seen.update(part)
            size += len(part)
            total += len(part)
            if total > most:
                raise EvidenceError(f"more than {most} bytes unpacked")
            if size <= keep:
                parts.append(part)
        kept = b"".join(parts) if size <= keep else None
        uri = record.rec_headers.get_header("WARC-Target-URI") or ""
        yield Found(uri, record.rec_type, seen.hexdigest(), kept)
