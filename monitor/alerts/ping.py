"""Pings of a dead-man switch: URL/start, URL and URL/fail, with a few plain lines."""

from enum import StrEnum

import httpx

from monitor.alerts.posting import post

_MOST_BODY = 10_000
"""Bytes of a body that switches keep."""


class Ping(StrEnum):
    """What a switch is told; the value is what stands behind its base URL."""

    START = "start"
    SUCCESS = ""
    FAIL = "fail"


async def send_ping(
    client: httpx.AsyncClient, url: str, ping: Ping, text: str, *, seconds: float
) -> None:
    """Tell a switch; DeliveryError says what it answered, and never where it is."""
    address = f"{url.rstrip('/')}/{ping.value}".rstrip("/") if ping.value else url
    body = text.encode("utf-8", "replace")[:_MOST_BODY]
    headers = {"content-type": "text/plain; charset=utf-8"}
    await post(client, address, body, headers=headers, seconds=seconds, advice="check the ping URL")
