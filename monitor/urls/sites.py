"""Site adapters: published equivalences of one site, on hosts named one by one.

An adapter takes a normalised address (bare host, identity path and query) and gives the
address of the same page in one form. Every host is listed: `about.reddit.com` and
`engineering.linkedin.com` are other sites than the ones above them.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

from monitor.urls import scholarly
from monitor.urls.hosts import is_google
from monitor.urls.parse import Parts

Adapter = Callable[[Parts], Parts]
"""From one form of a page's address to the form that counts."""

_VIDEO = re.compile(r"/(?:shorts|embed|live|v|e|watch|vi)/([A-Za-z0-9_-]+)(?:/.*)?")
_VIDEO_ID = re.compile(r"[A-Za-z0-9_-]+")
_VIDEO_VALUE = re.compile(r"([A-Za-z0-9_-]+)(?:(?:[?/]|%3F|%26).*)?", re.IGNORECASE)
_THREAD = re.compile(
    r"((?:/(?:r|user)/[^/]+)?/comments/)([a-z0-9]+)(?:\.json|\.rss|/.*)?", re.IGNORECASE
)
_STATUS = re.compile(r"/(?:(i)/(?:web/)?|([^/]+)/)status(?:es)?/(\d+)(?:/.*)?", re.IGNORECASE)
_QUESTION = re.compile(r"/(?:questions|q)/(\d+)(?:/.*)?")
_ANSWER = re.compile(r"(/a/\d+)(?:/.*)?")
_PRODUCT = re.compile(
    r"(?:/[^/]+)*?/(?:dp|gp/product|gp/aw/d|gp/aw/ol|exec/obidos/(?:ASIN|tg/detail/-)|o/ASIN)"
    r"(?:/product)?/([A-Z0-9]{10})(?:/.*)?",
    re.IGNORECASE,
)
_REPOSITORY_FILE = re.compile(r"(/[^/]+/[^/]+)/(?:raw|blame|blob)/(?:refs/heads/|refs/tags/)?(.+)")
_REPOSITORY_TREE = re.compile(r"(/[^/]+/[^/]+/(?:tree|commits))/refs/(?:heads|tags)/(.+)")
_RAW_FILE = re.compile(r"(?:/media)?(/[^/]+/[^/]+)/(?:refs/heads/|refs/tags/)?([^/]+/.+)")
_GIST = re.compile(r"(/[^/]+/[0-9a-f]+)(?:\.js|\.git|/raw(?:/.*)?)?")
_BLOGSPOT = re.compile(r"([a-z0-9-]+)\.blogspot\.(?:com?\.)?[a-z]{2,3}")
_LINKEDIN = re.compile(r"(?:[a-z]{2}\.)?linkedin\.com")
_FACEBOOK = re.compile(r"(?:(?:mbasic|touch|web|[a-z]{2}-[a-z]{2})\.)?facebook\.com|fb\.com")
_WIKI = re.compile(
    r"(?P<language>[a-z][a-z-]*)\.(?:m\.|zero\.)?"
    r"(?P<project>wiki(?:pedia|media|books|quote|source|news|versity|voyage)|wiktionary)\.org"
)
_AMAZON = re.compile(
    r"(?:smile\.)?amazon\.(?:com|ca|com\.mx|com\.br|co\.uk|de|fr|it|es|nl|se|pl|com\.be|com\.tr"
    r"|ae|sa|eg|in|co\.jp|com\.au|sg|cn|ie|co\.za)"
)
_STACK_SITES = frozenset(
    {
        "stackoverflow.com", "serverfault.com", "superuser.com", "askubuntu.com",
        "mathoverflow.net", "stackapps.com", "meta.stackoverflow.com", "meta.superuser.com",
        "meta.serverfault.com", "meta.askubuntu.com", "meta.mathoverflow.net",
        "pt.stackoverflow.com", "es.stackoverflow.com", "ja.stackoverflow.com",
        "ru.stackoverflow.com",
    }
)  # fmt: skip
_WIKI_NOISE = frozenset(
    {
        "useskin",
        "useformat",
        "oldformat",
        "uselang",
        "veaction",
        "mobileaction",
        "redirect",
        "wprov",
        "printable",
        "title",
    }
)
_TITLE_SAFE = "-._~!$'()*,:@/;"


