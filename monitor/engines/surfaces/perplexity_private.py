"""What of a Perplexity document is nobody's but the asker's, taken out before it is kept."""

import json
import re
from collections.abc import Mapping
from typing import Any

from monitor.engines.surfaces.perplexity_sources import PRIVATE_ROWS

PRIVATE_KEYS = frozenset(
    {
        "read_write_token", "attachments", "subscription_tier", "payment_tier", "social_info",
        "email", "phone", "telemetry_data",
    }
)  # fmt: skip
"""Fields that are a secret or tell of the asker; so do all whose name begins with `author_` or says
who the user is."""

_PREFIXES = ("author_", "user_nextauth", "user_id", "user_email", "user_name")
_IN_BROKEN = re.compile(
    rb'"(?:read_write_token|author_[a-z_]{1,40}|user_(?:nextauth|id|email|name)[a-z_]{0,40})"'
    rb'\s{0,3}:\s{0,3}"(?:[^"\\]|\\.){0,4000}"?'
)
_DATA = re.compile(rb"^data:[ ]?(?P<said>[^\r\n]*)", re.MULTILINE)


def without_secrets(document: Any) -> Any:
    """A JSON value without secrets and personal fields.

    Rows of memory, files and earlier conversations stay as empty rows: the others keep their
    numbers. `text`, which may hold JSON, is cleaned within.
    """
    if isinstance(document, Mapping):
        flags = {flag: True for flag in PRIVATE_ROWS if document.get(flag) is True}
        if flags:
            return flags
        return {
            key: _inner(value) if key == "text" else without_secrets(value)
            for key, value in document.items()
            if not _is_private(key)
        }
    if isinstance(document, list):
        return [without_secrets(one) for one in document]
    return document


def cleaned(body: bytes) -> tuple[bytes, int]:
    """Bytes of a stream or of JSON without secrets, and how many of their parts were changed.

    What is no JSON, a broken end of a stream among it, loses the fields by their names.
    """
    if body.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in {b"{", b"["}:
        return _cleaned_json(body)
    changed = 0

    def line(found: re.Match[bytes]) -> bytes:
        nonlocal changed
        said, count = _cleaned_json(found["said"])
        changed += count
        return b"data: " + said if count else found[0]

    return _DATA.sub(line, body), changed


def _cleaned_json(said: bytes) -> tuple[bytes, int]:
    """JSON without secrets, spelled as it was where nothing had to go, and whether it changed."""
    try:
        value = json.loads(said)
        kept = without_secrets(value)
    except (ValueError, RecursionError):
        return _IN_BROKEN.subn(b'"removed": ""', said)
    if kept == value:
        return said, 0
    return json.dumps(kept, ensure_ascii=True).encode("ascii"), 1


def _is_private(key: str) -> bool:
    return key in PRIVATE_KEYS or key.startswith(_PREFIXES)


def _inner(value: Any) -> Any:
    """JSON within a text, cleaned; any other text as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return without_secrets(value)
    try:
        told = json.loads(value)
    except (ValueError, RecursionError):
        return value
    kept = without_secrets(told)
    return value if kept == told else json.dumps(kept, ensure_ascii=True)
