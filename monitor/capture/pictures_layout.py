"""A part of a page laid out so that all of it can be pictured, and put back afterwards.

Chat pages scroll inside: a picture of the whole page shows one screen of them. First the window
grows until the part fits; beyond TALLEST the boxes that scroll are opened instead, and what was
changed is told.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Error, JSHandle, Page

TALLEST = 16_000
"""CSS pixels of a window, at most: Chromium draws no more at once."""
MARGIN = 16
"""CSS pixels around a part."""
FONT_MILLISECONDS = 3_000
WALK_STEPS = 40
WALK_MILLISECONDS = 30


@dataclass(frozen=True, slots=True)
class Lie:
    """Where a part of the page lies, in CSS pixels from the corner of the window."""

    top: float
    left: float
    width: float
    height: float
    client: float
    """Height of the box that the part scrolls in."""
    inner_width: float
    inner_height: float
    scroll_x: float
    scroll_y: float
    page_height: float
    cut: bool
    """Whether some of it is scrolled away."""
    covered: bool
    """Whether something lies over its first or last line."""


@dataclass(frozen=True, slots=True)
class Area:
    """What to picture: of the window, or of the whole page."""

    top: int
    left: int
    width: int
    height: int
    whole_page: bool = False
    altered: str | None = None


class View:
    """A part of a page while it is pictured."""

    def __init__(self, page: Page, handle: JSHandle) -> None:
        """Keep the page and the functions that run in it."""
        self.page = page
        self._handle = handle

    async def ask(self, what: str, *arguments: Any) -> Any:
        """What a function of `pictures.js` gives."""
        return await self._handle.evaluate(
            "(view, [what, given]) => view[what](...given)", [what, list(arguments)]
        )

    async def measure(self) -> Lie:
        """Where the part lies now."""
        return Lie(**await self.ask("measure"))

    async def close(self) -> None:
        """Put back what was changed."""
        with suppress(Error):
            await self.ask("restore")
            await self._handle.dispose()


@asynccontextmanager
async def opened_view(
    page: Page, css: str | None, scroller: str | None = None
) -> AsyncIterator[View]:
    """A part of the page; what is changed for its pictures is put back, window included."""
    size = page.viewport_size
    handle = await page.evaluate_handle(_script(), {"css": css, "scroller": scroller})
    view = View(page, handle)
    lie = await view.measure()
    try:
        yield view
    finally:
        with suppress(Error):
            now = await page.evaluate("() => [innerWidth, innerHeight]")
            if now != [lie.inner_width, lie.inner_height]:
                width = size["width"] if size else round(lie.inner_width)
                height = size["height"] if size else round(lie.inner_height)
                await page.set_viewport_size({"width": width, "height": height})
        await view.close()


async def lay_out(view: View, *, walk: bool) -> Area:
    """The area of the part once all of it can be pictured; `walk` scrolls through it first.

    Else nothing is moved that need not be: what was opened might close.
    """
    if walk:
        await view.ask("place", MARGIN)
        await view.ask("walk", WALK_STEPS, WALK_MILLISECONDS)
    await view.ask("ready", FONT_MILLISECONDS)
    lie = await view.measure()
    if lie.cut or (walk and lie.covered):
        lie = await _raise(view, lie)
    if not lie.cut:
        return _area(lie)
    await view.ask("expand")
    lie = await _raise(view, await view.measure())
    return _area(lie, whole_page=True, altered=_told(lie))


async def _raise(view: View, lie: Lie) -> Lie:
    """Let the window grow until the part fits between what sticks to its edges, or cannot."""
    spare = lie.inner_height
    for _ in range(3):
        beside = max(0.0, lie.inner_height - lie.client)
        wanted = round(beside + lie.height + 2 * MARGIN + spare)
        if lie.height + beside + 2 * MARGIN > TALLEST:
            break
        size = {"width": round(lie.inner_width), "height": min(TALLEST, wanted)}
        await view.page.set_viewport_size(size)  # type: ignore[arg-type]
        await view.ask("place", spare // 3 if wanted <= TALLEST else MARGIN)
        await view.ask("ready", FONT_MILLISECONDS)
        before, lie = lie, await view.measure()
        if not lie.cut or lie.client <= before.client:
            break
    return lie


def _area(lie: Lie, *, whole_page: bool = False, altered: str | None = None) -> Area:
    """The part with a margin, as far as there is a page."""
    x, y = (lie.scroll_x, lie.scroll_y) if whole_page else (0.0, 0.0)
    most = lie.page_height if whole_page else lie.inner_height
    top = max(0, int(lie.top + y) - MARGIN)
    left = max(0, int(lie.left + x) - MARGIN)
    bottom = min(most, lie.top + y + lie.height + MARGIN)
    right = min(lie.inner_width + x, lie.left + x + lie.width + MARGIN)
    return Area(
        top,
        left,
        max(1, round(right) - left),
        max(1, round(bottom) - top),
        whole_page=whole_page,
        altered=altered,
    )


def _told(lie: Lie) -> str:
    """What was changed on the page, in words."""
    said = "boxes that scroll were opened to their full height"
    below = round(lie.top + lie.scroll_y + lie.height - max(lie.page_height, lie.inner_height))
    return f"{said}; {below} px stay outside" if below > 1 else said


@lru_cache(maxsize=1)
def _script() -> str:
    return (files("monitor.capture") / "pictures.js").read_text(encoding="utf-8")
