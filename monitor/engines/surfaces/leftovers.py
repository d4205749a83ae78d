"""Signs in an answer that there are citations which no selector found.

They count where an answer seems to have none: then its layout is unknown, and to say that it cites
nothing would be made up.
"""

import re

from lxml.html import HtmlElement

from monitor.engines.surfaces.text import Test
from monitor.markup.shown import Shown

_TOKEN = re.compile(
    "[\ue200-\ue206]|【\\s*\\d[^【】\n]{0,80}】|†[^【】\n]{0,80}】|contentReference\\[oaicite"
)
_MORE = re.compile(r"(?:[^\n]{0,60}[^\W\d][^\w\n]{0,3})?\+\s?\d{1,3}")
_LONGEST_LABEL = 90
_SMALL = frozenset({"a", "button", "span", "sup"})


def token_leftover(text: str) -> str | None:
    """First sign of an unread citation in words: a private-use token, 【8†source】; else None."""
    match = _TOKEN.search(text)
    return match[0] if match else None


def pill_leftover(root: HtmlElement, *, shown: Shown, is_known: Test) -> str | None:
    """First visible sign in an element: a token, or a small label that ends in "+N"; else None.

    What is known for a citation, or for none, is passed over with all in it.
    """
    skipped: HtmlElement | None = None
    for element in root.iter():
        if not isinstance(element.tag, str) or _inside(element, skipped):
            continue
        if element is not root and is_known(element):
            skipped = element
            continue
        found = _sign(element)
        if found is not None and shown(element):
            return found
    return None


def _inside(element: HtmlElement, ancestor: HtmlElement | None) -> bool:
    return ancestor is not None and any(one is ancestor for one in element.iterancestors())


def _sign(element: HtmlElement) -> str | None:
    own = "".join([element.text or "", *(child.tail or "" for child in element)])
    if element.tag not in {"script", "style"} and (token := token_leftover(own)) is not None:
        return token
    if element.tag in _SMALL and len(element) <= 4:
        label = _label(element)
        if label is not None and _MORE.fullmatch(label):
            return label
    return None


def _label(element: HtmlElement) -> str | None:
    """Words of an element; None where they are too many for a label."""
    words = ""
    for part in element.itertext():
        words += part
        if len(words) > _LONGEST_LABEL:
            return None
    return words.strip()
