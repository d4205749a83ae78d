"""Redirectors: sites that carry their target in a query parameter, each named with its path."""

import re
from typing import NamedTuple

from monitor.domain.source import UrlFlag
from monitor.urls.hosts import is_google


class Redirector(NamedTuple):
    """One path of a host, and the parameters in which it carries its target."""

    path: str
    """Start of the path; empty for every path."""
    names: tuple[str, ...]
    """Query parameters that may hold the target, first one that is http(s) wins; where none
    is named, the whole query is the target."""
    flag: UrlFlag = UrlFlag.UNWRAPPED
    """Kind of wrapper; a translation's target may come without a scheme."""


_TRANSLATED = UrlFlag.TRANSLATED
_BY_HOST: dict[str, tuple[Redirector, ...]] = {
    "facebook.com": (Redirector("/l.php", ("u",)), Redirector("/flx/warn", ("u",))),
    "l.facebook.com": (Redirector("/l.php", ("u",)),),
    "lm.facebook.com": (Redirector("/l.php", ("u",)),),
    "l.instagram.com": (Redirector("", ("u",)),),
    "l.messenger.com": (Redirector("", ("u",)),),
    "l.threads.net": (Redirector("", ("u",)),),
    "l.threads.com": (Redirector("", ("u",)),),
    "l.wl.co": (Redirector("/l", ("u",)),),
    "duckduckgo.com": (Redirector("/l", ("uddg",)),),
    "html.duckduckgo.com": (Redirector("/l", ("uddg",)),),
    "lite.duckduckgo.com": (Redirector("/l", ("uddg",)),),
    "out.reddit.com": (Redirector("", ("url",)),),
    "reddit.com": (Redirector("/media", ("url",)),),
    "youtube.com": (Redirector("/redirect", ("q",)), Redirector("/oembed", ("url",))),
    "consent.youtube.com": (Redirector("", ("continue",)),),
    "steamcommunity.com": (Redirector("/linkfilter", ("u", "url")),),
    "linkedin.com": (Redirector("/redir", ("url",)), Redirector("/safety/go", ("url",))),
    "vk.com": (Redirector("/away.php", ("to",)), Redirector("/away", ("to",))),
    "vk.ru": (Redirector("/away.php", ("to",)), Redirector("/away", ("to",))),
    "away.vk.com": (Redirector("", ("to",)),),
    "t.me": (Redirector("/iv", ("url",)),),
    "t.umblr.com": (Redirector("/redirect", ("z",)),),
    "href.li": (Redirector("", ()),),
    "anonym.to": (Redirector("", ()),),
    "quora.com": (Redirector("/_/redirect", ("url",)),),
    "medium.com": (
        Redirector("/r", ("url",)),
        Redirector("/m/global-identity", ("redirectUrl",)),
        Redirector("/m/global-identity-2", ("redirectUrl",)),
    ),
    "pinterest.com": (Redirector("/offsite", ("url",)),),
    "tiktok.com": (Redirector("/link/v2", ("target",)),),
    "getpocket.com": (Redirector("/redirect", ("url",)),),
    "slack-redir.net": (Redirector("/link", ("url",)),),
    "exit.sc": (Redirector("", ("url",)),),
    "gate.sc": (Redirector("", ("url",)),),
    "disq.us": (Redirector("/url", ("url",)),),
    "link.zhihu.com": (Redirector("", ("target",)),),
    "link.juejin.cn": (Redirector("", ("target",)),),
    "link.csdn.net": (Redirector("", ("target",)),),
    "bing.com": (
        Redirector("/news/apiclick.aspx", ("url",)),
        Redirector("/alink/link", ("url",)),
    ),
    "statics.teams.cdn.office.net": (Redirector("/evergreen-assets/safelinks", ("url",)),),
    "search.app": (Redirector("", ("link",)),),
    "googleweblight.com": (Redirector("", ("u", "lite_url")),),
    "googleadservices.com": (Redirector("/pagead/aclk", ("adurl",)),),
    "adclick.g.doubleclick.net": (Redirector("", ("adurl",)),),
    "googleads.g.doubleclick.net": (Redirector("", ("adurl",)),),
    "go.redirectingat.com": (Redirector("", ("url",)),),
    "go.skimresources.com": (Redirector("", ("url",)),),
    "awin1.com": (Redirector("/cread.php", ("ued", "p")),),
    "click.linksynergy.com": (Redirector("", ("murl",)),),
    "12ft.io": (Redirector("/proxy", ("q",)),),
    "translate.googleusercontent.com": (Redirector("/translate_c", ("u",), _TRANSLATED),),
    "microsofttranslator.com": (Redirector("/bv.aspx", ("a",), _TRANSLATED),),
    "translatetheweb.com": (Redirector("", ("a",), _TRANSLATED),),
    "translate.yandex.com": (Redirector("/translate", ("url",), _TRANSLATED),),
    "translate.yandex.ru": (Redirector("/translate", ("url",), _TRANSLATED),),
}
_GOOGLE = (
    Redirector("/url", ("q", "url")),
    Redirector("/imgres", ("imgrefurl",)),
    Redirector("/aclk", ("adurl",)),
    Redirector("/interstitial", ("url",)),
    Redirector("/scholar_url", ("url",)),
    Redirector("/translate", ("u",), _TRANSLATED),
    Redirector("/website", ("u",), _TRANSLATED),
    Redirector("/ml", ("continue",)),
)
_GOOGLE_LABELS = frozenset({"scholar", "translate", "images", "news", "consent", "plus.url", "cse"})
_DYNAMIC_LINKS = re.compile(r"[a-z0-9-]+\.(?:page\.link|app\.goo\.gl)")


def redirectors(bare: str) -> tuple[Redirector, ...]:
    """Redirectors of a bare host; empty for a host that is none."""
    known = _BY_HOST.get(bare)
    if known is not None:
        return known
    if _DYNAMIC_LINKS.fullmatch(bare) is not None:
        return (Redirector("", ("link",)),)
    return _GOOGLE if is_google_door(bare) else ()


def is_google_door(bare: str) -> bool:
    """Whether a bare host is a Google site that links through `/url`."""
    if not is_google(bare):
        return False
    label = bare.partition("google.")[0].removesuffix(".")
    return not label or label in _GOOGLE_LABELS