def adapt(parts: Parts) -> Parts:
    """One form for the pages of sites we know; anything else unchanged."""
    adapter = None if parts.port else _adapter(parts.host)
    return parts if adapter is None else adapter(parts)


@lru_cache(maxsize=32_768)
def _adapter(host: str) -> Adapter | None:
    known = _BY_HOST.get(host) or scholarly.BY_HOST.get(host)
    if known is not None:
        return known
    for pattern, adapter in _BY_PATTERN:
        if pattern.fullmatch(host) is not None:
            return adapter
    if host.endswith(".stackexchange.com"):
        return _stack
    return _google if is_google(host) and host.startswith("google.") else None


def _pairs(query: str) -> list[tuple[str, str]]:
    tokens = [token.partition("=") for token in query.split("&") if token]
    return [(name, value) for name, _, value in tokens]


def _value(query: str, name: str) -> str:
    return next((value for key, value in _pairs(query) if key == name), "")


def _only(query: str, *names: str) -> str:
    kept = [t for t in query.split("&") if t.partition("=")[0] in names]
    return "&".join(kept)


def _youtube(parts: Parts) -> Parts:
    here = parts._replace(host="youtube.com")
    path, query = parts.path, parts.query
    if path in {"/watch", "/watch_popup", "/"}:
        video = _VIDEO_VALUE.fullmatch(_value(query, "v"))
        if video is not None:
            return here._replace(path="/watch", query=f"v={video[1]}", fragment="")
        return here
    if path in {"/embed/videoseries", "/playlist"}:
        return here._replace(path="/playlist", query=_only(query, "list"), fragment="")
    match = _VIDEO.fullmatch(path)
    if match is not None and match[1] not in {"live_stream", "videoseries"}:
        return here._replace(path="/watch", query=f"v={match[1]}", fragment="")
    if path == "/results":
        return here._replace(query=_only(query, "search_query"))
    return _channel(here)


def _channel(parts: Parts) -> Parts:
    if not parts.path.startswith("/@"):
        return parts
    handle, _, tab = parts.path.partition("/@")[2].partition("/")
    rest = f"/{tab}" if tab and tab != "featured" else ""
    return parts._replace(path=f"/@{handle.lower()}{rest}")


def _youtu_be(parts: Parts) -> Parts:
    video = parts.path.strip("/").partition("/")[0]
    if video == "watch":
        return _youtube(parts)
    if not _VIDEO_ID.fullmatch(video):
        return parts
    return _youtube(parts._replace(host="youtube.com", path=f"/embed/{video}"))


def _reddit(parts: Parts) -> Parts:
    here = parts._replace(host="reddit.com", path=_reddit_path(parts.path))
    match = _THREAD.fullmatch(here.path)
    if match is not None:
        path = f"{match[1]}{match[2].lower()}"
        return here._replace(path=path, query="", fragment="")
    return here


def _reddit_path(path: str) -> str:
    head, *rest = path[1:].split("/")
    if head in {"r", "u", "user"} and rest:
        name = "user" if head == "u" else head
        return "/".join(["", name, rest[0].lower(), *rest[1:]])
    return f"/comments/{rest[0]}" if head in {"gallery", "tb"} and rest else path


def _redd_it(parts: Parts) -> Parts:
    post = parts.path.strip("/")
    if not re.fullmatch(r"[a-z0-9]+", post, re.IGNORECASE):
        return parts
    return _reddit(parts._replace(path=f"/comments/{post}"))


