"""HAR: what a browser's network panel saved. Only bodies of answer surfaces are taken from it.

Requests, headers, cookies and everything of other sites stay behind. Browsers leave the bodies of
streams out of a HAR more often than not; that such a body is missing is told, not passed over.
"""

import base64
import binascii
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from monitor.capture.imports.addresses import safe_address, surface_host
from monitor.capture.imports.json_pieces import read_json
from monitor.capture.imports.moments import iso_moment
from monitor.capture.imports.parts import (
    Caps,
    Container,
    FoundDocument,
    ImportFileError,
    Opened,
    shown_bytes,
)

BODY_MISSING = "body_missing"
_ANSWERS = (
    "/backend-api/conversation", "/backend-api/f/conversation", "/backend-anon/conversation",
    "/rest/sse/perplexity_ask", "/rest/thread/", "/async/folwr", "/async/folif", "/async/folsrch",
    "/c/api/conversations", "/BardChatUi/data/",
)  # fmt: skip
"""Paths that carry an answer: a missing body there is a missing answer."""
_MEDIA = ("json", "html", "text/event-stream", "javascript", "text/plain")


def open_har(body: bytes, caps: Caps) -> Opened:
    """Bodies of the entries of answer surfaces; ImportFileError where it is no HAR."""
    whole = read_json(body, "har")
    log = whole.get("log") if isinstance(whole, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise ImportFileError("har: log.entries is no list; save it again with its contents")
    if len(entries) > caps.members:
        raise ImportFileError(
            f"har: {len(entries):,} entries, at most {caps.members:,} are read; clear the network "
            "panel, ask again, and save that"
        )
    dropped: Counter[str] = Counter()
    documents: list[FoundDocument] = []
    missing: list[str] = []
    for number, entry in enumerate(entries):
        address = _address(entry)
        if surface_host(address) is None:
            dropped["entry of another site"] += 1
            continue
        _count_secrets(entry, dropped)
        found = _document(entry, number, address, caps)
        if found is not None:
            documents.append(found)
        elif _is_answer(address):
            missing.append(f"entry {number} ({safe_address(address)})")
        else:
            dropped["entry without a document"] += 1
    notes = [f"{BODY_MISSING}: {one}: the browser left its body out" for one in missing[:20]]
    if not documents:
        told = "; ".join(notes) or "none of its entries is of an answer surface"
        raise ImportFileError(
            f"har: no body to read ({told}); save the thread or the page itself, or share it"
        )
    return Opened(Container.HAR, tuple(documents), dropped, tuple(notes))


def _document(entry: Any, number: int, address: str, caps: Caps) -> FoundDocument | None:
    """The body of one entry; None where it has none that could be a document."""
    content = _mapping(_mapping(entry.get("response")).get("content"))
    text, media = content.get("text"), str(content.get("mimeType") or "")
    if not isinstance(text, str) or not text or not any(one in media for one in _MEDIA):
        return None
    body = _decoded(text, content.get("encoding"), number)
    if not body.strip():
        return None
    if len(body) > caps.document_bytes:
        raise ImportFileError(
            f"har: entry {number} is {shown_bytes(len(body))}, at most "
            f"{shown_bytes(caps.document_bytes)} are read"
        )
    return FoundDocument(
        body,
        f"entry {number}",
        url=safe_address(address),
        inside_at=_begun(entry),
        media=media.partition(";")[0].strip(),
    )


def _decoded(text: str, encoding: Any, number: int) -> bytes:
    if encoding in (None, ""):
        return text.encode("utf-8", "replace")
    if encoding != "base64":
        raise ImportFileError(f"har: entry {number} is encoded as {str(encoding)[:40]!r}")
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError) as error:
        raise ImportFileError(f"har: entry {number} is no base64; save the HAR again") from error


def _count_secrets(entry: Any, dropped: Counter[str]) -> None:
    """Count what of an entry stays behind, by kind."""
    for side in ("request", "response"):
        part = _mapping(entry.get(side))
        for cookies in (part.get("cookies"),):
            dropped["cookie"] += len(cookies) if isinstance(cookies, list) else 0
        headers = part.get("headers")
        dropped["header"] += len(headers) if isinstance(headers, list) else 0


def _address(entry: Any) -> str:
    address = _mapping(_mapping(entry).get("request")).get("url")
    return address if isinstance(address, str) else ""


def _is_answer(address: str) -> bool:
    return any(one in urlsplit(address).path for one in _ANSWERS)


def _begun(entry: Mapping[str, Any]) -> datetime | None:
    begun = entry.get("startedDateTime")
    return iso_moment(begun) if isinstance(begun, str) else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
