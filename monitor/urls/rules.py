"""Generic normalisation of a path, a query and a fragment; the same on every host.

Following RFC 3986 section 6.2.2 (escapes, dot segments) and the form encoding of the WHATWG
URL standard (`%20` and `+` are one). Case, encoded slashes, invalid UTF-8 and the order of
equal keys survive: they can select content.
"""

import re
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from monitor.urls.tracking import Part, part_of

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_DECODED = frozenset(_UNRESERVED + "!'()*,:@")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/]*")
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})?|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]")
_HEX = re.compile(r"%([0-9a-fA-F]{2})?")
_SLASHES = re.compile(r"(?<!:)//+")
_DOTS = re.compile(r"/\.\.?(?=/|$)")
_INDEX = re.compile(
    r"(?<=/)(?:index|default)\.(?:x?html?|shtml?|php\d?|phtml|aspx?|jspx?|cfm|cgi|pl)$",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"(?:/(?=;[^/;]*(?:/|$)))?;(?:jsessionid|phpsessid|sid)=[^/;]*"
    r"|(?<=/)\((?:[A-Z]\([a-z0-9_-]+\))+\)/*"
    r"|(?<=/)\([a-z0-9]{24}\)/*",
    re.IGNORECASE,
)
_QUERY_SAFE = "-._~!$'()*,/:;?@="
_PLAIN_NAME = re.compile(r"[A-Za-z0-9\-._~!$'()*,/:?@+]*")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9\-._~!$'()*,/:?@+;=]*")
_AMPERSAND = re.compile(r"&(?:(?:amp|#0*38|#x0*26);)+", re.IGNORECASE)
_AMP_NAME = re.compile(r"^(?:amp;)+", re.IGNORECASE)

_TAGS_IN_VALUE = re.compile(r"\?(?:utm_[a-z]+=[^%&=?/]*(?:%26)?)+$", re.IGNORECASE)
_TAGS_IN_PATH = re.compile(r"(?:(?:&|%3F)utm_[a-z]+=[^/&?]*)+$", re.IGNORECASE)

_DATE = re.compile(r"/(?:19|20)\d\d[/-]\d{1,2}(?=[/-])")
_ARTICLE = re.compile(r"(?:[^-_]+[-_]+){2,}[^-_]+|.*\d{5}.*|.+\.s?html?", re.IGNORECASE)
_AMP_FILE = re.compile(r"(?:\.amp(?P<html>\.html?)|(?P<kept>\.html?)\.amp|\.amp)$", re.IGNORECASE)


class Query(NamedTuple):
    """A query without what does not select the page."""

    text: str
    had_rendering: bool
    """An AMP or print marker was dropped."""


def unescape_ampersands(text: str) -> str:
    """Undo HTML escaping of `&`, however often it was applied."""
    return _AMPERSAND.sub("&", text) if "&" in text else text


def identity_query(query: str, host: str) -> Query:
    """Query of the page key: content only, re-encoded, sorted by key."""
    if not query:
        return Query("", had_rendering=False)
    pairs: list[tuple[str, str]] = []
    had_rendering = False
    for token in query.split("&"):
        name, equals, value = token.partition("=")
        name, value = _encoded_name(name), _encoded(value, _PLAIN_VALUE)
        if not name and not equals:
            continue
        role = part_of(_lower(name), decoded(value), host)
        had_rendering |= role is Part.RENDERING
        if role is Part.CONTENT:
            pair = without_glued_tags(f"{name}{equals}{value}")
            pairs += [(pair.partition("=")[0], pair)] * bool(pair)
    pairs.sort(key=_first)
    return Query("&".join([pair for _, pair in pairs]), had_rendering)


def link_query(query: str, host: str) -> str:
    """Query that is safe to open: trackers off, the rest as it was."""
    if not query:
        return ""
    kept = [without_glued_tags(token) for token in query.split("&") if _is_opening(token, host)]
    return "&".join([token for token in kept if token])


def without_glued_tags(pair: str) -> str:
    """Name and value without a campaign tag that an engine appended by a second `?`."""
    return _TAGS_IN_VALUE.sub("", pair) if "?" in pair else pair