def _x(parts: Parts) -> Parts:
    here = parts._replace(host="x.com")
    if parts.path == "/" and parts.fragment.startswith("!/"):
        here = parts = here._replace(path=parts.fragment[1:], fragment="")
    match = _STATUS.fullmatch(parts.path)
    if match is not None:
        author = match[1] or match[2]
        path = f"/{author.lower()}/status/{match[3]}"
        return here._replace(path=path, query="", fragment="")
    first, _, rest = parts.path[1:].partition("/")
    if first.lower() in {"i", "search", "hashtag", "home", "intent", "share"}:
        return here
    return here._replace(path=f"/{first.lower()}/{rest}" if rest else f"/{first.lower()}")


def _linkedin(parts: Parts) -> Parts:
    path = re.sub(r"^/(?:comm|mwlite)(?=/)", "", parts.path)
    head, *rest = path[1:].split("/")
    if head in {"in", "company", "school", "showcase"} and rest:
        path = "/".join(["", head, rest[0].lower(), *rest[1:]])
    return parts._replace(host="linkedin.com", path=path)


def _facebook(parts: Parts) -> Parts:
    """A photo is itself in whichever album (`set`) it was opened."""
    is_photo = bool(_value(parts.query, "fbid"))
    query = _without(parts.query, "set") if is_photo else parts.query
    return parts._replace(host="facebook.com", query=query)


def _telegram(parts: Parts) -> Parts:
    preview = re.fullmatch(r"/s(/[^/]+/\d+)", parts.path)
    return parts._replace(host="t.me", path=parts.path if preview is None else preview[1])


def _renamed(host: str) -> Adapter:
    return lambda parts: parts._replace(host=host)


def _github(parts: Parts) -> Parts:
    path, query = parts.path, parts.query
    match = _REPOSITORY_FILE.fullmatch(path)
    if match is not None:
        path = f"{match[1]}/blob/{match[2]}"
        query = _without(query, "plain", "raw", "token")
    elif re.fullmatch(r"/[^/]+/[^/]+\.git", path):
        path = path.removesuffix(".git")
    else:
        path = _REPOSITORY_TREE.sub(r"\1/\2", path)
    return parts._replace(host="github.com", path=path, query=_without(query, "tab"))


def _without(query: str, *names: str) -> str:
    return "&".join(t for t in query.split("&") if t and t.partition("=")[0] not in names)


def _github_raw(parts: Parts) -> Parts:
    match = _RAW_FILE.fullmatch(parts.path)
    if match is None:
        return parts
    path = f"{match[1]}/blob/{match[2]}"
    return parts._replace(host="github.com", path=path, query="", fragment="")


def _gist(parts: Parts) -> Parts:
    match = _GIST.fullmatch(parts.path)
    here = parts._replace(host="gist.github.com")
    return here if match is None else here._replace(path=match[1], query="")


def _stack(parts: Parts) -> Parts:
    match = _QUESTION.fullmatch(parts.path)
    if match is None:
        answer = _ANSWER.fullmatch(parts.path)
        return parts if answer is None else parts._replace(path=answer[1], query="")
    path = f"/questions/{match[1]}"
    return parts._replace(path=path, query=_only(parts.query, "page"), fragment="")


def _amazon(parts: Parts) -> Parts:
    host = parts.host.removeprefix("smile.")
    match = _PRODUCT.fullmatch(parts.path)
    if match is not None:
        return parts._replace(host=host, path=f"/dp/{match[1].upper()}", query="", fragment="")
    path = re.sub(r"/ref=[^/]*(?=/|$)", "", parts.path) or "/"
    return parts._replace(host=host, path=path)


def _blogspot(parts: Parts) -> Parts:
    blog = parts.host.partition(".")[0]
    tokens = [t for t in _without(parts.query, "spref").split("&") if t not in {"m=0", "m=1"}]
    return parts._replace(host=f"{blog}.blogspot.com", query="&".join(tokens))


def _google(parts: Parts) -> Parts:
    if parts.path != "/search":
        return parts
    return parts._replace(query=_only(parts.query, "q"), fragment="")


