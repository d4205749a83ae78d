"""Units: the finer part of a family, where an address names it.

A watch page does not name its channel, so it has no unit; nothing is guessed.
"""

import re
from functools import lru_cache

_CHANNEL = re.compile(r"/(@[^/]+|(?:channel|c|user)/[^/]+)")
_SUBREDDIT = re.compile(r"/((?:r|user)/[^/]+)")
_DOI_PREFIX = re.compile(r"/(10\.\d{4,9})/")
_LINKEDIN = re.compile(r"/((?:in|company|school|showcase)/[^/]+)")
_RESERVED = {
    "github.com": frozenset(
        {
            "about", "apps", "collections", "contact", "customer-stories", "enterprise", "events",
            "explore", "features", "issues", "login", "marketplace", "new", "notifications",
            "organizations", "orgs", "pricing", "pulls", "readme", "search", "security",
            "settings", "signup", "site", "sponsors", "stars", "team", "topics", "trending",
            "resources", "solutions", "advisories", "codespaces", "join", "logout", "users",
        }
    ),
    "gitlab.com": frozenset({"explore", "users", "help", "dashboard", "search", "api", "-"}),
    "medium.com": frozenset(
        {"p", "m", "me", "tag", "tags", "search", "about", "topic", "topics", "s", "r", "feed",
         "membership", "creators", "jobs-at-medium", "_"}
    ),
    "x.com": frozenset(
        {
            "i", "home", "search", "explore", "hashtag", "settings", "intent", "share", "login",
            "signup", "notifications", "messages", "compose", "tos", "privacy", "about", "jobs",
            "download",
        }
    ),
    "facebook.com": frozenset(
        {
            "watch", "events", "photo", "photo.php", "photos", "permalink.php", "story.php",
            "profile.php", "sharer", "sharer.php", "share", "share.php", "login", "login.php",
            "help", "business", "ads", "marketplace", "gaming", "reel", "reels", "hashtag",
            "policies", "privacy", "legal", "l.php", "plugins", "dialog", "video.php", "videos",
            "media", "notes", "search", "stories", "tr", "people", "pages", "pg", "p",
            "public", "home.php", "settings", "messages", "fundraisers", "groups", "terms.php",
        }
    ),
}  # fmt: skip


def unit(host: str, path: str) -> str | None:
    """Channel, subreddit, owner, handle or DOI prefix of a page key; None if unnamed."""
    if host in _NAMED:
        prefix, pattern = _NAMED[host]
        match = pattern.match(path)
        return None if match is None else _fold(prefix, match[1])
    if host in _RESERVED:
        return _tenant(host, path)
    return _host_unit(host)


def _fold(prefix: str, name: str) -> str:
    kept = name if name.startswith("channel/") else name.lower()
    return f"{prefix}{kept}"


def _tenant(host: str, path: str) -> str | None:
    first, _, rest = path[1:].partition("/")
    second = rest.partition("/")[0].lower()
    group = {("github.com", "orgs"): "", ("facebook.com", "groups"): "groups/"}
    if (host, first) in group and second:
        return f"{host}/{group[host, first]}{second}"
    if not first or first.lower() in _RESERVED[host]:
        return None
    return f"{host}/{first.lower()}"


@lru_cache(maxsize=32_768)
def _host_unit(host: str) -> str | None:
    label = host.removesuffix(".stackexchange.com").removesuffix(".medium.com")
    return host if label != host and label else None


_NAMED: dict[str, tuple[str, re.Pattern[str]]] = {
    "youtube.com": ("youtube.com/", _CHANNEL),
    "reddit.com": ("reddit.com/", _SUBREDDIT),
    "linkedin.com": ("linkedin.com/", _LINKEDIN),
    "doi.org": ("doi:", _DOI_PREFIX),
    "gist.github.com": ("github.com/", re.compile(r"/([^/]+)/[0-9a-f]+")),
}
