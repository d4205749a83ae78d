"""What of a saved page a reader saw: told by a live capture, else by what the markup says.

A live capture asks the browser about every element and marks those that were not visible with
HIDDEN; a page saved otherwise has inline styles, attributes and style sheets only.
"""

from collections.abc import Callable
from functools import partial

from lxml.html import HtmlElement

HIDDEN = "data-monitor-hidden"
"""Attribute of elements that the browser did not show when the page was captured."""
ASKED = "data-monitor-asked"
"""Attribute of the root of a tree whose elements the browser was asked about."""

Shown = Callable[[HtmlElement], bool]
"""Whether a reader saw an element."""


def shown_in(tree: HtmlElement) -> Shown:
    """What was shown of a tree; the tree itself has ASKED where a browser was asked."""
    if tree.get(ASKED) is not None:
        return partial(_seen, hides=lambda one: one.get(HIDDEN) is not None)
    return partial(_seen, hides=_hides_itself)


def _seen(element: HtmlElement, *, hides: Shown) -> bool:
    return not hides(element) and not any(hides(parent) for parent in element.iterancestors())


def _hides_itself(element: HtmlElement) -> bool:
    """Whether an element's own markup hides it."""
    style = "".join((element.get("style") or "").lower().split())
    return element.get("hidden") is not None or any(
        word in style for word in ("display:none", "visibility:hidden")
    )
