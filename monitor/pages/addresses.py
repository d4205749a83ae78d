"""Which IP addresses and names the public web does not live at, and why.

`is_global` of the standard library is only the first sieve: it varies with the Python release and
passes some addresses that clouds use inside. The tables follow the IANA special-purpose registries
(RFC 6890 and its updates), seen in 2026.
"""

import ipaddress
import socket

_REFUSED_V4 = tuple(
    (ipaddress.IPv4Network(net), why)
    for net, why in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT, also cloud metadata"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a cloud's wire server"),
        ("169.254.0.0/16", "link-local, also cloud metadata"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112 sink"),
        ("192.52.193.0/24", "AMT relay"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("192.175.48.0/24", "AS112 sink"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_REFUSED_V6 = tuple(
    (ipaddress.IPv6Network(net), why)
    for net, why in (
        ("2001::/23", "protocol assignments, also Teredo"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3ffe::/16", "retired test network"),
        ("3fff::/20", "documentation"),
        ("2620:4f:8000::/48", "AS112 sink"),
    )
)
_UNICAST_V6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_RESERVED_NAMES = (
    "alt", "arpa", "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local",
    "localdomain", "localhost", "onion", "private", "test",
)  # fmt: skip


def _embedded_v4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """IPv4 address carried inside a mapped, compatible, NAT64, 6to4, Teredo or ISATAP form."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    low = int(address) & 0xFFFFFFFF
    compatible = int(address) >> 32 == 0 and low > 1
    isatap = (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE
    if compatible or isatap or any(address in net for net in _NAT64):
        return ipaddress.IPv4Address(low)
    return None


def _refused_v4(address: ipaddress.IPv4Address) -> str | None:
    for net, why in _REFUSED_V4:
        if address in net:
            return f"{address} is {why}"
    return None if address.is_global else f"{address} is not global"


def _refused_v6(address: ipaddress.IPv6Address) -> str | None:
    inner = _embedded_v4(address)
    if inner is not None:
        return f"{address} embeds {_refused_v4(inner) or inner}"
    if address not in _UNICAST_V6:
        return f"{address} is outside global unicast"
    for net, why in _REFUSED_V6:
        if address in net:
            return f"{address} is {why}"
    return None if address.is_global else f"{address} is not global"


def refused_address(ip: str) -> str | None:
    """Why an address must not be connected to; None when it is a public one."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return f"{ip!r} is no IP address"
    if isinstance(address, ipaddress.IPv4Address):
        return _refused_v4(address)
    return f"{ip} has a scope" if address.scope_id else _refused_v6(address)


def literal_address(host: str) -> str | None:
    """Plain form of an IP literal, numeric forms like 0x7f.1 included; None for a name."""
    bare = host.strip("[]").rstrip(".")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(bare))
    except (OSError, UnicodeEncodeError):
        return None


def plain_name(host: str) -> str:
    """Host name as compared: lower case, without the trailing dot."""
    return host.lower().rstrip(".")


def refused_name(host: str) -> str | None:
    """Why a name can be no public host (reserved or single label); None when it may be."""
    name = plain_name(host)
    if "." not in name:
        return f"{host!r} is a single label, never a public host"
    if name.rsplit(".", 1)[1] in _RESERVED_NAMES:
        return f"{host!r} lies under a reserved name"
    return None
