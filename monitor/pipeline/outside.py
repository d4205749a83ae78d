"""The network that messages go out by: through the guard, or plainly where a channel is private.

Nothing is opened before it is needed: most looks at the outbox find it empty.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable

import httpcore
import httpx

from monitor.alerts import open_client
from monitor.config.channels import SmtpChannel
from monitor.errors import BlockedAddressError
from monitor.pages.guard import Resolver, SystemResolver, guarded_client, public_addresses

MAIL_PORTS = frozenset({25, 465, 587, 2525})
"""Ports at which public mail servers are asked."""

Dial = Callable[[str, int], Awaitable[socket.socket]]


class Outside:
    """Clients and sockets for messages, made when first needed; tests put their own in."""

    def __init__(
        self,
        *,
        plain: httpx.AsyncClient | None = None,
        guarded: httpx.AsyncClient | None = None,
        resolver: Resolver | None = None,
        connector: httpcore.AsyncNetworkBackend | None = None,
        dial: Dial | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """Keep what was given: it is not closed here. Certificates are held against `trust`."""
        self._plain, self._guarded = plain, guarded
        self._resolver = resolver or SystemResolver()
        self._connector = connector
        self._dial = dial or _dial
        self.trust = trust
        self._own: list[httpx.AsyncClient] = []

    @property
    def plain(self) -> httpx.AsyncClient:
        """A client for addresses that the operator opted in by name."""
        if self._plain is None:
            self._plain = self._kept(open_client())
        return self._plain

    @property
    def guarded(self) -> httpx.AsyncClient:
        """A client that connects to public addresses only."""
        if self._guarded is None:
            made = guarded_client(self._resolver, {}, connector=self._connector)
            self._guarded = self._kept(made)
        return self._guarded

    def _kept(self, client: httpx.AsyncClient) -> httpx.AsyncClient:
        self._own.append(client)
        return client

    def mail(self, channel: SmtpChannel) -> Callable[[str, int], Awaitable[socket.socket]]:
        """What connects to a mail server: through the guard, unless the channel is private."""
        return self._dial if channel.private else self._dial_public

    async def _dial_public(self, host: str, port: int) -> socket.socket:
        """A socket to the first public address that answers; BlockedAddressError before any."""
        if port not in MAIL_PORTS:
            raise BlockedAddressError(f"{host}: refused to connect: port {port}")
        failure: OSError | None = None
        for ip in await _resolved(self._resolver, host, port):
            try:
                return await self._dial(ip, port)
            except OSError as error:
                failure = error
        raise failure or OSError("the name has no address")

    async def aclose(self) -> None:
        """Close the clients that were made here."""
        for client in self._own:
            await client.aclose()


async def _resolved(resolver: Resolver, host: str, port: int) -> tuple[str, ...]:
    """Public addresses of a host; OSError where it has none."""
    try:
        return await public_addresses(resolver, host, port)
    except httpcore.ConnectError:
        raise OSError("the name does not resolve") from None


async def _dial(host: str, port: int) -> socket.socket:
    """A connected socket; OSError where nobody answers."""
    loop = asyncio.get_running_loop()
    failure: OSError | None = None
    for family, kind, protocol, _, place in await loop.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        joined = socket.socket(family, kind, protocol)
        joined.setblocking(False)
        try:
            await loop.sock_connect(joined, place)
        except BaseException as error:
            joined.close()
            if not isinstance(error, OSError):
                raise
            failure = error
        else:
            return joined
    raise failure or OSError("the name has no address")
