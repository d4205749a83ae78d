"""What a page tells crawlers in X-Robots-Tag headers and in robots meta elements.

Google's reading of both: words are parted by commas, a header may name the crawler it is meant for,
and where general and named words differ the stricter ones hold.
"""

import re
from collections.abc import Iterable, Iterator

from lxml.html import HtmlElement

from monitor.domain.eligibility import Directive, Place

EVERYBODY = "*"
_AGENT = re.compile(r"[a-z][a-z0-9_-]{1,40}")
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})
_BARE = frozenset(
    {"all", "none", "index", "noindex", "follow", "nofollow", "nosnippet", "noarchive", "nocache",
     "noimageindex", "notranslate", "indexifembedded", "noai", "noimageai", "noodp", "noydir"}
)  # fmt: skip
KNOWN = _VALUED | _BARE
"""Words that are read; any other is passed over."""

_MOST = 200
_LONGEST = 60


def header_directives(headers: Iterable[tuple[str, str]]) -> Iterator[Directive]:
    """Words of every X-Robots-Tag header; a name before a colon addresses what follows it."""
    for name, value in headers:
        if name == "x-robots-tag":
            yield from _of_header(value)


def _of_header(value: str) -> Iterator[Directive]:
    agent = EVERYBODY
    for part in value.split(",")[:_MOST]:
        word, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and word.lower() not in _VALUED and _AGENT.fullmatch(word.lower()):
            agent, (word, _, rest) = word.lower(), (piece.strip() for piece in rest.partition(":"))
        made = _directive(agent, word, rest, Place.HEADER)
        if made is not None:
            yield made


def meta_directives(tree: HtmlElement, tokens: Iterable[str]) -> Iterator[Directive]:
    """Words of meta elements called `robots`, or as one of the crawlers of `tokens`."""
    agents = {"robots": EVERYBODY, **{token.lower(): token.lower() for token in tokens}}
    for node in tree.iter("meta"):
        name = (node.get("name") or "").strip().lower()
        if name not in agents:
            continue
        for part in (node.get("content") or "").split(",")[:_MOST]:
            word, _, rest = part.partition(":")
            made = _directive(agents[name], word.strip(), rest.strip(), Place.META)
            if made is not None:
                yield made


def _directive(agent: str, word: str, value: str, place: Place) -> Directive | None:
    """One word, where it is a known one."""
    name = word.lower()
    if name not in KNOWN:
        return None
    return Directive(agent, name, value[:_LONGEST] if name in _VALUED else None, place)
