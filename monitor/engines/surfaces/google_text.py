"""The words of a Google answer, the places of its citation buttons, and how much it covers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from monitor.engines.surfaces.google_page import GooglePage
from monitor.engines.surfaces.text import page_text

_WRITTEN = re.compile(r"[\s#|-]+")
"""White space, and the signs that the text has for headings, lists and cells."""
_QUIET = frozenset(
    {"script", "style", "noscript", "template", "button", "svg", "textarea", "select", "iframe"}
)
_NOT_WORDS = ("pill_label", "footer", "beside", "tray", "card", "legacy_pill", "legacy_source",
              "question")  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerText:
    """Text of an answer."""

    text: str
    places: Mapping[HtmlElement, int]
    """Button -> code points of the text before it."""
    left_out: frozenset[HtmlElement]
    """Elements whose words are none of the answer's."""
    coverage: float | None
    """Part of the visible characters of the answer's part of the page that is in the text."""


def answer_text(
    page: GooglePage,
    scope: HtmlElement,
    bodies: Sequence[HtmlElement],
    shown_chips: Iterable[HtmlElement],
) -> AnswerText:
    """Text of an answer's bodies, one after the other; labels of citations are not in it."""
    chips = frozenset(shown_chips)
    left_out = frozenset(
        (
            *(one for role in _NOT_WORDS for one in page.inside(scope, role)),
            *(beside for one in page.inside(scope, "pill") for beside in _links_beside(one)),
        )
    )
    wrappers = frozenset(above for one in chips for above in _wrappers(one))
    for body in bodies:
        _name_blocks(page, body)
    text = ""
    places: dict[HtmlElement, int] = {}
    for body in bodies:
        part = page_text(
            body,
            shown=lambda one: one in wrappers or page.shown(one),
            is_mark=lambda one: one in chips,
            is_left_out=lambda one: one in left_out,
        )
        before = f"{text}\n\n" if text and part.text else text
        places |= {mark.element: len(before) + mark.at for mark in part.marks}
        text = before + part.text
    parts = _content(page, scope, bodies)
    total = sum(visible_letters(page, one, left_out) for one in parts)
    covered = _letters(text)
    return AnswerText(text, places, left_out, min(1.0, covered / total) if total else None)


def _links_beside(chip: HtmlElement) -> Iterable[HtmlElement]:
    """Links that stand with a labelled button in its wrapper; they repeat its label."""
    wrapper = chip.getparent()
    if wrapper is None or wrapper.tag != "span" or len(wrapper) > 4:
        return ()
    return (one for one in wrapper if one.tag == "a" and not (wrapper.text or "").strip())


def _wrappers(chip: HtmlElement) -> Iterable[HtmlElement]:
    """A button with the inline elements around it, at most three."""
    yield chip
    for above, _ in zip(chip.iterancestors(), range(3), strict=False):
        if above.tag != "span":
            return
        yield above


def _name_blocks(page: GooglePage, body: HtmlElement) -> None:
    """Give paragraphs and headings their names, and none to elements without a box."""
    for one in page.inside(body, "paragraph"):
        one.tag = "p"
    for one in page.inside(body, "heading"):
        level = one.get("aria-level") or "3"
        one.tag = f"h{level}" if level in {"1", "2", "3", "4", "5", "6"} else "h3"
    for one in body.iter("div"):
        if "".join((one.get("style") or "").split()).rstrip(";") == "display:contents":
            one.tag = "span"


def _content(
    page: GooglePage, scope: HtmlElement, bodies: Sequence[HtmlElement]
) -> tuple[HtmlElement, ...]:
    """The part of the page whose words an answer should cover: around each body, in its scope."""
    known = page.members.get("content", frozenset())
    found = []
    for body in bodies:
        around = [body]
        for above in body.iterancestors():
            if above in known:
                around.append(above)
            if above is scope:
                break
        found.append(around[-1])
    return tuple(dict.fromkeys(found))


def visible_letters(
    page: GooglePage, root: HtmlElement, left_out: frozenset[HtmlElement] = frozenset()
) -> int:
    """Visible characters in an element; spaces, signs of lists and what is left out not counted."""
    count = 0
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if not isinstance(one.tag, str) or one in left_out or one.tag in _QUIET:
            continue
        seen = page.shown(one)
        if seen:
            count += _letters(one.text)
        for child in one:
            waiting.append(child)
            if seen:
                count += _letters(child.tail)
    return count


def _letters(text: str | None) -> int:
    return len(_WRITTEN.sub("", text or ""))
