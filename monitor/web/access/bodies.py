"""How much a request may carry, also where it does not say so beforehand."""

from fastapi import HTTPException, Request
from starlette.types import Message, Receive

MOST_BYTES = 1024 * 1024
"""Of a form, or of a call; an upload has a setting of its own."""


def capped(request: Request, most: int) -> Receive:
    """What a request receives; HTTPException 413 as soon as that is known to be too much."""
    said = request.headers.get("content-length", "")
    receive, seen = request.receive, 0

    async def count() -> Message:
        nonlocal seen
        if said.isascii() and said.isdigit() and int(said) > most:
            raise _too_large(most)
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise _too_large(most)
        return message

    return count


def _too_large(most: int) -> HTTPException:
    shown = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
    return HTTPException(
        413,
        f"the request carries more than {shown}, the most that is taken here; nothing was kept",
        # What was not read must not be taken for the next request.
        {"connection": "close"},
    )
