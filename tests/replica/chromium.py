"""One Chromium for the tests of a module, and what a picture shows at a place."""

import asyncio
from base64 import b64encode
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright

CHROMIUM = Path("/usr/bin/chromium")
real = pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium")

_DECODE = """
async ([picture, points]) => {
  const reply = await fetch("data:image/jpeg;base64," + picture);
  const bitmap = await createImageBitmap(await reply.blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  return points.map(([x, y]) => [...pen.getImageData(x, y, 1, 1).data].slice(0, 3));
}
"""

Colour = tuple[int, int, int]


@dataclass
class Bytes:
    """Artifacts in memory."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def put(self, content: bytes, *, lasting: bool = False) -> str:
        """Keep bytes and give their sha256."""
        name = sha256(content).hexdigest()
        self.kept[name] = content
        return name


@dataclass(frozen=True)
class Browsing:
    """A browser, and the loop that it lives in."""

    runner: asyncio.Runner
    browser: Browser

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine gives."""
        return self.runner.run(work)

    def page(self, size: tuple[int, int] = (320, 500)) -> Page:
        """A page in a context of its own; `close` ends both."""
        viewport = {"width": size[0], "height": size[1]}
        page: Page = self.run(self.browser.new_page(viewport=viewport))
        return page

    def close(self, page: Page) -> None:
        """End a page and its context."""
        self.run(page.close())

    def colours(self, picture: bytes, points: Sequence[tuple[int, int]]) -> list[Colour]:
        """Red, green and blue of a JPEG at places, from 0 to 255."""
        page = self.page()
        told = self.run(page.evaluate(_DECODE, [b64encode(picture).decode(), list(points)]))
        self.close(page)
        return [tuple(one) for one in told]


@contextmanager
def browsing() -> Iterator[Browsing]:
    """A Chromium while the block lasts."""
    with asyncio.Runner() as runner:
        driver = runner.run(async_playwright().start())
        try:
            browser = runner.run(driver.chromium.launch(executable_path=str(CHROMIUM)))
            yield Browsing(runner, browser)
            runner.run(browser.close())
        finally:
            runner.run(driver.stop())
