"""Files as people hand them in; every word, address and secret in them is synthetic."""

import base64
import io
import json
import struct
import zipfile
import zlib
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from typing import Any

from monitor.capture.imports.opening import open_source
from monitor.capture.imports.parts import Caps
from tests.unit.engines import chat_pages, payloads_perplexity

QUESTION = "Why do synthetic oaks lean east?"
OTHER = "What do synthetic elms drink?"
ALPHA, BETA = chat_pages.A, chat_pages.B
MARK = "\ue200cite\ue202turn0search0\ue201"
TEXT = f"Synthetic oaks lean east because of the wind. {MARK}"
SEEN = 1_795_000_000.0
"""Unix time at which the synthetic answers were given: 2026-11-18T11:06:40Z."""


def opened(body: bytes, caps: Caps | None = None):
    """Container and documents of some bytes."""
    with open_source(io.BytesIO(body), caps or Caps()) as source:
        return source, list(source.documents)


def conversation(*pairs: tuple[str, str], name: str = "c", **more: Any) -> dict[str, Any]:
    """A conversation of ChatGPT: questions and answers in turn, each answer citing ALPHA."""
    rows: list[dict[str, Any]] = []
    for number, (question, text) in enumerate(pairs or ((QUESTION, TEXT),)):
        rows.append(chat_pages.message("user", question, id=f"{name}-u{number}"))
        references = [chat_pages.grouped(text, MARK, ALPHA)] if MARK in text else []
        rows.append(
            chat_pages.answer(text, *references)
            | {"id": f"{name}-a{number}", "create_time": SEEN + number}
        )
    return chat_pages.conversation(*rows, conversation_id=name, **more)


def export(*conversations: Any, members: dict[str, bytes] | None = None) -> bytes:
    """An export of an account: its conversations, and what else lies beside them."""
    files = {"conversations.json": json.dumps(list(conversations)).encode()}
    return zipped(files | (members or {}))


def zipped(files: dict[str, bytes] | list[tuple[Any, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, content)
    return buffer.getvalue()


def thread(question: str = QUESTION, **more: Any) -> bytes:
    """A thread of Perplexity with one answer."""
    fields: dict[str, Any] = {"query_str": question} | more
    return payloads_perplexity.thread(
        payloads_perplexity.message(
            payloads_perplexity.asked(), payloads_perplexity.table(), **fields
        )
    )


def entry(url: str, body: bytes | None, media: str = "application/json", **more: Any) -> Any:
    """An entry of a HAR, with cookies and keys as browsers save them."""
    content: dict[str, Any] = {"mimeType": media, "size": len(body or b"")}
    if body is not None:
        content |= {"text": base64.b64encode(body).decode(), "encoding": "base64"}
    return {
        "startedDateTime": "2026-11-20T08:00:00.000Z",
        "request": {
            "url": url,
            "headers": [{"name": "Cookie", "value": "sid=SECRETCOOKIE"},
                        {"name": "Authorization", "value": "Bearer SECRETBEARER0123456789"}],
            "cookies": [{"name": "sid", "value": "SECRETCOOKIE"}],
        },
        "response": {
            "status": 200, "content": content,
            "headers": [{"name": "Set-Cookie", "value": "sid=SECRETSETCOOKIE"}],
            "cookies": [{"name": "sid", "value": "SECRETSETCOOKIE"}],
        },
    } | more  # fmt: skip


def har(*entries: Any) -> bytes:
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}}).encode()


def mhtml(*parts: tuple[str, str, bytes, str], at: str = "https://chatgpt.com/c/1") -> bytes:
    """An MHTML of parts: (media type, location, content, content id), encoded in turn."""
    message = MIMEMultipart("related")
    message["Snapshot-Content-Location"] = at
    message["Subject"] = "Synthetic"
    message["Date"] = "Fri, 20 Nov 2026 08:00:00 +0100"
    for media, location, content, name in parts:
        part = MIMENonMultipart(*media.split("/"))
        part.set_payload(base64.encodebytes(content).decode())
        part["Content-Transfer-Encoding"] = "base64"
        part["Content-Location"] = location
        if name:
            part["Content-ID"] = f"<{name}>"
        message.attach(part)
    return message.as_bytes()


def page(*answers: str, head: str = "", beside: str = "") -> bytes:
    """A saved page of ChatGPT; its question is `Question 0?`."""
    body = chat_pages.chatgpt(*(answers or ("Oaks lean east.",)))
    return f"<!doctype html><html><head>{head}</head><body>{beside}{body}</body></html>".encode()


def png(width: int = 1280, height: int = 900) -> bytes:
    """The smallest PNG of a size that a reader of headers takes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(said)) + kind + said + struct.pack(">I", zlib.crc32(kind + said))
        for kind, said in chunks
    )
