"""Asking a time stamp service: once, in time, without redirects, and reading no more than fits."""

import asyncio
from collections.abc import Sequence

import httpx
from cryptography.x509 import Certificate

from monitor.errors import EvidenceError
from monitor.proofs.stamps import MOST_BYTES, ask, read_stamp

SECONDS = 15.0
"""Total time for one token."""

_HEADERS = {
    "content-type": "application/timestamp-query",
    "accept": "application/timestamp-reply",
    "accept-encoding": "identity",
}


def open_client() -> httpx.AsyncClient:
    """A client for the address an operator wrote: no redirects, no proxies of the environment."""
    return httpx.AsyncClient(trust_env=False, follow_redirects=False)


async def token_for(
    client: httpx.AsyncClient,
    url: str,
    content: bytes,
    *,
    certificates: Sequence[Certificate] = (),
    seconds: float = SECONDS,
) -> bytes:
    """The answer of a service for some bytes, checked; EvidenceError where there is none."""
    asked = ask(content)
    try:
        async with asyncio.timeout(seconds):
            token = await _posted(client, url, asked.body)
    except TimeoutError:
        raise EvidenceError(f"time stamp service: no answer within {seconds:g} seconds") from None
    # Also what no socket would raise: an address that cannot be written into a request.
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise EvidenceError(f"time stamp service: no connection ({type(error).__name__})") from None
    read_stamp(token, content, certificates=certificates, nonce=asked.nonce)
    return token


async def _posted(client: httpx.AsyncClient, url: str, body: bytes) -> bytes:
    """What a service answers; EvidenceError where that is no success, or too long."""
    found = bytearray()
    async with client.stream(
        "POST", url, content=body, headers=_HEADERS, timeout=None, follow_redirects=False
    ) as answer:
        if answer.status_code != 200:
            also = "; a redirect is not followed" if 300 <= answer.status_code < 400 else ""
            raise EvidenceError(f"time stamp service: answered {answer.status_code}{also}")
        async for part in answer.aiter_raw(8192):
            found += part
            if len(found) > MOST_BYTES:
                raise EvidenceError(
                    f"time stamp service: answered more than {MOST_BYTES} bytes, expected a token"
                )
    return bytes(found)
