"""Browsers that surfaces are captured in: how a page is opened in each, and what is left behind.

`anonymous` has a Chromium of ours, and a context per capture. `profile` and `attached` are those of
a person who signed in by hand. Nothing here hides that a program drives the browser.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from playwright.async_api import Browser, BrowserContext, Error, Page, Playwright, async_playwright

from monitor.capture.chromium import launch_chromium
from monitor.config.parts import BrowserPart, SandboxPart
from monitor.config.surfaces import SurfacePart

RECYCLED_AFTER = 50
"""Captures after which an anonymous browser is started anew: it never gives all memory back."""
_CLOSE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Opened:
    """A page of its own for one capture."""

    page: Page
    browser: str
    """Name and build."""


class Session(Protocol):
    """Where the pages of one surface are opened."""

    kind: str
    """`anonymous`, `profile` or `attached`."""

    def opened(self, locale: str) -> AbstractAsyncContextManager[Opened]:
        """A fresh page for one capture, closed in the end; BrowserError where none is to be had."""
        ...

    async def close(self) -> None:
        """End what was started here, and nothing else."""
        ...


class Drivers:
    """The one Playwright of a process, started when it is needed."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._one = asyncio.Lock()

    async def playwright(self) -> Playwright:
        """Playwright, started at first use."""
        async with self._one:
            if self._playwright is None:
                self._playwright = await async_playwright().start()
            return self._playwright

    async def close(self) -> None:
        """End it, if it was started."""
        playwright, self._playwright = self._playwright, None
        if playwright is not None:
            await playwright.stop()


class AnonymousSession:
    """A Chromium of ours: a context per capture, so that none knows of another."""

    kind = "anonymous"

    def __init__(
        self,
        drivers: Drivers,
        browser: BrowserPart,
        sandbox: SandboxPart,
        surface: SurfacePart,
        *,
        recycled_after: int = RECYCLED_AFTER,
    ) -> None:
        self._drivers = drivers
        self._settings = browser
        self._sandbox = sandbox
        self._surface = surface
        self._most = recycled_after
        self._browser: Browser | None = None
        self._used = 0

    @asynccontextmanager
    async def opened(self, locale: str) -> AsyncIterator[Opened]:
        """A page in a context of its own."""
        browser = await self._started()
        self._used += 1
        context = await browser.new_context(
            **context_options(self._settings, self._surface, locale),
            ignore_https_errors=bool(self._sandbox.hosts),
            service_workers="block",
        )
        try:
            yield Opened(await lone_page(context), f"Chromium {browser.version}")
        finally:
            await ended(context)

    async def close(self) -> None:
        """End the browser that was started here, if any."""
        browser, self._browser = self._browser, None
        if browser is not None:
            await ended(browser)

    async def _started(self) -> Browser:
        """The browser: a new one at first, after so many captures, and where it crashed."""
        if self._browser is not None and (
            self._used >= self._most or not self._browser.is_connected()
        ):
            await self.close()
        if self._browser is None:
            self._used = 0
            self._browser = await launch_chromium(
                await self._drivers.playwright(),
                self._settings.executable,
                host_rules(self._sandbox),
                instead="go on without browser surfaces with --no-browser",
            )
        return self._browser


def context_options(
    browser: BrowserPart, surface: SurfacePart, locale: str | None
) -> dict[str, Any]:
    """What a page of ours sees, the same each time; without a locale it is the machine's."""
    options: dict[str, Any] = {
        "viewport": {"width": browser.width, "height": browser.height},
        "device_scale_factor": 1,
        "color_scheme": "light",
        "reduced_motion": "reduce",
        "accept_downloads": False,
    }
    if locale is not None:
        options["locale"] = locale
    if surface.timezone is not None:
        options["timezone_id"] = surface.timezone
    if surface.place is not None:
        place = surface.place
        options["geolocation"] = {"latitude": place.latitude, "longitude": place.longitude}
        options["permissions"] = ["geolocation"]
    return options


def host_rules(sandbox: SandboxPart) -> Sequence[str]:
    """Chromium flag that maps the sandbox's names and blocks every other host."""
    if not sandbox.hosts:
        return []
    rules = [
        f"MAP {name}:{port} {address}:{target}"
        for name, (address, plain, secure) in sorted(sandbox.hosts.items())
        for port, target in ((80, plain), (443, secure))
    ]
    return ["--host-resolver-rules=" + ", ".join([*rules, "MAP * ~NOTFOUND"])]


async def lone_page(context: BrowserContext) -> Page:
    """A new page whose windows are closed as they open: nobody would read or close them."""
    page = await context.new_page()
    page.on("popup", ended)
    return page


async def ended(one: Browser | BrowserContext | Page) -> None:
    """Close something that may have crashed, and wait no longer for it than is sensible."""
    with suppress(Error, TimeoutError):
        await asyncio.wait_for(one.close(), _CLOSE_SECONDS)
