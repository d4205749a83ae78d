"""Cited pages: what was fetched, what text it gave, and which pages are copies."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class FetchStatus(StrEnum):
    """Closed list of what became of a fetch; all but `ok` are reasons of not_assessable."""

    OK = "ok"
    NOT_FOUND = "not_found"
    BLOCKED_BY_SITE = "blocked_by_site"
    PAYWALLED = "paywalled"
    ROBOTS = "robots"
    UNREACHABLE = "unreachable"
    TIMEOUT_TOTAL = "timeout_total"
    INCOMPLETE = "incomplete"
    TOO_LARGE = "too_large"
    UNSUPPORTED_TYPE = "unsupported_type"
    UNSUPPORTED_ENCODING = "unsupported_encoding"
    UNSUPPORTED_SCHEME = "unsupported_scheme"
    INVALID_URL = "invalid_url"
    BLOCKED_ADDRESS = "blocked_address"
    BLOCKED_PORT = "blocked_port"
    NO_TEXT = "no_text"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one guarded fetch gave: the bytes as received, or why there are none."""

    url: str
    status: FetchStatus
    http_status: int | None = None
    final_url: str | None = None
    hops: tuple[str, ...] = ()
    """Every URL asked, first to last."""
    media_type: str | None = None
    charset: str | None = None
    body: bytes = b""
    """Decoded from gzip, not from its charset; empty unless the body was complete."""
    fetched_at: datetime | None = None
    detail: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """X-Robots-Tag and Link of the page, names in lower case."""


@dataclass(frozen=True, slots=True)
class PageText:
    """Main text of a page and what the page says about itself; made from stored bytes."""

    text: str
    title: str | None = None
    canonical: str | None = None
    """rel=canonical, absolute, as the page says."""
    page_key: str | None = None
    """Identity after the canonical guards; None keeps the cited URL's own key."""
    syndicated_from: str | None = None
    """Canonical URL on another family: recorded, never rewritten silently."""
    published: date | None = None
    updated: date | None = None
    paywalled: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of about 100 words of a page's text; offsets are code points of it."""

    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Copy:
    """Two pages whose texts overlap: `containment` is shared / smaller set of shingles."""

    a: str
    b: str
    containment: float
    shared: int
