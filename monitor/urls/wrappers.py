"""Wrappers: links through a search engine, proxy or archive to the page that is meant.

Only redirectors known by name are opened, and only where the target can be read from the URL
itself. An unknown `next=` or `url=` parameter is content of its own site.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from monitor.domain.source import UrlFlag
from monitor.urls.hosts import host_facts, is_google
from monitor.urls.parse import Parts, parse
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


class _Redirector(NamedTuple):
    path: str
    """Start of the path; empty for every path."""
    names: tuple[str, ...]
    """Query parameters that may hold the target, first one that is http(s) wins."""


# Redirectors whose target is a plain query parameter, by bare host.
_BY_PARAMETER: dict[str, tuple[_Redirector, ...]] = {
    "l.facebook.com": (_Redirector("/l.php", ("u",)),),
    "lm.facebook.com": (_Redirector("/l.php", ("u",)),),
    "facebook.com": (_Redirector("/l.php", ("u",)), _Redirector("/flx/warn", ("u",))),
    "l.instagram.com": (_Redirector("", ("u",)),),
    "l.messenger.com": (_Redirector("", ("u",)),),
    "l.threads.net": (_Redirector("", ("u",)),),
    "l.threads.com": (_Redirector("", ("u",)),),
    "l.wl.co": (_Redirector("/l", ("u",)),),
    "duckduckgo.com": (_Redirector("/l", ("uddg",)),),
    "html.duckduckgo.com": (_Redirector("/l", ("uddg",)),),
    "lite.duckduckgo.com": (_Redirector("/l", ("uddg",)),),
    "out.reddit.com": (_Redirector("", ("url",)),),
    "youtube.com": (_Redirector("/redirect", ("q",)), _Redirector("/oembed", ("url",))),
    "consent.youtube.com": (_Redirector("", ("continue",)),),
    "steamcommunity.com": (_Redirector("/linkfilter", ("u", "url")),),
    "linkedin.com": (_Redirector("/redir", ("url",)), _Redirector("/safety/go", ("url",))),
    "vk.com": (_Redirector("/away.php", ("to",)),),
    "away.vk.com": (_Redirector("", ("to",)),),
    "t.umblr.com": (_Redirector("/redirect", ("z",)),),
    "quora.com": (_Redirector("/_/redirect", ("url",)),),
    "medium.com": (_Redirector("/r", ("url",)),),
    "pinterest.com": (_Redirector("/offsite", ("url",)),),
    "slack-redir.net": (_Redirector("/link", ("url",)),),
    "exit.sc": (_Redirector("", ("url",)),),
    "gate.sc": (_Redirector("", ("url",)),),
    "disq.us": (_Redirector("/url", ("url",)),),
    "link.zhihu.com": (_Redirector("", ("target",)),),
    "bing.com": (
        _Redirector("/news/apiclick.aspx", ("url",)),
        _Redirector("/alink/link", ("url",)),
    ),
    "statics.teams.cdn.office.net": (_Redirector("/evergreen-assets/safelinks", ("url",)),),
    "googleweblight.com": (_Redirector("", ("u", "lite_url")),),
    "googleadservices.com": (_Redirector("/pagead/aclk", ("adurl",)),),
    "translate.googleusercontent.com": (_Redirector("/translate_c", ("u",)),),
    "microsofttranslator.com": (_Redirector("/bv.aspx", ("a",)),),
}
_GOOGLE = (
    _Redirector("/url", ("q", "url")),
    _Redirector("/imgres", ("imgrefurl",)),
    _Redirector("/aclk", ("adurl",)),
    _Redirector("/interstitial", ("url",)),
    _Redirector("/scholar_url", ("url",)),
    _Redirector("/translate", ("u",)),
    _Redirector("/ml", ("continue",)),
)
_GOOGLE_LABELS = frozenset({"scholar", "translate", "images", "news", "consent", "plus.url"})
_TRANSLATORS = frozenset({"translate", "translate_c", "bv.aspx"})
_SAFELINKS = re.compile(
    r"(?:[a-z0-9-]+\.)*safelinks\.protection\.outlook\.com|safelinks\.office\.net"
)
_YAHOO = re.compile(r"r(?:\.[a-z-]+)*\.search\.yahoo\.(?:com|co\.jp)")
_YAHOO_PATH = re.compile(r"/RU=([^/]+)(?:/R[A-Z]=|$)")

# Where the target is the tail of the path. The first group is the target.
_WEB = r"(https?:/+.+|[^/*@]+\.[^/*@]+(?:/.*)?)"
_WAYBACK = re.compile(rf"/web/(?:\d{{1,14}}(?:[a-z]{{2}}_)?/)?{_WEB}", re.IGNORECASE | re.DOTALL)
_STAMP = r"\d{4,14}(?:[a-z]{2}_)?"
_ARCHIVES: dict[str, re.Pattern[str]] = {
    "web.archive.org": _WAYBACK,
    "wayback.archive.org": _WAYBACK,
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
    rf"/(?:\d{{4,14}}|\d{{4}}\.\d\d\.\d\d-\d{{6}}|newest|oldest|timegate|o/\w+)/{_WEB}",
    re.IGNORECASE,
)
_ARCHIVE_TODAY_HOSTS = frozenset(
    f"archive.{suffix}" for suffix in ("ph", "today", "is", "md", "li", "vn", "fo")
)
_AMP_CACHE = re.compile(r"/(?:[acirv]|wp)/(s/)?([^/]+\.[^/]+(?:/.*)?)", re.DOTALL)
_AMP_VIEWER = re.compile(r"/amp/(s/)?([^/]+\.[^/]+(?:/.*)?)", re.DOTALL)
_PATH_TARGET = re.compile(r"/(?:CL0/)?(https?(?::|%3a)/*.+)", re.IGNORECASE | re.DOTALL)
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
    redirectors, special = _doors(parts.host)
    if redirectors:
        yield from _parameter_targets(parts, redirectors)
    if special is not None:
        yield from special(parts)


@lru_cache(maxsize=32_768)
def _doors(host: str) -> tuple[tuple[_Redirector, ...], _Opener | None]:
    bare = host_facts(host).bare
    google = _GOOGLE if _is_google_door(bare) else ()
    return _BY_PARAMETER.get(bare, google), _special(bare)


def _is_google_door(bare: str) -> bool:
    if not is_google(bare):
        return False
    label = bare.partition("google.")[0].removesuffix(".")
    return not label or label in _GOOGLE_LABELS


def _parameter_targets(parts: Parts, redirectors: tuple[_Redirector, ...]) -> Iterator[_Target]:
    path = plain_path(parts.path).rstrip("/")
    for redirector in redirectors:
        if redirector.path and not f"{path}/".startswith(f"{redirector.path}/"):
            continue
        is_translation = path.rpartition("/")[2] in _TRANSLATORS
        flag = UrlFlag.TRANSLATED if is_translation else UrlFlag.UNWRAPPED
        for name in redirector.names:
            yield from (_Target(url, flag) for url in _web_values(parts.query, name))


def _values(query: str, name: str) -> Iterator[str]:
    for token in query.split("&"):
        key, _, value = token.partition("=")
        if value and decoded(key).removeprefix("amp;") == name:
            yield decoded(value)


def _web_values(query: str, name: str) -> Iterator[str]:
    return (value for value in _values(query, name) if _is_web(value))


def _is_web(text: str) -> bool:
    return re.match(r"\s*https?:/", text, re.IGNORECASE) is not None


def _special(bare: str) -> _Opener | None:
    if bare in _SPECIAL:
        return _SPECIAL[bare]
    if bare.endswith((".ampproject.org", ".bing-amp.com")):
        return _amp_cache
    if bare.endswith(".translate.goog"):
        return _translate_goog
    if _is_google_door(bare):
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
    target = re.sub(r"^(https?):/+", r"\1://", match[1], flags=re.IGNORECASE)
    if re.match(r"https?%3a", target, re.IGNORECASE):
        target = unquote(target)
    yield _Target(f"{target}{query}{fragment}", flag)


def _archive(parts: Parts) -> Iterator[_Target]:
    return _tail(parts, _ARCHIVES[host_facts(parts.host).bare], UrlFlag.ARCHIVE)


def _archive_today(parts: Parts) -> Iterator[_Target]:
    yield from _tail(parts, _ARCHIVE_TODAY, UrlFlag.ARCHIVE)
    for url in _web_values(parts.query, "url"):
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
    return (_Target(url) for url in _web_values(parts.query, "url"))


def _yahoo(parts: Parts) -> Iterator[_Target]:
    match = _YAHOO_PATH.search(parts.path)
    if match is not None:
        yield _Target(unquote(match[1]))


def _bing(parts: Parts) -> Iterator[_Target]:
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
    url = unquote(url) if re.match(r"https?%3a", url, re.IGNORECASE) else url
    if _is_web(url):
        yield _Target(url)


def _youtube(parts: Parts) -> Iterator[_Target]:
    if plain_path(parts.path).rstrip("/") == "/attribution_link":
        for value in _values(parts.query, "u"):
            yield _Target(f"https://www.youtube.com{value}" if value[:1] == "/" else value)


def _proofpoint(parts: Parts) -> Iterator[_Target]:
    match = re.match(r"/v3/__(https?:/+.+?)__;", parts.path)
    if match is not None:
        yield _Target(re.sub(r"^(https?):/+", r"\1://", match[1]))
    for value in _values(parts.query, "u"):
        yield _Target(unquote(value.replace("-", "%").replace("_", "/")))


def _in_path(parts: Parts) -> Iterator[_Target]:
    return _tail(
        parts, re.compile(r"/(?:CL0/)?(https?(?::|%3a)/*.+)", re.IGNORECASE), UrlFlag.UNWRAPPED
    )


_SPECIAL: dict[str, _Opener] = {
    **dict.fromkeys(_ARCHIVES, _archive),
    **dict.fromkeys(_ARCHIVE_TODAY_HOSTS, _archive_today),
    "bing.com": _bing,
    "youtube.com": _youtube,
    "webcache.googleusercontent.com": _webcache,
    "urldefense.com": _proofpoint,
    "urldefense.proofpoint.com": _proofpoint,
    "r.jina.ai": _in_path,
    "click.redditmail.com": _in_path,
}