def _is_opening(token: str, host: str) -> bool:
    name, _, value = token.partition("=")
    return bool(token) and part_of(_lower(_encoded_name(name)), decoded(value), host) is not (
        Part.TRACKER
    )


def _first(pair: tuple[str, str]) -> str:
    return pair[0]


def _lower(name: str) -> str:
    return (decoded(name) if "%" in name else name).lower()


def _encoded_name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name) is not None:
        return name
    plain = _AMP_NAME.sub("", decoded(name))
    if plain != decoded(name):
        return _encoded_name(plain)
    return _encoded(name, _PLAIN_NAME).replace("=", "%3D").replace(";", "%3B")


def _encoded(text: str, plain: re.Pattern[str]) -> str:
    if plain.fullmatch(text) is not None:
        return text
    raw = unquote_to_bytes(text.replace("+", " "))
    return quote_from_bytes(raw, safe=_QUERY_SAFE).replace("%20", "+")


def decoded(text: str) -> str:
    """Form-decode a value; bytes that are no UTF-8 keep their escape."""
    if "%" not in text and "+" not in text:
        return text
    raw = unquote_to_bytes(text.replace("+", " "))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return re.sub(rb"[\x80-\xff]", lambda byte: b"%%%02X" % byte[0][0], raw).decode()


def plain_path(path: str) -> str:
    """Path with canonical escapes, single slashes and no dot segments."""
    if _PLAIN_PATH.fullmatch(path) is None:
        path = _ESCAPE.sub(_escape, path)
    if "&" in path:
        path = unescape_ampersands(path)
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return _without_dots(path) if "/." in path else path


def _escape(match: re.Match[str]) -> str:
    hexadecimal = match[1]
    if hexadecimal is None:
        return "".join(f"%{byte:02X}" for byte in match[0].encode())
    char = chr(int(hexadecimal, 16))
    return char if char in _DECODED else f"%{hexadecimal.upper()}"


def _without_dots(path: str) -> str:
    if _DOTS.search(path) is None:
        return path
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


def without_session(path: str) -> str:
    """Path without session identifiers, and campaign tags that lack their `?`."""
    if "utm_" in path.lower():
        path = _TAGS_IN_PATH.sub("", path)
    return (_SESSION.sub("", path) or "/") if ";" in path or "/(" in path else path


class Path(NamedTuple):
    """An identity path, and whether an AMP mark was taken out of it."""

    text: str
    was_amp: bool


def identity_path(path: str, *, has_query: bool, has_route: bool) -> Path:
    """Path of the page key: no session, AMP mark, index file or trailing slash."""
    was_amp = False
    while True:
        before = path
        path = without_session(plain_path(path))
        if not has_route:
            path = path.rstrip("/") or "/"
        if not has_query:
            path = _INDEX.sub("", path)
        plain = _without_amp(path) if "amp" in path.lower() else path
        was_amp |= plain != path
        path = plain
        if path == before:
            return Path(path, was_amp)


def _without_amp(path: str) -> str:
    head, _, name = path.rstrip("/").rpartition("/")
    if name.lower() in {"amp", "amp.html"}:
        return head if _is_article(head) else path
    folder, mark, rest = path.partition("/amp/")
    if mark and (_is_article(f"/{rest}") or _ends_as_article(folder)):
        return f"{folder.removesuffix('/platform')}/{rest}"
    if _AMP_FILE.search(name) is not None and ("-" in name or _is_article(path)):
        return f"{head}/{_AMP_FILE.sub(_html, name)}"
    return path


def _html(match: re.Match[str]) -> str:
    return match["html"] or match["kept"] or ""


def _is_article(path: str) -> bool:
    return _DATE.search(path) is not None or _ends_as_article(path)


def _ends_as_article(path: str) -> bool:
    return _ARTICLE.fullmatch(path.rpartition("/")[2]) is not None


def route(fragment: str, host: str) -> str:
    """Client-side route that selects a page (`#!...`, `#/...`); else empty."""
    if fragment[:1] not in {"!", "/"}:
        return ""
    path, _, query = fragment.partition(":~:")[0].partition("?")
    kept = link_query(query, host)
    plain = _HEX.sub(_escape, f"{path}?{kept}" if kept else path)
    return "" if plain in {"!", "/", "!/"} else plain
