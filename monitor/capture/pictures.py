"""Pictures of a page as evidence: the untouched window, the whole answer, what was opened, walls.

All are JPEG in CSS pixels, animations at their end, no caret, account areas painted over. Each
picture lies among the artifacts before its record is given.
"""

import asyncio
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from playwright.async_api import Error, FloatRect, Page
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.pictures_layout import FONT_MILLISECONDS, Area, View, lay_out, opened_view
from monitor.capture.pictures_sizes import jpeg_size
from monitor.domain.ports import Artifacts, Clock
from monitor.domain.screenshot import Screenshot, ScreenshotKind

QUALITY = 80
"""Of JPEG, 0 to 100."""
TILE = 12_000
"""CSS pixels of one picture's height; a longer answer is pictured in tiles."""
MOST_TILES = 20
PICTURE_SECONDS = 10.0
"""After which a picture is taken as the page stands: before that all its fonts are waited for."""


class PictureTaker:
    """Takes pictures of one page and stores them."""

    def __init__(
        self,
        page: Page,
        artifacts: Artifacts,
        clock: Clock,
        browser_label: str,
        viewport: tuple[int, int],
        locale: str,
        *,
        masks: str | None = None,
    ) -> None:
        """Keep what every picture says of itself; `masks` is CSS of the areas of the account."""
        self._page = page
        self._artifacts = artifacts
        self._clock = clock
        self._browser = browser_label
        self._viewport = viewport
        self._locale = locale
        self._masks = masks

    async def viewport(self) -> Screenshot:
        """The window as it is."""
        return await self._window(ScreenshotKind.VIEWPORT)

    async def barrier(self) -> Screenshot:
        """The window with what stands in the way."""
        return await self._window(ScreenshotKind.BARRIER)

    async def whole(
        self, answer_css: str | None, scroller_css: str | None = None
    ) -> tuple[Screenshot, ...]:
        """The whole answer, scrolled through first: one picture, or tiles from top to bottom.

        Without an answer to be seen it is the page's body.
        """
        async with opened_view(self._page, answer_css, scroller_css) as view:
            area = await lay_out(view, walk=True)
            tiles = tuple(_tiles(area))
            kind = ScreenshotKind.FULL if len(tiles) == 1 else ScreenshotKind.TILE
            return tuple(
                [
                    replace(await self._shot(view, kind, tile), position=position)
                    for position, tile in enumerate(tiles)
                ]
            )

    async def panel(self, name: str, css: str) -> Screenshot:
        """What was opened, all of it as far as one picture goes."""
        async with opened_view(self._page, css) as view:
            area = await lay_out(view, walk=False)
            if area.height > TILE:
                area = replace(area, height=TILE, altered=_cut(area, area.height - TILE))
            shot = await self._shot(view, ScreenshotKind.PANEL, area)
            return replace(shot, name=name)

    async def _window(self, kind: ScreenshotKind) -> Screenshot:
        async with opened_view(self._page, None) as view:
            await view.ask("ready", FONT_MILLISECONDS)
            lie = await view.measure()
            area = Area(0, 0, round(lie.inner_width), round(lie.inner_height))
            return await self._shot(view, kind, area)

    async def _shot(self, view: View, kind: ScreenshotKind, area: Area) -> Screenshot:
        """One picture, stored, and its record."""
        masks = self._masks
        masked = await view.ask("mask", masks, _fields(area)) if masks else 0
        try:
            taken_at = self._clock.now()
            picture, altered = await _taken(self._page, area)
        finally:
            with suppress(Error):
                await view.ask("unmask")
        sha256 = await asyncio.to_thread(self._artifacts.put, picture)
        return Screenshot(
            kind=kind,
            sha256=sha256,
            url=self._page.url,
            taken_at=taken_at,
            browser=self._browser,
            viewport=self._viewport,
            size=jpeg_size(picture) or (area.width, area.height),
            locale=self._locale,
            masked=masked,
            altered=altered,
        )


async def _taken(page: Page, area: Area) -> tuple[bytes, str | None]:
    """A JPEG of an area, and what is not as it should be in it."""
    try:
        picture = await page.screenshot(
            type="jpeg",
            quality=QUALITY,
            clip=FloatRect(x=area.left, y=area.top, width=area.width, height=area.height),
            full_page=area.whole_page,
            animations="disabled",
            caret="initial",
            scale="css",
            timeout=PICTURE_SECONDS * 1000,
        )
    except PlaywrightTimeoutError:
        return await _taken_as_it_stands(page, area), _also(area, "not all of its fonts had come")
    return picture, area.altered


async def _taken_as_it_stands(page: Page, area: Area) -> bytes:
    """A JPEG of an area, by the browser's own command, which waits for nothing."""
    session = await page.context.new_cdp_session(page)
    try:
        window = (await session.send("Page.getLayoutMetrics"))["cssVisualViewport"]
        left, top = (0, 0) if area.whole_page else (window["pageX"], window["pageY"])
        clip = {
            "x": area.left + left,
            "y": area.top + top,
            "width": area.width,
            "height": area.height,
            "scale": 1,
        }
        asked = {"format": "jpeg", "quality": QUALITY, "clip": clip}
        beyond = {"captureBeyondViewport": area.whole_page}
        told = await session.send("Page.captureScreenshot", asked | beyond)
    finally:
        await session.detach()
    return b64decode(told["data"])


async def mhtml(page: Page) -> bytes:
    """The whole page as Chromium's own MHTML; frames of other sites may be left out."""
    session = await page.context.new_cdp_session(page)
    try:
        kept = await session.send("Page.captureSnapshot", {"format": "mhtml"})
    finally:
        await session.detach()
    text: str = kept["data"]
    return text.encode()


def _tiles(area: Area) -> Iterator[Area]:
    """The area cut into pieces of TILE, top to bottom, without a gap."""
    tops = range(0, area.height, TILE)
    for number, top in enumerate(tops[:MOST_TILES]):
        height = min(TILE, area.height - top)
        altered = area.altered
        if number == MOST_TILES - 1 and len(tops) > MOST_TILES:
            altered = _cut(area, area.height - top - height)
        yield replace(area, top=area.top + top, height=height, altered=altered)


def _cut(area: Area, pixels: int) -> str:
    """What was altered of an area whose last pixels are left out."""
    return _also(area, f"{pixels} px below are left out")


def _also(area: Area, said: str) -> str:
    """What was altered of an area, and something more."""
    return f"{area.altered}; {said}" if area.altered else said


def _fields(area: Area) -> dict[str, float | bool]:
    return {
        "top": area.top,
        "left": area.left,
        "width": area.width,
        "height": area.height,
        "whole_page": area.whole_page,
    }
