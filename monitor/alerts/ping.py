"""Pings of a dead-man switch: URL/start, URL and URL/fail, with a few plain lines."""

import asyncio
from enum import StrEnum

import httpx

from monitor.errors import DeliveryError

_AGAIN = frozenset({408, 425, 429})
"""Refusals that pass; every other 4xx stays as it is."""

_MOST_BODY = 10_000
"""Bytes of a body that switches keep."""


class Ping(StrEnum):
    """What a switch is told; the value is what stands behind its base URL."""

    START = "start"
    SUCCESS = ""
    FAIL = "fail"


def open_client() -> httpx.AsyncClient:
    """A client for addresses of the operator: no redirects, no proxies from the environment."""
    return httpx.AsyncClient(trust_env=False, follow_redirects=False)


async def send_ping(
    client: httpx.AsyncClient, url: str, ping: Ping, text: str, *, seconds: float
) -> None:
    """Tell a switch; DeliveryError says what it answered, and never where it is."""
    address = f"{url.rstrip('/')}/{ping.value}".rstrip("/") if ping.value else url
    body = text.encode("utf-8", "replace")[:_MOST_BODY]
    try:
        async with (
            asyncio.timeout(seconds),
            client.stream(
                "POST", address, content=body, headers={"content-type": "text/plain; charset=utf-8"}
            ) as answer,
        ):
            status = answer.status_code
    except TimeoutError:
        raise DeliveryError(f"no answer within {seconds:g} seconds", permanent=False) from None
    # Also what no socket would raise: an address that cannot be written into a request.
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise DeliveryError(f"no connection ({type(error).__name__})", permanent=False) from None
    _refuse_unless_taken(status)


def _refuse_unless_taken(status: int) -> None:
    """DeliveryError for every status that does not say that the ping was taken."""
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise DeliveryError(
            f"answered {status}: a redirect is not followed; write the address it leads to",
            permanent=True,
        )
    permanent = 400 <= status < 500 and status not in _AGAIN
    advice = "; check the ping URL" if permanent else ""
    raise DeliveryError(f"answered {status}{advice}", permanent=permanent)
