"""Wrappers: links through a search engine, proxy or archive to the page that is meant.

Only redirectors known by name are opened, and only where the target can be read from the URL
itself. An unknown `next=` or `url=` parameter is content of its own site.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from monitor.domain.source import UrlFlag
from monitor.urls.hosts import host_facts
from monitor.urls.parse import Parts, parse
from monitor.urls.redirectors import Redirector, is_google_door, redirectors
from monitor.urls.rules import decoded, plain_path

MAX_DEPTH = 5
"""Wrappers inside wrappers that are opened; more than that is left as it is."""


class Unwrapped(NamedTuple):
    """The page behind all wrappers, and what kinds of wrapper there were."""

    parts: Parts
    flags: tuple[UrlFlag, ...]


class _Target(NamedTuple):
    url: str
    flag: UrlFlag = UrlFlag.UNWRAPPED


_Opener = Callable[[Parts], Iterator[_Target]]


# Where the target is the tail of the path. The first group is the target.
_WEB = r"(https?:/+.+|[^/*@]+\.[^/*@]+(?:/.*)?)"
_WAYBACK = re.compile(rf"/web/(?:\d{{1,14}}(?:[a-z]{{2}}_)?/)?{_WEB}", re.IGNORECASE | re.DOTALL)
_STAMP = r"\d{4,14}(?:[a-z]{2}_)?"
_ARCHIVES: dict[str, re.Pattern[str]] = {
    "web.archive.org": _WAYBACK,
    "wayback.archive.org": _WAYBACK,
    "archive.org": _WAYBACK,
    **{
        host: re.compile(rf"{start}/{_WEB}", re.IGNORECASE | re.DOTALL)
        for host, start in (
            ("wayback.archive-it.org", rf"/(?:\w+/)?{_STAMP}"),
            ("webarchive.nationalarchives.gov.uk", rf"/(?:ukgwa/)?(?:{_STAMP}|\+)"),
            ("arquivo.pt", rf"/wayback/{_STAMP}"),
            ("webarchive.loc.gov", rf"/\w+/{_STAMP}"),
            ("webarchive.org.uk", rf"(?:/\w+)?/wayback/(?:archive/)?{_STAMP}"),
        )
    },
}
_ARCHIVE_TODAY = re.compile(
    rf"/(?:(?:\d{{4,14}}|\d{{4}}\.\d\d\.\d\d-\d{{6}}|newest|oldest|timegate|o/\w+)/)?{_WEB}",
    re.IGNORECASE,
)
_ARCHIVE_TODAY_HOSTS = frozenset(
    f"archive.{suffix}" for suffix in ("ph", "today", "is", "md", "li", "vn", "fo")
)
_AMP_CACHE = re.compile(r"/(?:[acirv]|wp|ii/w\d+)/(s/)?([^/]+\.[^/]+(?:/.*)?)", re.DOTALL)
_AMP_CACHES = (".ampproject.org", ".bing-amp.com", ".amp.cloudflare.com")
_AMP_VIEWER = re.compile(r"/amp/(s/)?([^/]+\.[^/]+(?:/.*)?)", re.DOTALL)
_SAFELINKS = re.compile(
    r"(?:[a-z0-9-]+\.)*safelinks\.protection\.(?:outlook\.com|office365\.us)|safelinks\.office\.net"
)
_YAHOO = re.compile(r"r(?:\.[a-z-]+)*\.search\.yahoo\.(?:com|co\.jp)")
_YAHOO_PATH = re.compile(r"/RU=([^/]+)(?:/R[A-Z]=|$)")
_MAIL_CLICK = re.compile(r"/C?L0/(https?(?::|%3a)%2f%2f[^/]+)(?:/.*)?", re.IGNORECASE)
_AFTER_HOST = re.compile(r"/(https?(?::|%3a)/*.+)", re.IGNORECASE | re.DOTALL)
_AFFILIATE = re.compile(
    r"/links/[^/]+/type/dlg/(?:[^/:]+/){0,3}(https?:/+.+)", re.IGNORECASE | re.DOTALL
)
_WHOLE_QUERY = re.compile(r"(?:^|&)(https?(?::|%3a).*)", re.IGNORECASE | re.DOTALL)
_PROOFPOINT = re.compile(r"/v3/__(https?:/+.+?)__;([A-Za-z0-9_-]*)!!.*", re.IGNORECASE | re.DOTALL)
_PROOFPOINT_RUN = re.compile(r"\*(?:\*([A-Za-z0-9_-]))?")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_CACHED = re.compile(r"cache:(?:[\w-]{6,}:)?(\S+)")


def unwrap(parts: Parts) -> Unwrapped:
    """Follow readable wrappers to the page; itself where there is none."""
    flags: list[UrlFlag] = []
    page = parts
    for _ in range(MAX_DEPTH):
        inner = _open(page)
        if inner is None:
            return Unwrapped(page, tuple(dict.fromkeys(flags)))
        page = inner.parts
        flags.extend(inner.flags)
    if _open(page) is not None:
        return Unwrapped(parts, ())
    return Unwrapped(page, tuple(dict.fromkeys(flags)))


def _open(parts: Parts) -> Unwrapped | None:
    for candidate in _candidates(parts):
        page = parse(candidate.url)
        if page is not None:
            return Unwrapped(page, (UrlFlag.UNWRAPPED, candidate.flag))
    return None


def _candidates(parts: Parts) -> Iterator[_Target]:
    doors, special = _doors(parts.host)
    if doors:
        yield from _parameter_targets(parts, doors)
    if special is not None:
        yield from special(parts)


@lru_cache(maxsize=32_768)
def _doors(host: str) -> tuple[tuple[Redirector, ...], _Opener | None]:
    bare = host_facts(host).bare
    return redirectors(bare), _special(bare)


def _parameter_targets(parts: Parts, doors: tuple[Redirector, ...]) -> Iterator[_Target]:
    path = plain_path(parts.path).rstrip("/")
    for door in doors:
        if door.path and not f"{path}/".startswith(f"{door.path}/"):
            continue
        is_lax = door.flag is UrlFlag.TRANSLATED
        if not door.names:
            yield from (_Target(url) for url in _web(_WHOLE_QUERY.findall(parts.query)))
        for name in door.names:
            values = _values(parts.query, name)
            yield from (_Target(url, door.flag) for url in _web(values, is_lax=is_lax))


def _values(query: str, name: str) -> Iterator[str]:
    for token in query.split("&"):
        key, _, value = token.partition("=")
        if value and decoded(key).removeprefix("amp;") == name:
            yield decoded(value)


def _web(values: Iterable[str], *, is_lax: bool = False) -> Iterator[str]:
    """Values that are web addresses, also after one escaping too many."""
    for value in values:
        text = unquote(value) if _is_escaped(value) else value
        if _is_web(text) or (is_lax and "." in text.partition("/")[0]):
            yield text


def _is_web(text: str) -> bool:
    return re.match(r"\s*https?:/", text, re.IGNORECASE) is not None


def _is_escaped(text: str) -> bool:
    return re.match(r"https?(?:%3a|:%2f)", text, re.IGNORECASE) is not None


def _special(bare: str) -> _Opener | None:
    if bare in _SPECIAL:
        return _SPECIAL[bare]
    for ends, opener in _BY_ENDING.items():
        if bare.endswith(ends):
            return opener
    if is_google_door(bare):
        return _amp_viewer
    if _SAFELINKS.fullmatch(bare):
        return _safelink
    return _yahoo if _YAHOO.fullmatch(bare) else None


def _tail(parts: Parts, pattern: re.Pattern[str], flag: UrlFlag) -> Iterator[_Target]:
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    match = pattern.fullmatch(parts.path)
    if match is None:
        return
    target = unquote(match[1]).strip() if _is_escaped(match[1]) else match[1]
    yield _Target(f"{_whole(target)}{query}{fragment}", flag)


def _whole(url: str) -> str:
    """Address with both slashes, of which path normalisers on the way often eat one."""
    return re.sub(r"^(https?):/+", r"\1://", url, flags=re.IGNORECASE)


def _archive(parts: Parts) -> Iterator[_Target]:
    return _tail(parts, _ARCHIVES[host_facts(parts.host).bare], UrlFlag.ARCHIVE)


def _archive_today(parts: Parts) -> Iterator[_Target]:
    yield from _tail(parts, _ARCHIVE_TODAY, UrlFlag.ARCHIVE)
    for url in _web(_values(parts.query, "url")):
        yield _Target(url, UrlFlag.ARCHIVE)


def _amp(parts: Parts, pattern: re.Pattern[str]) -> Iterator[_Target]:
    match = pattern.fullmatch(parts.path)
    if match is None:
        return
    scheme = "https" if match[1] else "http"
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    yield _Target(f"{scheme}://{match[2]}{query}{fragment}", UrlFlag.AMP)


def _amp_cache(parts: Parts) -> Iterator[_Target]:
    return _amp(parts, _AMP_CACHE)


def _amp_viewer(parts: Parts) -> Iterator[_Target]:
    return _amp(parts, _AMP_VIEWER)


def _translate_goog(parts: Parts) -> Iterator[_Target]:
    label = parts.host.removesuffix(".translate.goog")
    host = label.replace("--", "\0").replace("-", ".").replace("\0", "-")
    yield _Target(parts._replace(host=host).text(), UrlFlag.TRANSLATED)


def _webcache(parts: Parts) -> Iterator[_Target]:
    for value in _values(parts.query, "q"):
        match = _CACHED.match(value)
        if match is not None:
            yield _Target(match[1], UrlFlag.ARCHIVE)


def _safelink(parts: Parts) -> Iterator[_Target]:
    return (_Target(url) for url in _web(_values(parts.query, "url")))


def _yahoo(parts: Parts) -> Iterator[_Target]:
    match = _YAHOO_PATH.search(parts.path)
    if match is not None:
        yield _Target(unquote(match[1]))


def _bing(parts: Parts) -> Iterator[_Target]:
    yield from _amp_viewer(parts)
    path = plain_path(parts.path).rstrip("/")
    for value in _values(parts.query, "u"):
        if path == "/ck/a" and value.startswith("a1"):
            yield from _base64(value[2:])
        elif path in {"/aclick", "/aclk"}:
            yield from _base64(value)


def _base64(text: str) -> Iterator[_Target]:
    padded = text.rstrip("=").replace(" ", "+") + "=" * (-len(text.rstrip("=")) % 4)
    try:
        url = base64.b64decode(padded, altchars=b"-_").decode()
    except (binascii.Error, ValueError):
        return
    yield from (_Target(web) for web in _web((url,)))


def _youtube(parts: Parts) -> Iterator[_Target]:
    if plain_path(parts.path).rstrip("/") == "/attribution_link":
        for value in _values(parts.query, "u"):
            yield _Target(f"https://www.youtube.com{value}" if value[:1] == "/" else value)


def _proofpoint(parts: Parts) -> Iterator[_Target]:
    query = f"?{parts.query}" if parts.query else ""
    match = _PROOFPOINT.fullmatch(f"{parts.path}{query}")
    if match is not None:
        yield _Target(_whole(_proofpoint_text(match[1], match[2])))
    if parts.path.startswith("/v2/"):
        for value in _values(parts.query, "u"):
            yield _Target(unquote(value.replace("-", "%").replace("_", "/")))
    elif parts.path.startswith("/v1/"):
        yield from (_Target(url) for url in _web(_values(parts.query, "u")))


def _proofpoint_text(text: str, encoded: str) -> str:
    """Address of a version 3 link: `*` is the next replaced character, `**X` a run of them."""
    try:
        replaced = iter(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    except (binascii.Error, ValueError):
        return text
    return _PROOFPOINT_RUN.sub(
        lambda run: "".join(islice(replaced, _run_length(run[1]))) or run[0], text
    )


def _run_length(letter: str | None) -> int:
    return 1 if letter is None else _ALPHABET.index(letter) + 2


def _in_path(pattern: re.Pattern[str]) -> _Opener:
    return partial(_tail, pattern=pattern, flag=UrlFlag.UNWRAPPED)


def _mail_click(parts: Parts) -> Iterator[_Target]:
    match = _MAIL_CLICK.fullmatch(parts.path)
    if match is not None:
        yield _Target(unquote(match[1]))


_AFFILIATES = (
    "anrdoezrs.net", "dpbolvw.net", "jdoqocy.com", "kqzyfj.com", "tkqlhce.com",
)  # fmt: skip
_BY_ENDING: dict[tuple[str, ...], _Opener] = {
    _AMP_CACHES: _amp_cache,
    (".translate.goog",): _translate_goog,
    (".awstrack.me",): _mail_click,
}
_SPECIAL: dict[str, _Opener] = {
    **dict.fromkeys(_ARCHIVES, _archive),
    **dict.fromkeys(_ARCHIVE_TODAY_HOSTS, _archive_today),
    **dict.fromkeys(_AFFILIATES, _in_path(_AFFILIATE)),
    **dict.fromkeys(("r.jina.ai", "12ft.io"), _in_path(_AFTER_HOST)),
    **dict.fromkeys(("urldefense.com", "urldefense.us", "urldefense.proofpoint.com"), _proofpoint),
    "bing.com": _bing,
    "youtube.com": _youtube,
    "webcache.googleusercontent.com": _webcache,
    "click.redditmail.com": _mail_click,
}
