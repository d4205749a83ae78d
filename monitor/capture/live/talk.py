"""One question and one page: what every step of a live capture works with."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.async_api import Error, Locator, Page

from monitor.capture.live.looking import Eyes, Look, is_gone
from monitor.capture.live.patience import Patience
from monitor.capture.live.record import Record
from monitor.capture.pictures import PictureTaker
from monitor.domain.ports import Artifacts

MOST_OVERLAYS = 5
"""Dialogs that are closed in one capture, at most."""


@dataclass(slots=True)
class Talk:
    """A page, the record that is made of it, and how long each step may take."""

    page: Page
    eyes: Eyes
    record: Record
    patience: Patience
    pictures: PictureTaker
    artifacts: Artifacts
    url: str
    """Address to open; it holds the question where nothing is typed."""
    browser: str
    """Name and build."""
    users: int = 0
    """Questions that stood on the page before this one."""
    address: str | None = None
    """Address of the page as the question went out; None where it is the question."""
    host: str | None = None
    """Host whose page was asked."""
    overlays: int = 0
    """Dialogs closed so far."""

    def now(self) -> float:
        """Seconds by a clock that never goes back."""
        return self.record.clock.monotonic()

    def css(self, role: str) -> str | None:
        """Selector of a role; None where the surface has none."""
        return self.eyes.css.get(role)

    def seen(self, css: str) -> Locator:
        """What a selector finds and a person can see; nothing is held over a re-render."""
        return self.page.locator(css).filter(visible=True)

    async def pause(self) -> None:
        """Wait until the next look."""
        await asyncio.sleep(self.patience.look)

    async def put(self, content: bytes) -> str:
        """Store bytes, aside; their sha256."""
        return await asyncio.to_thread(self.artifacts.put, content)

    async def close_overlay(self, look: Look) -> bool:
        """Close a dialog that may be closed; False where none is or it cannot be."""
        css = self.css("overlay_close")
        if not look.overlay or css is None or self.overlays >= MOST_OVERLAYS:
            return False
        self.overlays += 1
        with self.forgiving("a dialog could not be closed"):
            await self.seen(css).first.click(timeout=self.milliseconds(self.patience.panel))
        return True

    @contextmanager
    def forgiving(self, note: str) -> Iterator[None]:
        """Go on where a step fails that the answer does not need, and note it."""
        try:
            yield
        except Error as error:
            if is_gone(error):
                raise
            self.record.notes.append(f"{note}: {first_line(error)}")

    @staticmethod
    def milliseconds(seconds: float) -> float:
        """Seconds as the browser counts them; never 0, which would be for ever."""
        return max(1.0, seconds * 1000)


def first_line(error: BaseException) -> str:
    """What an error says, without its log, and not long."""
    return str(error).strip().split("\n", 1)[0][:200]