def _substack(parts: Parts) -> Parts:
    match = re.fullmatch(r"/pub/([a-z0-9-]+)(/.*)?", parts.path)
    if match is None or match[1] in {"www", "m", "mobile", "amp"}:
        return parts
    return parts._replace(host=f"{match[1]}.substack.com", path=match[2] or "/")


def _wiki(parts: Parts) -> Parts:
    match = _WIKI.fullmatch(parts.host)
    host = f"{match['language']}.{match['project']}.org" if match else parts.host
    here = parts._replace(host=host)
    title = _wiki_title(parts)
    if title is None:
        return here
    rest = [pair for pair in _pairs(parts.query) if not _is_wiki_noise(*pair)]
    if not rest:
        return here._replace(path=f"/wiki/{title}", query="", fragment="")
    pairs = sorted([*rest, ("title", title)], key=lambda pair: pair[0])
    query = "&".join(f"{name}={value}" if value else name for name, value in pairs)
    return here._replace(path="/w/index.php", query=query, fragment="")


def _is_wiki_noise(name: str, value: str) -> bool:
    return name in _WIKI_NOISE or (name == "action" and value in {"view", "render"})


def _wiki_title(parts: Parts) -> str | None:
    """Title in the form of MediaWiki's own links; None where the path names no page."""
    if parts.path in {"/w/index.php", "/w", "/", "/wiki/index.php", "/wiki", "/index.php"}:
        raw = unquote_to_bytes(_value(parts.query, "title").replace("+", " "))
    elif parts.path.startswith("/wiki/"):
        raw = unquote_to_bytes(parts.path.removeprefix("/wiki/"))
    else:
        return None
    title = re.sub(rb"[ _]+", b"_", raw).strip(b"_/")
    segments = title.split(b"/")
    if not title or b"" in segments or b"." in segments or b".." in segments:
        return None
    if not parts.host.endswith("wiktionary.org"):
        title = _capitalised(title)
    return quote(title, safe=_TITLE_SAFE)


def _capitalised(title: bytes) -> bytes:
    """Title with its first letter in upper case, as the wiki stores it.

    Bytes that are no UTF-8, and letters with no single capital, stay.
    """
    try:
        text = title.decode()
    except UnicodeDecodeError:
        return title
    first = text[:1].upper()
    return (first + text[1:]).encode() if len(first) == 1 else title


_BY_HOST: dict[str, Adapter] = {
    **dict.fromkeys(
        ("youtube.com", "music.youtube.com", "gaming.youtube.com", "youtube-nocookie.com"),
        _youtube,
    ),
    "youtu.be": _youtu_be,
    **dict.fromkeys(
        (
            "reddit.com", "old.reddit.com", "np.reddit.com", "new.reddit.com", "i.reddit.com",
            "sh.reddit.com", "ssl.reddit.com", "pay.reddit.com", "embed.reddit.com",
            "de.reddit.com", "fr.reddit.com", "es.reddit.com", "en.reddit.com",
        ),
        _reddit,
    ),
    "redd.it": _redd_it,
    **dict.fromkeys(("twitter.com", "x.com", "fxtwitter.com", "vxtwitter.com", "fixupx.com"), _x),
    "t.me": _telegram,
    "telegram.me": _telegram,
    "instagr.am": _renamed("instagram.com"),
    "threads.net": _renamed("threads.com"),
    "github.com": _github,
    "raw.githubusercontent.com": _github_raw,
    "media.githubusercontent.com": _github_raw,
    "raw.github.com": _github_raw,
    "gist.github.com": _gist,
    "gist.githubusercontent.com": _gist,
    "open.substack.com": _substack,
    **dict.fromkeys(_STACK_SITES, _stack),
}  # fmt: skip
_BY_PATTERN: tuple[tuple[re.Pattern[str], Adapter], ...] = (
    (_LINKEDIN, _linkedin),
    (_FACEBOOK, _facebook),
    (_WIKI, _wiki),
    (_AMAZON, _amazon),
    (_BLOGSPOT, _blogspot),
)
