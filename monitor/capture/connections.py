"""Connections to engines: each call takes a free one and leaves the others in peace.

The usual pool asks the kernel about every idle connection at the start and the end of every call.
With sixteen calls at once that took more time than the calls themselves, measured on httpcore 1.0.
"""

import ssl
from collections.abc import AsyncIterator, Callable
from functools import partial

import httpx

Place = tuple[str, str, int | None]
"""Scheme, host and port: what a connection can be used again for."""


class FreeConnections(httpx.AsyncBaseTransport):
    """As many connections as there are calls at once, each kept open for the next call.

    How many calls there are at once is for the caller to limit.
    """

    def __init__(self, verify: ssl.SSLContext | None = None) -> None:
        self._verify = verify or httpx.create_ssl_context(trust_env=False)
        self._free: dict[Place, list[httpx.AsyncHTTPTransport]] = {}
        self._opened: list[httpx.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Make one call; its connection is free again once the body was read or given up."""
        place = (request.url.scheme, request.url.host, request.url.port)
        free = self._free.setdefault(place, [])
        one = free.pop() if free else self._open()
        give_back = partial(free.append, one)
        try:
            answer = await one.handle_async_request(request)
        except BaseException:
            give_back()
            raise
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        return httpx.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_Lent(answer.stream, give_back),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        for one in self._opened:
            await one.aclose()

    def _open(self) -> httpx.AsyncHTTPTransport:
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        one = httpx.AsyncHTTPTransport(verify=self._verify, limits=limits)
        self._opened.append(one)
        return one


class _Lent(httpx.AsyncByteStream):
    """A body whose connection is given back at its end, once."""

    def __init__(self, body: httpx.AsyncByteStream, give_back: Callable[[], None]) -> None:
        self._body = body
        self._give_back: Callable[[], None] | None = give_back

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._body:
            yield part

    async def aclose(self) -> None:
        give_back, self._give_back = self._give_back, None
        try:
            await self._body.aclose()
        finally:
            if give_back is not None:
                give_back()
