"""Sessions of a person: a profile that serves one surface alone, or a browser they started.

A person signs in by hand. What such a browser shows may depend on who that is.
"""

import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TextIO

from playwright.async_api import Browser, BrowserContext, Error

from monitor.capture.chromium import FLAGS, chromium_path
from monitor.capture.live.sessions import (
    Drivers,
    Opened,
    context_options,
    ended,
    host_rules,
    lone_page,
)
from monitor.config.parts import BrowserPart, SandboxPart
from monitor.config.settings import Settings
from monitor.config.surfaces import SurfacePart
from monitor.errors import BrowserError

LOCK = "monitor.lock"
_OF_BROWSERS = (
    ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium",
    ".config/microsoft-edge", ".config/BraveSoftware/Brave-Browser", ".config/vivaldi",
    "snap/chromium/common/chromium", ".var/app/com.google.Chrome/config/google-chrome",
    "Library/Application Support/Google/Chrome", "Library/Application Support/Chromium",
    "Library/Application Support/Microsoft Edge",
    "Library/Application Support/BraveSoftware/Brave-Browser",
    "AppData/Local/Google/Chrome/User Data", "AppData/Local/Chromium/User Data",
    "AppData/Local/Microsoft/Edge/User Data",
)  # fmt: skip
"""Where browsers keep the profiles that people use every day, from their home."""


class ProfileSession:
    """A browser window on a folder of its own, where a person signed in before."""

    kind = "profile"

    def __init__(
        self,
        drivers: Drivers,
        browser: BrowserPart,
        sandbox: SandboxPart,
        surface: SurfacePart,
        *,
        folder: Path,
    ) -> None:
        self._drivers = drivers
        self._settings = browser
        self._sandbox = sandbox
        self._surface = surface
        self._folder = folder
        self._context: BrowserContext | None = None
        self._locale: str | None = None
        self._lock: TextIO | None = None

    @asynccontextmanager
    async def opened(self, locale: str) -> AsyncIterator[Opened]:
        """A page of its own beside those that are open."""
        context = await self._started(locale)
        try:
            page = await lone_page(context)
        except Error:
            await self.close()
            context = await self._started(locale)
            page = await lone_page(context)
        try:
            yield Opened(page, _label(context.browser))
        finally:
            await ended(page)

    async def window(self) -> BrowserContext:
        """The browser itself, for a person to sign in; in the language of the machine."""
        return await self._started(None)

    async def close(self) -> None:
        """Close the window, and let go of the folder."""
        context, self._context = self._context, None
        if context is not None:
            await ended(context)
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.close()

    async def _started(self, locale: str | None) -> BrowserContext:
        if self._context is not None and locale != self._locale:
            await self.close()
        if self._context is None:
            self._lock = held_profile(self._folder)
            try:
                self._context = await self._launched(locale)
            except BaseException:
                await self.close()
                raise
            self._locale = locale
        return self._context

    async def _launched(self, locale: str | None) -> BrowserContext:
        playwright = await self._drivers.playwright()
        path = chromium_path(self._settings.executable, playwright.chromium.executable_path)
        if path is None:
            raise BrowserError(
                "no Chromium found: run `monitor browser install`, or set browser.executable"
            )
        try:
            return await playwright.chromium.launch_persistent_context(
                str(self._folder),
                executable_path=path,
                headless=not self._surface.headed,
                args=[*FLAGS, *host_rules(self._sandbox)],
                chromium_sandbox=os.geteuid() != 0,
                ignore_https_errors=bool(self._sandbox.hosts),
                **context_options(self._settings, self._surface, locale),
            )
        except Error as error:
            hint = "; without a screen, set `headed: false`" if self._surface.headed else ""
            raise BrowserError(
                f"{path} did not start on {self._folder} ({str(error).splitlines()[0]}){hint}"
            ) from error


class AttachedSession:
    """A browser that a person started themselves, reached by its debugging port."""

    kind = "attached"

    def __init__(self, drivers: Drivers, browser: BrowserPart, surface: SurfacePart) -> None:
        self._drivers = drivers
        self._settings = browser
        self._surface = surface
        self._browser: Browser | None = None

    @asynccontextmanager
    async def opened(self, locale: str) -> AsyncIterator[Opened]:  # noqa: ARG002 - its own counts
        """A new page beside theirs, which is closed again; their pages are left alone."""
        browser = await self._reached()
        if not browser.contexts:
            raise BrowserError(f"the browser at {self._surface.cdp} has no window: open one")
        page = await lone_page(browser.contexts[0])
        try:
            await page.set_viewport_size(
                {"width": self._settings.width, "height": self._settings.height}
            )
            yield Opened(page, _label(browser))
        finally:
            await ended(page)

    async def close(self) -> None:
        """Let go of the browser, which stays open: it belongs to somebody else."""
        self._browser = None

    async def _reached(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        playwright = await self._drivers.playwright()
        try:
            self._browser = await playwright.chromium.connect_over_cdp(self._surface.cdp or "")
        except Error as error:
            raise BrowserError(
                f"no browser answers at {self._surface.cdp}: start yours with "
                "--remote-debugging-port and a --user-data-dir of its own "
                f"({str(error).splitlines()[0]})"
            ) from error
        return self._browser


async def open_by_hand(
    settings: Settings, surface: SurfacePart, folder: Path, *, url: str, headed: bool = True
) -> None:
    """Open a profile in a window for a person, and wait until they close it."""
    drivers = Drivers()
    session = ProfileSession(
        drivers,
        settings.browser,
        settings.sandbox,
        surface.model_copy(update={"headed": headed}),
        folder=folder,
    )
    try:
        window = await session.window()
        page = window.pages[0] if window.pages else await window.new_page()
        with suppress(Error):
            await page.goto(url)
        if window.pages:
            await window.wait_for_event("close", timeout=0)
    finally:
        await session.close()
        await drivers.close()


def held_profile(folder: Path) -> TextIO:
    """The lock of a profile's folder, made where it is missing; BrowserError where it is refused.

    It is held until it is closed, and goes with the process.
    """
    refuse_daily_profile(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_strange(folder)
        folder.chmod(0o700)
        lock = (folder / LOCK).open("a+", encoding="ascii")
    except OSError as error:
        raise BrowserError(
            f"{folder} cannot be the folder of a profile ({error.strerror}): name one that you "
            "may write to"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise BrowserError(
            f"{folder} is in use by another monitor process: one capture at a time per profile"
        ) from None
    return lock


def _refuse_strange(folder: Path) -> None:
    """BrowserError where a folder holds something, and nothing that a browser's profile has."""
    held = {one.name for one in folder.iterdir()}
    if held and not held & {LOCK, "Local State"}:
        raise BrowserError(
            f"{folder} is no profile of a browser and holds other files: name a folder that is "
            "empty, or not there yet"
        )


def refuse_daily_profile(folder: Path) -> None:
    """BrowserError where a folder is, holds or lies in one that a browser of a person uses."""
    whole = folder.expanduser().resolve()
    for name in _OF_BROWSERS:
        daily = (Path.home() / name).resolve()
        if whole == daily or daily in whole.parents or whole in daily.parents:
            raise BrowserError(
                f"{folder} belongs to a browser you use yourself: name a folder that serves this "
                "surface alone, such as data/profiles/NAME"
            )


def _label(browser: Browser | None) -> str:
    return f"Chromium {browser.version}" if browser is not None else "Chromium"
