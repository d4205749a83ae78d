"""The one door to the outside: what may be asked, resolved and connected to.

The guard acts where the connection is made, so it sees every hop and every literal form. A name is
resolved once, refused unless all of its addresses are public, and the checked address is the one
connected to; TLS name and Host header stay those of the URL. A host map reroutes sandbox NAMES to
loopback ports; an IP literal never matches it.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Protocol

import ada_url
import httpcore
import httpx

from monitor.domain.page import FetchStatus
from monitor.errors import BlockedAddressError, ConfigError, InvalidUrlError, PageError
from monitor.pages.addresses import literal_address, plain_name, refused_address, refused_name

HostMap = Mapping[str, tuple[str, int, int]]
"""Sandbox host name -> (loopback address, http port, https port)."""

SocketOption = (
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
)

_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY = re.compile(r"[A-Za-z]+://([^/?#]+)")
_FORBIDDEN = re.compile("[\x00-\x20\x7f-\x9f\\\\\ud800-\udfff]")
_TRIED_ADDRESSES = 4


class RefusedUrlError(PageError):
    """A URL the guard never asks; `status` says what became of the fetch."""

    def __init__(self, message: str, status: FetchStatus) -> None:
        """Keep the fetch status that the refusal stands for."""
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Address:
    """A URL that may be asked, in the WHATWG form; fragment dropped."""

    url: str
    scheme: str
    host: str
    port: int
    target: str
    """Path and query as sent."""

    @property
    def origin(self) -> str:
        """Scheme, host and port: what robots.txt and politeness go by."""
        return f"{self.scheme}://{self.host}:{self.port}"


class Resolver(Protocol):
    """Turns a name into addresses; asked once per connection."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """All addresses of a name; OSError when it has none."""
        ...


class SystemResolver:
    """Addresses as the operating system knows them."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """All addresses of a name in the system's order; OSError when it has none."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError as error:  # a label the idna codec refuses is no OSError
            raise OSError(f"{host!r} is no resolvable name: {error}") from error
        return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def _check_port(url: str) -> None:
    authority = _AUTHORITY.match(url)
    if authority is None:
        raise InvalidUrlError(f"{url!r}: no host after the scheme; expected https://host/path")
    if "@" in authority[1]:
        raise InvalidUrlError(f"{url!r}: a user name in the address is never sent")
    port = re.search(r"(?:^[^\[]*|\]):(\d+)$", authority[1])
    if port is not None and int(port[1][:6]) not in _PORTS.values():
        raise RefusedUrlError(f"{url!r}: only ports 80 and 443 are asked", FetchStatus.BLOCKED_PORT)


def check_url(url: str) -> Address:
    """Parts of a fetchable URL; InvalidUrlError or RefusedUrlError before any lookup."""
    if _FORBIDDEN.search(url):
        raise InvalidUrlError(f"{url!r}: a space, backslash or control character; expected none")
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise InvalidUrlError(f"{url!r}: no scheme; expected http or https")
    if scheme[1].lower() not in _PORTS:
        raise RefusedUrlError(
            f"{url!r}: scheme {scheme[1]!r} is not fetched; expected http or https",
            FetchStatus.UNSUPPORTED_SCHEME,
        )
    _check_port(url)
    try:
        parsed = ada_url.URL(url)
    except ValueError as error:
        raise InvalidUrlError(f"{url!r}: not a WHATWG URL") from error
    name = parsed.protocol.rstrip(":")
    port = int(parsed.port) if parsed.port else _PORTS[name]
    target = (parsed.pathname or "/") + parsed.search
    clean = f"{name}://{parsed.host}{target}"
    return Address(clean, name, parsed.hostname.strip("[]"), port, target)


def join_url(base: str, location: str) -> str:
    """Absolute form of a Location or href against its page; InvalidUrlError when it has none."""
    try:
        return str(ada_url.URL(location.strip().replace(" ", "%20"), base=base).href)
    except ValueError as error:
        raise InvalidUrlError(f"{location[:200]!r}: no address relative to {base}") from error


def status_of(error: Exception) -> FetchStatus | None:
    """Fetch status a refusal stands for; None for any other error."""
    if isinstance(error, RefusedUrlError):
        return error.status
    if isinstance(error, BlockedAddressError):
        return FetchStatus.BLOCKED_ADDRESS
    if isinstance(error, InvalidUrlError | httpx.InvalidURL):
        return FetchStatus.INVALID_URL
    return None


