"""Bytes of answers: pictures where they are pictures, everything else only to be saved."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import JSONResponse, Response

from monitor.domain.access import Role
from monitor.errors import LostBytesError
from monitor.pipeline.kept_bytes import KeptBytes, kept_bytes, page_bytes, page_text
from monitor.pipeline.one_answer import OneAnswer
from monitor.pipeline.source_proofs import marks_in
from monitor.report.screens.source_text import (
    Quoted,
    SourceText,
    SourceTextScreen,
    source_text_screen,
)
from monitor.store import captures
from monitor.web.access.visiting import VisitorOf, needs
from monitor.web.desk import Desk
from monitor.web.pages.answers import (
    AnswerOf,
    CaptureId,
    answer_named,
    looks_at,
    source_of,
)
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.seeing import note_seen
from monitor.web.problems import not_found
from monitor.web.screens import Screen

ROUTER = APIRouter(dependencies=[Depends(needs(Role.VIEWER))], include_in_schema=False)

Sha256 = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="Hash of stored bytes.")]
_Number = Annotated[int, Path(ge=1, le=2**31, description="Number of a cited page.")]
_Part = Annotated[int | None, Query(ge=1, le=2**31, description="Part of a long text.")]

_LOOKS = [Depends(looks_at)]
_SANDBOX = "default-src 'none'; sandbox; frame-ancestors 'none'"
"""What bytes of outsiders may do where a browser shows them all the same: nothing."""
_KEPT = "private, max-age=31536000, immutable"
"""The address has the hash of the bytes."""
_HEADERS = {
    "content-security-policy": _SANDBOX,
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}


def picture_type(content: bytes) -> str | None:
    """Media type of a JPEG, PNG or WebP by its first bytes; None for anything else."""
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    return None


def _kept(desk: Desk, capture: int, sha256: str) -> bytes:
    """Bytes that are kept of an answer; 404 where it has none of that hash, or none any more."""
    what = f"capture {capture}"
    try:
        return _content(kept_bytes(desk.bench, capture, sha256), what, sha256)
    except LostBytesError as error:
        raise not_found(f"{what}: {error}") from error


@ROUTER.get("/captures/{capture}/pictures/{sha256}", dependencies=_LOOKS)
def tell_picture(desk: DeskOf, capture: CaptureId, sha256: Sha256) -> Response:
    """A picture that is kept of an answer, shown where its bytes are one."""
    content = _kept(desk, capture, sha256)
    kind = picture_type(content)
    return _saved(content, sha256) if kind is None else _shown(content, kind)


@ROUTER.get("/captures/{capture}/files/{sha256}", dependencies=_LOOKS)
def tell_file(desk: DeskOf, capture: CaptureId, sha256: Sha256) -> Response:
    """Payload, picture, snapshot or proof of an answer, to be saved."""
    return _saved(_kept(desk, capture, sha256), sha256)


@ROUTER.get("/captures/{capture}/sources/{number}/bytes", dependencies=_LOOKS)
def tell_page(desk: DeskOf, capture: CaptureId, number: _Number) -> Response:
    """A cited page as it was fetched, to be saved."""
    one = answer_named(desk, capture)
    content, sha256 = _of_page(desk, one, source_of(one, number), page_bytes)
    return _saved(content, sha256, "no-store")


def _of_page(
    desk: Desk, one: OneAnswer, number: int, get: Callable[..., KeptBytes | None]
) -> tuple[bytes, str]:
    """Bytes or text of a cited page with their hash; 404 where there are none."""
    what = f"source {number} of capture {one.capture.id}"
    try:
        kept = get(desk.bench, one, number)
    except LostBytesError as error:
        raise not_found(f"{what}: {error}") from error
    if kept is None:
        state = one.view.view.pages[number - 1].fetch_status.replace("_", " ")
        raise not_found(f"{what}: nothing of it is kept (fetching it gave: {state})")
    return _content(kept, what, kept.sha256), kept.sha256


@ROUTER.get("/captures/{capture}/exchanges/{number}", dependencies=_LOOKS)
def tell_exchange(desk: DeskOf, capture: CaptureId, number: _Number) -> Response:
    """What was sent in one call of an answer and what headers came back, as JSON."""
    stored = desk.bench.read(lambda c: captures.load_payloads(c, capture))
    if number > len(stored):
        raise not_found(f"capture {capture} has {len(stored)} calls; {number} is none of them")
    return JSONResponse(_exchange(stored[number - 1]), headers=_HEADERS)


_SECRET = ("authorization", "cookie", "key", "token", "secret", "password", "signature")
"""Words in names of headers and parameters whose values are never told, stored or not."""


def _exchange(one: captures.StoredPayload) -> dict[str, Any]:
    request = one.request
    return {
        "sha256": one.sha256,
        "status": one.status,
        "failure": one.failure,
        "started_at": one.started_at.isoformat() if one.started_at else None,
        "duration_ms": one.duration_ms,
        "headers": _told(one.headers),
        "request_hash": one.request_hash,
        "request": None
        if request is None
        else {
            "method": request.method,
            "url": request.url,
            "query": _told(request.query),
            "headers": _told(request.headers),
            "json": request.json,
        },
    }


def _told(pairs: tuple[tuple[str, str], ...]) -> list[list[str]]:
    """Names with their values, secret ones left out."""
    return [
        [name, "(left out)" if any(word in name.lower() for word in _SECRET) else value]
        for name, value in pairs
    ]


def load_source_text(
    desk: DeskOf, one: AnswerOf, number: _Number, who: VisitorOf, *, part: _Part = None
) -> SourceTextScreen:
    """Text of a page that an answer cites, as verdicts read it, with its quotes marked."""
    note_seen(desk, one.capture.id, who)
    told = _text(desk, one, source_of(one, number))
    if part is not None and part > told.parts:
        raise not_found(f"the text has {told.parts} parts; {part} is none of them")
    return source_text_screen(one.view, told, part or told.first_part())


def _text(desk: DeskOf, one: OneAnswer, number: int) -> SourceText:
    content, sha256 = _of_page(desk, one, number, page_text)
    quotes = (Quoted(m.start, m.end, m.statement + 1) for m in marks_in(one, number))
    return SourceText(number, sha256, content.decode("utf-8", "replace"), tuple(quotes))


def _content(kept: KeptBytes | None, what: str, sha256: str) -> bytes:
    """The bytes; 404 where there are none of that hash, or none any more."""
    if kept is None:
        raise not_found(f"{what} has no bytes under {sha256}; its page lists what is kept of it")
    if kept.content is None:
        when = f"{kept.removed_at:%Y-%m-%d}" if kept.removed_at else "an earlier day"
        raise not_found(
            f"{what}: retention removed these bytes ({kept.kind}) on {when}; their hash {sha256} "
            "and what was read of them stay"
        )
    return kept.content


def _shown(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind, headers={**_HEADERS, "cache-control": _KEPT})


def _saved(content: bytes, sha256: str, cached: str = _KEPT) -> Response:
    """Bytes that a browser saves and never shows."""
    headers = {
        "content-disposition": f'attachment; filename="{sha256}.bin"',
        "cache-control": cached,
    }
    return Response(content, media_type="application/octet-stream", headers=_HEADERS | headers)


SCREENS = (
    Screen(
        "/captures/{capture}/sources/{number}",
        load_source_text,
        SourceTextScreen,
        "source_text.html.j2",
    ),
)
