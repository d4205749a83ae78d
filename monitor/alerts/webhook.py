"""Messages as JSON: to a webhook, signed where it has a key, and to the webhooks of chats."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import httpx

from monitor.alerts.posting import post

KEY = "Idempotency-Key"
TIMESTAMP = "X-Monitor-Timestamp"
SIGNATURE = "X-Monitor-Signature"


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What proves who sent a body: `sha256=` and the hex HMAC-SHA256 of `timestamp.body`."""
    told = timestamp.encode("ascii") + b"." + body
    return f"sha256={hmac.new(secret.encode('utf-8'), told, hashlib.sha256).hexdigest()}"


async def send_json(
    client: httpx.AsyncClient,
    url: str,
    message: Mapping[str, Any],
    *,
    key: str,
    now: datetime,
    secret: str | None = None,
) -> None:
    """Post a message with the key that tells its duplicates; DeliveryError where it is not taken.

    With a secret, the time of sending and the body are signed.
    """
    body = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    timestamp = str(int(now.timestamp()))
    headers = {
        "content-type": "application/json; charset=utf-8",
        "user-agent": "citation-monitor",
        KEY: key,
        TIMESTAMP: timestamp,
    }
    if secret is not None:
        headers[SIGNATURE] = signature(secret, timestamp, body)
    await post(client, url, body, headers=headers, now=now)
