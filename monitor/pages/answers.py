"""Reading one HTTP answer: redirect, refusal by the site, or a page under a cap."""

import re
from dataclasses import dataclass
from email.message import Message

import httpx

from monitor.domain.page import FetchStatus
from monitor.pages.body import BodyReader, FetchStoppedError, content_coding
from monitor.pages.guard import status_of

READABLE_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain", "text/markdown"})

KEPT_HEADERS = ("x-robots-tag", "link")
"""Headers by which a page speaks to crawlers."""

_HEAD_BYTES = 65_536
_MOST_HEADERS = 50
_LONGEST_HEADER = 4000
_BLOCKED = frozenset({401, 403, 405, 406, 407, 418, 421, 429, 451, 999})
_GONE = frozenset({404, 410})
_EMPTY = frozenset({204, 205})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_RETRIED = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
_CHALLENGE_TITLE = re.compile(
    rb"<title[^>]*>\s*(?:just a moment|attention required!|access denied|pardon our interruption|"
    rb"are you (?:a )?(?:human|robot)|verify(?:ing)? you are human|ddos-guard|security check)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What one hop gave: a body, or the Location to go on to."""

    location: str | None = None
    media_type: str | None = None
    charset: str | None = None
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    """Those of KEPT_HEADERS, in their order."""


async def take_location(answer: httpx.Response) -> None:
    """Response hook that puts Location aside before httpx reads it.

    httpx 0.28 parses the target even where it does not follow, and raises on names that browsers
    accept (an emoji domain) and on hostile ones.
    """
    location = answer.headers.pop("location", None)
    if answer.status_code in _REDIRECTS and location:
        answer.extensions["location"] = location


def location_of(answer: httpx.Response) -> str | None:
    """Location of a redirect as sent; None for any other answer."""
    location = answer.extensions.get("location")
    return location if isinstance(location, str) else None


def stopped(error: Exception) -> FetchStoppedError:
    """What any failure of a request means for the page asked."""
    if isinstance(error, FetchStoppedError):
        return error
    status = status_of(error)
    if status is not None:
        return FetchStoppedError(status, str(error))
    if isinstance(error, UnicodeError):
        return FetchStoppedError(FetchStatus.INVALID_URL, f"{type(error).__name__}: {error}")
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
        return FetchStoppedError(FetchStatus.TIMEOUT_TOTAL, f"{type(error).__name__}: {error}")
    retry = isinstance(error, _RETRIED)
    detail = f"{type(error).__name__}: {error}"
    return FetchStoppedError(FetchStatus.UNREACHABLE, detail, retry=retry)


def content_type(header: str | None) -> tuple[str | None, str | None]:
    """Media type in lower case and charset of a Content-Type header; None where absent."""
    if not header or "/" not in header:
        return None, None
    message = Message()
    message["Content-Type"] = re.sub(r"[\r\n]", " ", header)
    charset = message.get_param("charset")
    return message.get_content_type(), charset if isinstance(charset, str) else None


def sniffed_type(body: bytes) -> str:
    """Media type of a body that came without one; FetchStoppedError for binary bytes."""
    head = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"\x00" in head or head.startswith(b"%PDF-"):
        raise FetchStoppedError(FetchStatus.UNSUPPORTED_TYPE, "no Content-Type and binary bytes")
    return "text/html" if head.startswith(b"<") else "text/plain"


def refusal(status: int) -> FetchStatus | None:
    """Fetch status a bare HTTP status stands for; None for one that carries a page."""
    if status in _GONE:
        return FetchStatus.NOT_FOUND
    if status in _BLOCKED:
        return FetchStatus.BLOCKED_BY_SITE
    if status == httpx.codes.PAYMENT_REQUIRED:
        return FetchStatus.PAYWALLED
    if status in _EMPTY:
        return FetchStatus.NO_TEXT
    if status == httpx.codes.PARTIAL_CONTENT:
        return FetchStatus.INCOMPLETE
    return None if httpx.codes.is_success(status) else FetchStatus.UNREACHABLE


async def start_of(answer: httpx.Response, cap: int) -> bytes:
    """First bytes of a body that is only looked at; whatever breaks ends it quietly."""
    try:
        reader = BodyReader(content_coding(answer.headers.get("content-encoding")), cap)
    except FetchStoppedError:
        return b""
    try:
        async for chunk in answer.aiter_raw():
            reader.feed(chunk)
    except (FetchStoppedError, httpx.HTTPError):
        return reader.so_far()[:cap]
    return reader.so_far()[:cap]


async def is_challenge(answer: httpx.Response) -> bool:
    """Whether a 5xx or 202 is a bot challenge rather than a fault."""
    if "cf-mitigated" in answer.headers or "x-amzn-waf-action" in answer.headers:
        return True
    return bool(_CHALLENGE_TITLE.search(await start_of(answer, _HEAD_BYTES)))


def _kept(headers: httpx.Headers) -> tuple[tuple[str, str], ...]:
    """What a page says to crawlers in its headers, name in lower case."""
    found = [
        (name, value[:_LONGEST_HEADER]) for name in KEPT_HEADERS for value in headers.get_list(name)
    ]
    return tuple(found[:_MOST_HEADERS])


async def read_answer(
    answer: httpx.Response, max_bytes: int, types: frozenset[str] = READABLE_TYPES
) -> Arrival:
    """The page of an answer; FetchStoppedError with the status that says why there is none."""
    code = answer.status_code
    status = refusal(code)
    if code == httpx.codes.SERVICE_UNAVAILABLE and await is_challenge(answer):
        status = FetchStatus.BLOCKED_BY_SITE
    if status is not None:
        raise FetchStoppedError(status, f"HTTP {code}")
    media_type, charset = content_type(answer.headers.get("content-type"))
    if media_type is not None and media_type not in types:
        raise FetchStoppedError(
            FetchStatus.UNSUPPORTED_TYPE, f"Content-Type {media_type}; expected HTML or plain text"
        )
    body = await _whole_body(answer, max_bytes)
    if _CHALLENGE_TITLE.search(body[:_HEAD_BYTES]):
        raise FetchStoppedError(FetchStatus.BLOCKED_BY_SITE, f"HTTP {code} with a challenge page")
    if not body.strip():
        raise FetchStoppedError(FetchStatus.NO_TEXT, f"HTTP {code} with an empty body")
    return Arrival(None, media_type or sniffed_type(body), charset, body, _kept(answer.headers))


async def _whole_body(answer: httpx.Response, max_bytes: int) -> bytes:
    reader = BodyReader(content_coding(answer.headers.get("content-encoding")), max_bytes)
    length = answer.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and len(length) < 20 and int(length) > max_bytes:
        raise FetchStoppedError(
            FetchStatus.TOO_LARGE, f"Content-Length {length}; expected at most {max_bytes}"
        )
    try:
        async for chunk in answer.aiter_raw():
            reader.feed(chunk)
    except (httpx.RemoteProtocolError, httpx.ReadError) as error:
        raise FetchStoppedError(
            FetchStatus.INCOMPLETE, f"{type(error).__name__}: {error}", retry=True
        ) from error
    return reader.finish()
