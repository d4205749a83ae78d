"""Posting to an address: in time, once, without redirects, and with nothing told of the address.

What is answered beside the status is not read, so nobody can fill a log or a memory with it.
"""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from monitor.errors import BlockedAddressError, DeliveryError, InvalidUrlError, PageError

SECONDS = 10.0
"""Total time for one message."""

LONGEST_WAIT = 21_600.0
"""Seconds: whoever asks to be left alone for longer is asked again all the same."""

AGAIN = frozenset({408, 425, 429})
"""Refusals that pass; every other 4xx stays as it is."""

GUARDED = (
    "the guard refused: only public web addresses at port 80 or 443 are asked; set private: true "
    "for this channel if it is meant to be told at a private address or another port"
)


def open_client() -> httpx.AsyncClient:
    """A client for addresses of the operator: no redirects, no proxies from the environment."""
    return httpx.AsyncClient(trust_env=False, follow_redirects=False)


async def post(
    client: httpx.AsyncClient,
    url: str,
    content: bytes,
    *,
    headers: Mapping[str, str],
    seconds: float = SECONDS,
    advice: str = "check the address of the channel",
    now: datetime | None = None,
) -> None:
    """Post bytes once; DeliveryError says what was answered, and never where."""
    try:
        async with (
            asyncio.timeout(seconds),
            # The total is what counts: a client's own, shorter ones would have it sent twice.
            client.stream(
                "POST", url, content=content, headers=dict(headers), timeout=None
            ) as answer,
        ):
            status, asked = answer.status_code, answer.headers.get("retry-after", "")
    except TimeoutError:
        raise DeliveryError(f"no answer within {seconds:g} seconds", permanent=False) from None
    except (BlockedAddressError, InvalidUrlError, PageError):
        raise DeliveryError(GUARDED, permanent=True) from None
    # Also what no socket would raise: an address that cannot be written into a request.
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise DeliveryError(f"no connection ({type(error).__name__})", permanent=False) from None
    if not 200 <= status < 300:
        raise _refusal(status, advice, retry_after(asked, now))


def _refusal(status: int, advice: str, after: float | None) -> DeliveryError:
    """What a status says that is none of success."""
    if status < 400:
        return DeliveryError(
            f"answered {status}: a redirect is not followed; write the address it leads to",
            permanent=True,
        )
    permanent = status < 500 and status not in AGAIN
    said = f"answered {status}{f'; {advice}' if permanent else ''}"
    return DeliveryError(said, permanent=permanent, after=None if permanent else after)


def retry_after(value: str, now: datetime | None) -> float | None:
    """Seconds of a Retry-After header in either of its forms, within bounds; None for neither."""
    if re.fullmatch(r"[0-9]+", value.strip()):
        return min(float(value), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if now is None:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), LONGEST_WAIT)
