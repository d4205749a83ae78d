"""Where a request comes from: this machine, a proxy that is believed, or anybody."""

import ipaddress
from functools import lru_cache

from fastapi import Request

from monitor.config.parts import WebPart

_PASSED_ON = ("x-forwarded", "forwarded", "via", "cf-", "x-envoy-", "x-original-", "tailscale-")
"""How names of headers begin that proxies and tunnels add, and no browser does."""
_PASSED_ON_FOR = frozenset(
    {"x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "fastly-client-ip"}
)


def part_of(request: Request) -> WebPart:
    """Settings of the web door."""
    part: WebPart = request.app.state.web
    return part


def is_believed(request: Request) -> bool:
    """Whether the trusted proxy sent this request, so that its headers tell who asks and how."""
    part = part_of(request)
    return part.trusted_proxy and _is_among(_peer(request), part.proxies)


def is_at_machine(request: Request) -> bool:
    """Whether somebody at this machine asks, with no proxy between."""
    name = request.url.hostname or ""
    return (
        not part_of(request).trusted_proxy
        and _is_loopback(_peer(request))
        and (name == "localhost" or _is_loopback(name))
        and not any(
            name.startswith(_PASSED_ON) or name in _PASSED_ON_FOR for name in request.headers
        )
    )


def is_https(request: Request) -> bool:
    """Whether the browser speaks https, to us or to the proxy."""
    if request.url.scheme == "https":
        return True
    return is_believed(request) and request.headers.get("x-forwarded-proto", "") == "https"


def address_of(request: Request) -> str:
    """Address of who asks: the last one that the trusted proxy did not give itself."""
    peer = _peer(request)
    if not is_believed(request):
        return peer
    said = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    proxies = part_of(request).proxies
    for one in reversed([word.strip() for word in said]):
        if not _is_address(one):
            break
        if not _is_among(one, proxies):
            return one
    return peer


def _peer(request: Request) -> str:
    return request.client.host if request.client else ""


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_loopback(text: str) -> bool:
    return _is_address(text) and _plain(text).is_loopback


@lru_cache(1024)
def _is_among(text: str, networks: tuple[str, ...]) -> bool:
    if not _is_address(text):
        return False
    address = _plain(text)
    return any(address in ipaddress.ip_network(one) for one in networks)


def _plain(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address, an IPv4 one also where it is written as IPv6."""
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address
