"""CSS selectors on a tree: compiled once, in document order, on elements of any depth."""

from collections.abc import Iterable
from functools import lru_cache

from cssselect import HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement

from monitor.errors import MonitorError


def select_all(element: HtmlElement, css: str) -> tuple[HtmlElement, ...]:
    """Descendants that a selector fits, in document order, the element itself left out.

    MonitorError where the selector cannot be read.
    """
    found: list[HtmlElement] = _compiled(css)(element)
    return tuple(one for one in found if one is not element)


def fits(element: HtmlElement, css: str) -> bool:
    """Whether a selector fits the element itself."""
    return element in set(_compiled(css, "self::")(element))


def outermost(elements: Iterable[HtmlElement]) -> tuple[HtmlElement, ...]:
    """Elements that lie in none of the others, in their order."""
    several = tuple(elements)
    known = set(several)
    return tuple(
        one for one in several if not any(parent in known for parent in one.iterancestors())
    )


def in_document_order(elements: Iterable[HtmlElement]) -> tuple[HtmlElement, ...]:
    """Distinct elements of one tree as they follow each other in it."""
    wanted = set(elements)
    if len(wanted) < 2:
        return tuple(wanted)
    root = next(iter(wanted)).getroottree().getroot()
    return tuple(one for one in root.iter() if one in wanted)


@lru_cache(maxsize=2048)
def _compiled(css: str, prefix: str = "descendant-or-self::") -> etree.XPath:
    try:
        return etree.XPath(HTMLTranslator().css_to_xpath(css, prefix))
    except (SelectorError, etree.XPathError) as error:
        raise MonitorError(f"selector {css!r} cannot be read: {error}") from error
