"""Hosts: registrable domains by the Public Suffix List, and the aliases of one site.

The list (ICANN and private sections) lies inside the publicsuffixlist wheel; nothing is fetched.
IP literals are kept away from it: the list would call `3.4` the domain of `1.2.3.4`.
"""

import ipaddress
import re
from functools import cache, lru_cache
from typing import NamedTuple

import publicsuffixlist

from monitor.domain.source import UrlFlag

PSL_VERSION: str = publicsuffixlist.__version__
"""Version of the suffix list in use; belongs into the record of a run."""

_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_GOOGLE = re.compile(r"(?:[a-z0-9-]+\.)*google\.(?:com|cat|[a-z]{2}|com?\.[a-z]{2})")
_LOCAL_NAMES = frozenset(
    {"internal", "local", "localhost", "localdomain", "lan", "intranet", "corp", "home"}
)
_RESERVED = frozenset({"example", "test", "invalid", "internal", "local", "onion", "arpa"})
_ALIASES = {
    "www": None,
    "m": UrlFlag.MOBILE,
    "mobile": UrlFlag.MOBILE,
    "amp": UrlFlag.AMP,
}


class HostFacts(NamedTuple):
    """What a host name alone tells: its bare form, domain and flags."""

    bare: str
    """Without `www.`, `m.`, `mobile.` and `amp.` where a registrable domain is left."""
    domain: str
    """Registrable domain; the host itself for IP literals and public suffixes."""
    flags: tuple[UrlFlag, ...]


@cache
def _suffixes() -> publicsuffixlist.PublicSuffixList:
    return publicsuffixlist.PublicSuffixList()


def is_ip(host: str) -> bool:
    """Whether a WHATWG-serialised host is an IPv4 or IPv6 literal."""
    return host.startswith("[") or _IPV4.fullmatch(host) is not None


def is_google(host: str) -> bool:
    """Whether a host is Google's under any of its country domains."""
    return _GOOGLE.fullmatch(host) is not None


@lru_cache(maxsize=32_768)
def registrable_domain(host: str) -> str | None:
    """Public suffix plus one label; None for suffixes, IP literals, empty labels."""
    if not host or is_ip(host):
        return None
    return _suffixes().privatesuffix(host)


def has_known_suffix(host: str) -> bool:
    """Whether a dotted word can be meant as a host, not a file."""
    if is_ip(host):
        return True
    last = host.rpartition(".")[2]
    if last in _RESERVED or host.startswith("www."):
        return True
    if last.isdecimal():
        return False
    return _suffixes().publicsuffix(host, accept_unknown=False) is not None


@lru_cache(maxsize=32_768)
def is_acceptable(host: str) -> bool:
    """Whether a host is dotted, with labels that a name server takes.

    Labels of 1 to 63 characters, 253 in all (RFC 1035, section 2.3.4); IPv6 literals pass.
    """
    if host.startswith("["):
        return True
    labels = host.split(".")
    return len(labels) > 1 and len(host) <= 253 and all(1 <= len(label) <= 63 for label in labels)


@lru_cache(maxsize=32_768)
def host_facts(host: str) -> HostFacts:
    """Bare form, registrable domain and flags of one serialised host."""
    bare, flags = host, []
    while not is_ip(bare):
        label, _, rest = bare.partition(".")
        if label not in _ALIASES or registrable_domain(rest) is None:
            break
        flag = _ALIASES[label]
        if flag is not None:
            flags.append(flag)
        bare = rest
    if _is_local(bare):
        flags.append(UrlFlag.NON_PUBLIC)
    return HostFacts(bare, registrable_domain(bare) or bare, tuple(dict.fromkeys(flags)))


def _is_local(host: str) -> bool:
    if is_ip(host):
        return not ipaddress.ip_address(host.strip("[]")).is_global
    return host.rpartition(".")[2] in _LOCAL_NAMES or host.endswith(".home.arpa")
