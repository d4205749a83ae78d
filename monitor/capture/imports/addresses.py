"""Addresses of answer surfaces: whose they are, and which part of one can be kept."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SURFACE_HOSTS: tuple[str, ...] = (
    "chatgpt.com", "chat.openai.com", "perplexity.ai", "copilot.microsoft.com",
    "gemini.google.com", "bing.com",
)  # fmt: skip
"""Hosts that serve answers; those under them count too."""
_GOOGLE = re.compile(r"(?:www\.)?google\.(?:[a-z]{2,3}|co\.[a-z]{2}|com\.[a-z]{2})")
_KEPT = frozenset({"q", "udm", "hl", "gl", "cr", "lr", "setlang", "cc", "mkt"})
"""Parts of a query that say what was asked, in which language and country; all else may be a
secret."""
_LONGEST = 2048


def surface_host(address: str) -> str | None:
    """The host of an answer surface that an address leads to; None where it is none's."""
    try:
        host = (urlsplit(address).hostname or "").lower()
    except ValueError:
        return None
    if _GOOGLE.fullmatch(host):
        return host
    known = (one for one in SURFACE_HOSTS if host == one or host.endswith(f".{one}"))
    return host if next(known, None) is not None else None


def safe_address(address: str) -> str | None:
    """A web address without login, fragment and whatever of its query may be secret.

    None where it is no web address.
    """
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host:
        return None
    try:
        pairs = parse_qsl(parts.query, max_num_fields=200)
    except ValueError:
        pairs = []
    query = urlencode([(key, value) for key, value in pairs if key in _KEPT])
    place = f"{host}:{port}" if port else host
    return urlunsplit((parts.scheme, place, parts.path, query, ""))[:_LONGEST]