def check_hosts(hosts: HostMap) -> HostMap:
    """The map with names in compared form; ConfigError for an IP literal or a public target."""
    checked = {}
    for name, (ip, http_port, https_port) in hosts.items():
        if literal_address(name) is not None:
            raise ConfigError(f"host map: {name!r} is an IP literal; expected a name")
        if not ipaddress.ip_address(ip).is_loopback:
            raise ConfigError(f"host map: {name!r} leads to {ip}; expected a loopback address")
        checked[plain_name(name)] = (ip, http_port, https_port)
    return checked


async def public_addresses(resolver: Resolver, host: str, port: int) -> tuple[str, ...]:
    """The first addresses of a host; BlockedAddressError unless all it has are public ones.

    The name is resolved once: connect to what this returns, and to nothing else.
    """
    addresses = await _addresses(resolver, host, port)
    for ip in addresses:
        reason = refused_address(ip)
        if reason is not None:
            raise BlockedAddressError(f"{host}: refused to connect: {reason}")
    return addresses[:_TRIED_ADDRESSES]


async def _addresses(resolver: Resolver, host: str, port: int) -> tuple[str, ...]:
    literal = literal_address(host)
    if literal is not None:
        return (literal,)
    reason = refused_name(host)
    if reason is not None:
        raise BlockedAddressError(f"{host}: refused to resolve: {reason}")
    try:
        return await resolver.resolve(host, port)
    except OSError as error:
        raise httpcore.ConnectError(f"{host!r} does not resolve: {error}") from error


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only; resolves exactly once per connection."""

    def __init__(
        self,
        resolver: Resolver,
        hosts: HostMap,
        connector: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        """Keep the resolver, the sandbox names and what really connects (tests inject it)."""
        self._resolver = resolver
        self._hosts = check_hosts(hosts)
        self._connector = connector or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A stream to a checked address; BlockedAddressError or RefusedUrlError before any."""
        failure: httpcore.NetworkError | httpcore.TimeoutException | None = None
        for ip, real_port in await self._targets(host, port):
            try:
                return await self._connector.connect_tcp(
                    ip, real_port, timeout, local_address, socket_options
                )
            except (httpcore.NetworkError, httpcore.TimeoutException) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host!r} has no address")

    async def _targets(self, host: str, port: int) -> tuple[tuple[str, int], ...]:
        """Addresses and ports to try in order, every one of them checked."""
        if port not in _PORTS.values():
            raise RefusedUrlError(f"{host}:{port}: port refused", FetchStatus.BLOCKED_PORT)
        mapped = self._hosts.get(plain_name(host))
        if mapped is not None:
            return ((mapped[0], mapped[2] if port == _PORTS["https"] else mapped[1]),)
        return tuple((ip, port) for ip in await public_addresses(self._resolver, host, port))

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 -- the signature is httpcore's
        socket_options: Iterable[SocketOption] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        """Never: a socket file is no public address."""
        raise BlockedAddressError(f"{path}: refused to connect: a socket file")

    async def sleep(self, seconds: float) -> None:
        """Wait, as the connection pool asks between its own attempts."""
        await asyncio.sleep(seconds)


def guarded_client(
    resolver: Resolver,
    hosts: HostMap,
    *,
    verify: ssl.SSLContext | bool = True,
    connector: httpcore.AsyncNetworkBackend | None = None,
    timeout_seconds: float = 10.0,
    user_agent: str = "citation-monitor",
) -> httpx.AsyncClient:
    """Client that connects through the guard alone: no proxy, netrc, cookies or redirects."""
    context = (
        verify
        if isinstance(verify, ssl.SSLContext)
        else httpx.create_ssl_context(verify=verify, trust_env=False)
    )
    transport = httpx.AsyncHTTPTransport(verify=context, trust_env=False)
    # httpx offers no way to pass a network backend (encode/httpx, 0.28): the pool is replaced,
    # which is why httpx is pinned below 0.29 and a test watches this attribute.
    transport._pool = httpcore.AsyncConnectionPool(  # noqa: SLF001
        ssl_context=context,
        max_connections=64,
        max_keepalive_connections=16,
        keepalive_expiry=5.0,
        network_backend=GuardedBackend(resolver, hosts, connector),
    )
    return httpx.AsyncClient(
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=timeout_seconds,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        headers={"User-Agent": user_agent, "Accept-Encoding": "gzip, identity"},
    )
