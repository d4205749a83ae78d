"""Keys blanked out of what is stored, and the headers that are stored at all."""

import json
from base64 import b64encode
from urllib.parse import quote, quote_plus

KEPT_HEADERS = frozenset(
    {
        "content-type",
        "date",
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
        "x-request-id",
        "request-id",
        "openai-processing-ms",
        "server",
    }
)
"""Headers worth keeping; everything else (cookies above all) is dropped."""

_KEPT_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-")

SHORTEST_SECRET = 6
"""A shorter key is blanked nowhere: it would blank words of the answer."""


def kept_headers(headers: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Headers that stay, names in lower case, in order."""
    return tuple(
        (name.lower(), value)
        for name, value in headers
        if name.lower() in KEPT_HEADERS or name.lower().startswith(_KEPT_PREFIXES)
    )


def redact(body: bytes, secrets: tuple[str, ...]) -> tuple[bytes, int]:
    """Body with every key blanked in every form it can have there, and how many there were."""
    found = 0
    for needle in _needles(secrets):
        found += body.count(needle)
        body = body.replace(needle, b"[redacted]")
    return body, found


def redact_headers(
    headers: tuple[tuple[str, str], ...], secrets: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Headers with every key blanked."""
    return tuple(
        (name, redact(value.encode("utf-8", "replace"), secrets)[0].decode("utf-8", "replace"))
        for name, value in headers
    )


def _needles(secrets: tuple[str, ...]) -> list[bytes]:
    """Forms of the keys, longest first: as they are, in JSON, in a URL, as a basic login."""
    forms = {
        form
        for secret in secrets
        for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote_plus(secret))
    }
    if len(secrets) > 1:
        forms.add(b64encode(":".join(secrets).encode()).decode())
    usable = [form.encode() for form in forms if len(form) >= SHORTEST_SECRET]
    return sorted(usable, key=lambda form: (-len(form), form))
