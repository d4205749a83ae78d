"""Words of a page: as sent, as rendered, in areas that no snippet may show, in a passage."""

import re
from collections import Counter
from collections.abc import Iterable

from lxml.html import HtmlElement

from monitor.domain.page import Passage
from monitor.markup.trees import plain_text
from monitor.pages.passages import SPACELESS

_WORD = re.compile(rf"[{SPACELESS}]|[^\W_]+(?:['\u2019][^\W_]+)*")
_NOSNIPPET = ("span", "div", "section")
"""Elements on which data-nosnippet counts (Google)."""

_RUN = 5
"""Words that stand together; a passage is sent where its runs are."""
_MOSTLY = 0.8


def words_of(text: str) -> list[str]:
    """Words in lower case, in order; each character of a script without spaces is one."""
    return [found.lower() for found in _WORD.findall(text)]


def sent_share(rendered: str, sent: str) -> float | None:
    """Share of the rendered words that the page as sent holds too; None without any."""
    wanted, there = Counter(words_of(rendered)), Counter(words_of(sent))
    total = wanted.total()
    return (wanted & there).total() / total if total else None


def nosnippet_share(tree: HtmlElement, text: str) -> float | None:
    """Share of the words of a main text that stand in data-nosnippet areas; None without words."""
    total = len(words_of(text))
    if not total:
        return None
    whole = " ".join(text.split())
    areas = [
        node
        for node in tree.iter(*_NOSNIPPET)
        if node.get("data-nosnippet") is not None and not _is_inside(node)
    ]
    lines = (line for area in areas for line in plain_text(area).splitlines())
    return min(1.0, sum(len(words_of(line)) for line in lines if line in whole) / total)


def _is_inside(node: HtmlElement) -> bool:
    """Whether an area lies in another one."""
    return any(
        parent.tag in _NOSNIPPET and parent.get("data-nosnippet") is not None
        for parent in node.iterancestors()
    )


def runs_of(text: str) -> frozenset[tuple[str, ...]]:
    """Every run of five words of a text; the text itself where it is shorter."""
    words = words_of(text)
    last = max(1, len(words) - _RUN + 1)
    return frozenset(tuple(words[at : at + _RUN]) for at in range(last)) if words else frozenset()


def is_in(passage: str, runs: frozenset[tuple[str, ...]]) -> bool:
    """Whether four fifths of a passage's runs of words are among those of a text."""
    own = runs_of(passage)
    return bool(own) and len(own & runs) >= _MOSTLY * len(own)


def nearest(passages: Iterable[Passage], spans: Iterable[tuple[int, int]]) -> tuple[Passage, ...]:
    """Passages that one of some stretches of the text runs into, in their order."""
    wanted = tuple(spans)
    return tuple(
        one for one in passages if any(start < one.end and one.start < end for start, end in wanted)
    )
