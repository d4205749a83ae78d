"""How much a request may carry, also where it does not say so, and how long it may take."""

import asyncio
import time

from fastapi import HTTPException, Request
from starlette.types import Message, Receive

MOST_BYTES = 1024 * 1024
"""Of a form, or of a call; an upload has a setting of its own."""
SILENT_SECONDS = 30.0
"""How long the next part of a body is waited for."""
LONGEST_SECONDS = 60.0
"""How long a whole body may take, beside what its most bytes take over a slow line."""
LEAST_BYTES_A_SECOND = 64 * 1024
"""What a slow line carries: who sends less keeps a connection from others."""


def capped(request: Request, most: int) -> Receive:
    """What a request receives; HTTPException once that is too much (413) or too slow (408)."""
    said = request.headers.get("content-length", "")
    receive, seen, is_whole = request.receive, 0, False
    ends = time.monotonic() + LONGEST_SECONDS + most / LEAST_BYTES_A_SECOND

    async def count() -> Message:
        nonlocal seen, is_whole
        if said.isascii() and said.isdigit() and int(said) > most:
            raise _too_large(most)
        if is_whole:
            return await receive()
        message = await _soon(receive, ends)
        seen += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if seen > most:
            raise _too_large(most)
        return message

    return count


async def _soon(receive: Receive, ends: float) -> Message:
    """The next part of a body; HTTPException 408 where it does not come."""
    left = min(SILENT_SECONDS, ends - time.monotonic())
    try:
        return await asyncio.wait_for(receive(), left)
    except TimeoutError:
        raise HTTPException(
            408, "the request came too slowly to wait for its end; send it again", _CLOSE
        ) from None


_CLOSE = {"connection": "close"}
"""What was not read must not be taken for the next request."""


def _too_large(most: int) -> HTTPException:
    shown = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
    return HTTPException(
        413,
        f"the request carries more than {shown}, the most that is taken here; nothing was kept",
        _CLOSE,
    )
