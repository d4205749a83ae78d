"""Links that stand in an answer's text: Markdown links and bare web addresses.

Whether a link is a citation is the vendor's to say; here is only where it stands.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_URL = r"https?://(?:[^\s()<>]|\([^\s()<>]*\))+"
_MARKDOWN = re.compile(
    rf"""\(?\[(?P<label>[^\[\]\n]{{0,300}}(?:\[[^\[\]\n]{{0,300}}\][^\[\]\n]{{0,300}}){{0,5}})\]
    \(\s*<?(?P<url>{_URL})>?(?:\s+"[^"\n]*")?\s*\)""",
    re.VERBOSE | re.IGNORECASE,
)
_BARE = re.compile(r"https?://[^\s<>\"`\[\]{}|\\^“”「」『』【】、。，；：！？）（]+", re.IGNORECASE)
_TRAILING = ".,;:!?*_~'’"


@dataclass(frozen=True, slots=True)
class Link:
    """One link: its URL as written and the code points it covers, brackets included."""

    url: str
    label: str | None
    """None for a bare address."""
    start: int
    end: int


def _markdown(text: str) -> Iterator[Link]:
    for match in _MARKDOWN.finditer(text):
        start, end = match.span()
        opened = text.startswith("([", start)
        if opened and text.startswith(")", end):
            end += 1
        elif opened:
            start += 1
        yield Link(match["url"], match["label"] or None, start, end)


def _trimmed(url: str) -> str:
    """A bare address without the sentence's punctuation and unpaired closing brackets."""
    unpaired = url.count(")") - url.count("(")
    end = len(url)
    while end:
        last = url[end - 1]
        if last == ")" and unpaired > 0:
            unpaired -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return url[:end]


def find_links(text: str) -> tuple[Link, ...]:
    """Markdown links and the bare addresses outside them, in order of appearance."""
    marked = tuple(_markdown(text))
    found = list(marked)
    for match in _BARE.finditer(text):
        url = _trimmed(match.group())
        end = match.start() + len(url)
        if url.partition("://")[2] and overlapping(marked, match.start(), end) is None:
            found.append(Link(url, None, match.start(), end))
    return tuple(sorted(found, key=lambda link: link.start))


def overlapping(links: Sequence[Link], start: int, end: int) -> Link | None:
    """First link that shares a code point with the range, or None; links stand in order."""
    at = bisect_right(links, start, key=lambda link: link.end)
    found = links[at] if at < len(links) else None
    return found if found is not None and found.start < end else None
