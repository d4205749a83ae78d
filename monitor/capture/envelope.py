"""An exchange as stored: the body under its own hash, and a small record that points at it.

The record is canonical JSON. It lies in the artifacts before the database hears of the call, so a
call whose bytes are on disk is never paid again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor.domain.engine import Exchange, Request
from monitor.domain.keys import canonical_json, content_key, sha256_hex
from monitor.domain.ports import Artifacts
from monitor.domain.secrecy import SHORTEST_SECRET, kept_headers, redact, redact_headers
from monitor.errors import LostBytesError

__all__ = [
    "SHORTEST_SECRET", "Envelope", "Kept", "decode", "encode", "kept_headers", "make_envelope",
    "pointer_name", "redact", "redact_headers", "request_json", "store_envelope",
    "stored_exchanges",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Envelope:
    """One call of a capture: what was asked, what came back, when."""

    seq: int
    attempt: int
    request: Request
    status: int | None
    headers: tuple[tuple[str, str], ...]
    body_sha256: str
    started_at: datetime
    duration_ms: int
    failure: str | None = None
    redacted: int = 0
    """How often a key stood in the body and was blanked before storing."""

    @property
    def request_hash(self) -> str:
        """Hash of method, URL, query and body; no key is part of it."""
        return content_key(request_json(self.request))

    def exchange(self, body: bytes) -> Exchange:
        """The exchange an engine's parse reads."""
        return Exchange(body, self.status, self.headers, self.request, self.failure)


def request_json(request: Request) -> dict[str, Any]:
    """A request as JSON values, for hashing and storing."""
    return {
        "method": request.method,
        "url": request.url,
        "json": request.json,
        "query": [list(pair) for pair in request.query],
        "headers": [list(pair) for pair in request.headers],
    }


def pointer_name(capture_id: int, seq: int, attempt: int) -> str:
    """Name under which an exchange of a capture is found again."""
    return f"capture/{capture_id}/{seq:03d}/{attempt:03d}"


def store_envelope(artifacts: Artifacts, capture_id: int, envelope: Envelope, body: bytes) -> str:
    """Body first, then the record, then the pointer; returns the record's hash."""
    if artifacts.put(body, lasting=True) != envelope.body_sha256:
        raise ValueError("the envelope names another body")
    sha256 = artifacts.put(encode(envelope), lasting=True)
    artifacts.point(pointer_name(capture_id, envelope.seq, envelope.attempt), sha256)
    return sha256


@dataclass(frozen=True, slots=True)
class Kept:
    """What the artifacts hold of the exchanges of a capture."""

    envelopes: tuple[Envelope, ...]
    """Those whose record and body are intact, in order of asking."""
    lost: int
    """Exchanges that left a pointer and whose bytes are gone or broken."""
    free: Mapping[int, int]
    """By place in the conversation, the number of the next try; 0 where none was made."""


def stored_exchanges(artifacts: Artifacts, capture_id: int) -> Kept:
    """What lies in the artifacts of a capture, so that nothing intact is asked again.

    What followed a lost exchange is of no use: its answer came to another conversation.
    """
    intact: list[Envelope] = []
    free: dict[int, int] = {}
    lost_at: list[int] = []
    for name in artifacts.names(f"capture/{capture_id}"):
        seq, attempt = map(int, name.split("/")[-2:])
        free[seq] = attempt + 1
        found = None if lost_at and seq > lost_at[0] else _intact(artifacts, name)
        if found is None:
            lost_at.append(seq)
        else:
            intact.append(found)
    return Kept(tuple(intact), len(lost_at), free)


def _intact(artifacts: Artifacts, name: str) -> Envelope | None:
    """The record a pointer leads to, or None where it or its body is gone or broken."""
    try:
        envelope = decode(artifacts.get(artifacts.target(name)))
        artifacts.get(envelope.body_sha256)
    except LostBytesError:
        return None
    return envelope


def encode(envelope: Envelope) -> bytes:
    """The record's one byte form."""
    return canonical_json(
        {
            "envelope": 1,
            "seq": envelope.seq,
            "attempt": envelope.attempt,
            "request": request_json(envelope.request),
            "status": envelope.status,
            "headers": [list(pair) for pair in envelope.headers],
            "body_sha256": envelope.body_sha256,
            "started_at": envelope.started_at.isoformat(),
            "duration_ms": envelope.duration_ms,
            "failure": envelope.failure,
            "redacted": envelope.redacted,
        }
    )


def decode(content: bytes) -> Envelope:
    """The record back from its bytes."""
    read = json.loads(content)
    asked = read["request"]
    return Envelope(
        seq=read["seq"],
        attempt=read["attempt"],
        request=Request(
            method=asked["method"],
            url=asked["url"],
            json=asked["json"],
            query=tuple((k, v) for k, v in asked["query"]),
            headers=tuple((k, v) for k, v in asked["headers"]),
        ),
        status=read["status"],
        headers=tuple((k, v) for k, v in read["headers"]),
        body_sha256=read["body_sha256"],
        started_at=datetime.fromisoformat(read["started_at"]),
        duration_ms=read["duration_ms"],
        failure=read["failure"],
        redacted=read["redacted"],
    )


def make_envelope(
    request: Request,
    exchange: Exchange,
    *,
    seq: int,
    attempt: int,
    started_at: datetime,
    duration_ms: int,
    redacted: int = 0,
) -> Envelope:
    """Record of one exchange that was just made."""
    return Envelope(
        seq=seq,
        attempt=attempt,
        request=request,
        status=exchange.status,
        headers=exchange.headers,
        body_sha256=sha256_hex(exchange.body),
        started_at=started_at,
        duration_ms=duration_ms,
        failure=exchange.failure,
        redacted=redacted,
    )
