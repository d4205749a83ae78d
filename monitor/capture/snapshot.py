"""What a page holds at one moment, as inert HTML in which all that was not visible is marked.

The HTML is a copy in an empty document, so the page itself is not touched. Scripts, style sheets
and attributes that run something are left out, as are what fields hide (their `value`) and pictures
inside addresses. Shadow trees stand where they are shown; a closed one cannot be read.

An element counts as not visible where the browser says so (`checkVisibility` with visibility and
opacity: a box alone is no proof) or where it is clipped to a pixel or less. What is only further
down the page is visible. The script runs in a world of its own, so that no page answers for the
browser.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from playwright.async_api import Page

from monitor.capture.isolated import evaluate

MOST_CHARACTERS = 8_000_000
"""Of one snapshot's HTML; what comes after is left out."""


@dataclass(frozen=True, slots=True)
class PageSnapshot:
    """A page, or parts of it, at one moment."""

    html: str
    """The parts, each with `data-monitor-asked`; what was not visible has `data-monitor-hidden`.
    Empty where nothing fitted."""
    text: str
    """Words as the page shows them."""
    rendered_chars: int
    """Code points of the words that are shown, each run of white space as one."""
    dom_chars: int
    """Code points of all words, shown or not; far more than those shown: something is folded."""
    cut: bool = False
    """Whether the page was too long to be kept whole."""


async def take(page: Page, root_css: str | None, *, without: str | None = None) -> PageSnapshot:
    """The outermost elements that fit a selector, in document order; None is the page's body.

    What fits `without` is left out of the HTML: areas of the account.
    """
    asked = {"css": root_css, "most": MOST_CHARACTERS, "without": without}
    told = await evaluate(page, _script(), asked)
    return PageSnapshot(**told)


@lru_cache(maxsize=1)
def _script() -> str:
    return (files("monitor.capture") / "snapshot.js").read_text(encoding="utf-8")
