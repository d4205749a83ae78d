"""MHTML: a page with its parts, as browsers save it in one file. Nothing in it is run or fetched.

Style sheets among the parts are put into the page that links them, for they say what is shown.
Parts refer to each other by `cid:` or by address; no reference is followed more than once, so that
parts which name each other in a circle cost nothing.
"""

import codecs
import email
import re
from collections.abc import Mapping
from email.message import Message

from monitor.capture.imports.addresses import safe_address
from monitor.capture.imports.moments import mail_moment
from monitor.capture.imports.parts import (
    Caps,
    Container,
    FoundDocument,
    ImportFileError,
    Opened,
    shown_bytes,
)

_LINK = re.compile(rb"<link\b[^<>]{0,4000}>", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*(?:\"([^\"]{0,4000})\"|'([^']{0,4000})')", re.IGNORECASE)
_BOUNDARY = re.compile(rb"\bboundary\s*=\s*\"?([^\"\s;]{1,100})", re.IGNORECASE)
_MOST_LEVELS = 20
"""Boundaries that one page can have."""
_CLOSED = re.compile(rb"</(style)", re.IGNORECASE)
_MOST_STYLES = 32 * 1024**2


def open_mhtml(body: bytes, caps: Caps) -> Opened:
    """The page of an MHTML and its frames, main page first; ImportFileError where it has none."""
    _refuse_many(body, caps)
    message = email.message_from_bytes(body.removeprefix(codecs.BOM_UTF8))
    parts = [part for part in message.walk() if not part.is_multipart()]
    wanted = message.get("Snapshot-Content-Location", "").strip()
    pages = [part for part in parts if part.get_content_type() == "text/html"]
    if not pages:
        raise ImportFileError("mhtml: no page in it; save the page again, as a single file")
    pages.sort(key=lambda part: _location(part) != wanted)
    styles = _styles(parts)
    at = mail_moment(message.get("Date", ""))
    documents = tuple(
        FoundDocument(
            _with_styles(_bytes(part, caps), styles, caps),
            f"part {number}",
            url=safe_address(_location(part)) or (safe_address(wanted) if not number else None),
            inside_at=at,
            media="text/html",
        )
        for number, part in enumerate(pages)
    )
    others = len(parts) - len(pages)
    return Opened(Container.MHTML, documents, {"part of a page": others} if others else {})


def _refuse_many(body: bytes, caps: Caps) -> None:
    """Refuse parts without number before they are parted."""
    marks = set(_BOUNDARY.findall(body))
    if len(marks) > _MOST_LEVELS or sum(body.count(b"\n--" + one) for one in marks) > caps.members:
        raise ImportFileError(
            f"mhtml: parts within parts, or more than {caps.members:,} of them; save the page again"
        )


def _styles(parts: list[Message]) -> Mapping[str, bytes]:
    """Style sheets by every name that a page may call them."""
    found: dict[str, bytes] = {}
    size = 0
    for part in parts:
        if part.get_content_type() != "text/css":
            continue
        content = _payload(part)
        size += len(content)
        if size > _MOST_STYLES:
            break
        name = part.get("Content-ID", "").strip().strip("<>")
        if name:
            found[f"cid:{name}"] = content
        if location := _location(part):
            found[location] = content
    return found


def _with_styles(page: bytes, styles: Mapping[str, bytes], caps: Caps) -> bytes:
    """A page whose links to its own style sheets are those sheets."""
    size = len(page)

    def sheet(link: re.Match[bytes]) -> bytes:
        nonlocal size
        href = _HREF.search(link[0])
        name = (href[1] or href[2] or b"").decode("utf-8", "replace") if href else ""
        content = styles.get(name.replace("&amp;", "&"))
        if content is None or size + len(content) > caps.document_bytes:
            return link[0]
        size += len(content)
        # A sheet cannot end its own element and go on as markup.
        return b"<style>" + _CLOSED.sub(rb"<\\/\1", content) + b"</style>"

    return _LINK.sub(sheet, page) if styles else page


def _bytes(part: Message, caps: Caps) -> bytes:
    content = _payload(part)
    if len(content) > caps.document_bytes:
        raise ImportFileError(
            f"mhtml: a page of {shown_bytes(len(content))} in it, at most "
            f"{shown_bytes(caps.document_bytes)} are read"
        )
    return content


def _payload(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _location(part: Message) -> str:
    return str(part.get("Content-Location", "")).strip()
