"""Parsing: the WHATWG URL standard (ada), http and https only, schemeless hosts repaired."""

import re
from typing import NamedTuple

import ada_url

from monitor.urls.hosts import has_known_suffix, is_acceptable

_PARTS = re.compile(
    r"(https?)://(?:[^/?#@]*@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d+))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?",
    re.DOTALL,
)
_WEB = re.compile(r"https?:", re.IGNORECASE)
_LABEL = r"[^\s@:/?#\\.]+"
_BARE_HOST = re.compile(rf"({_LABEL}(?:\.{_LABEL})+)\.?(?::\d{{1,5}})?(?=[/?#\\]|$)")
_FILE = re.compile(r"[^./]+\.(?:md|mov|py|zip)", re.IGNORECASE)
"""A file name far more often than a host, although the suffix is one of the list."""
_DOUBLED = re.compile(r"https?:/{0,2}(?=https?:/{1,2}[^/])", re.IGNORECASE)
_DOI = re.compile(
    r"(?:(?:urn:|info:)?doi\s*[:/]\s*(?:https?://(?:dx\.)?doi\.org/)?)?(10\.\d{4,9}/\S+)",
    re.IGNORECASE,
)
_ARXIV = re.compile(
    r"arxiv\s*:\s*(\d{4}\.\d{4,5}(?:v\d+)?|[a-z\-]+(?:\.[a-z]{2})?/\d{7}(?:v\d+)?)", re.IGNORECASE
)


class Parts(NamedTuple):
    """A parsed web address without its userinfo; absent parts are empty."""

    scheme: str
    host: str
    port: str
    """Only a port that is not the scheme's default."""
    path: str
    query: str
    fragment: str

    def text(self) -> str:
        """The address as one string; parsing it gives the same parts."""
        port = f":{self.port}" if self.port else ""
        query = f"?{self.query}" if self.query else ""
        fragment = f"#{self.fragment}" if self.fragment else ""
        return f"{self.scheme}://{self.host}{port}{self.path}{query}{fragment}"


def parse(text: str) -> Parts | None:
    """Parts of an http(s) address; None for anything that is no web page."""
    absolute = _absolute(text)
    return None if absolute is None else _parse_absolute(absolute)


def _parse_absolute(text: str) -> Parts | None:
    try:
        href = ada_url.normalize_url(text)
    except ValueError:
        return None
    match = _PARTS.fullmatch(href)
    if match is None:
        return None
    scheme, host, port, path, query, fragment = match.groups(default="")
    host = host.removesuffix(".")
    if not is_acceptable(host):
        return None
    return Parts(scheme, host, port, path or "/", query, fragment)


def _absolute(text: str) -> str | None:
    if _WEB.match(text) is not None:
        return _DOUBLED.sub("", text) if _DOUBLED.match(text) else text
    if text[:2] in {"//", "\\\\"}:
        return f"https:{text}"
    return _identifier(text) or _schemeless(text)


def _identifier(text: str) -> str | None:
    doi = _DOI.fullmatch(text)
    if doi is not None:
        return f"https://doi.org/{doi[1]}"
    arxiv = _ARXIV.fullmatch(text)
    return f"https://arxiv.org/abs/{arxiv[1]}" if arxiv is not None else None


def _schemeless(text: str) -> str | None:
    match = _BARE_HOST.match(text)
    if match is None or not has_known_suffix(match[1].lower()) or _FILE.fullmatch(text):
        return None
    return f"https://{text}"
