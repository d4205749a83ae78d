"""No test leaves this machine: pytest-socket guards `connect`, this file the other ways out."""

import ipaddress
import socket
from typing import Any

_lookup = socket.getaddrinfo


def _is_near(host: Any) -> bool:
    """Whether asking for a host's address asks nobody: loopback names and plain addresses."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _near_lookup(host: Any, *arguments: Any, **named: Any) -> Any:
    if not _is_near(host):
        raise RuntimeError(f"a test looked up {host!r}; pass a resolver in")
    return _lookup(host, *arguments, **named)


def _no_connect_ex(_self: socket.socket, address: Any) -> int:
    raise RuntimeError(f"a test used connect_ex on {address!r}")


def _no_sendto(_self: socket.socket, *arguments: Any) -> int:
    raise RuntimeError(f"a test sent a datagram to {arguments[-1]!r}")


socket.getaddrinfo = _near_lookup
socket.socket.connect_ex = _no_connect_ex  # type: ignore[method-assign]
socket.socket.sendto = _no_sendto  # type: ignore[method-assign,assignment]
