"""A page after its scripts ran, in a browser that cannot reach the network by itself.

The page is handed to the browser, not asked for by it. Scripts and what they load are given by the
caller, who asks through the guard and gives nothing but what belongs to the page's own site; all
else is refused here. Behind that stands a proxy where nobody listens, and no name resolves: a
request that slips past goes nowhere.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    Route,
    async_playwright,
)

from monitor.capture.chromium import launch_chromium
from monitor.config.parts import BrowserPart
from monitor.errors import BrowserError

_FLAGS = (
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
)
_UNPLUGGED = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocket",
                    "EventSource", "SharedWorker", "Worker"]) {
  try { delete window[name]; window[name] = undefined; } catch (e) {}
}
"""
"""What talks to others without a request that could be looked at, and what could run it."""

_LOADED = frozenset({"script", "fetch", "xhr"})
"""Kinds of requests that may change a page's text."""

_STATES: tuple[Literal["load", "networkidle"], ...] = ("load", "networkidle")
_MOST_LOADS = 40
_MOST_BYTES = 10_000_000
_MOST_CHARACTERS = 5_000_000
_CLOSING_SECONDS = 2.0
_PATIENCE = 300
"""Milliseconds of each second of a page's time that it may take to load, and then to rest."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A script, or what one asked for."""

    status: int
    media_type: str
    body: bytes


_STAY = Loaded(204, "text/plain", b"")
"""Leaves a page where it is; an error would take its place."""

Ask = Callable[[str], Awaitable[Loaded | None]]
"""Gives what a page loads, or None where it is not to be had."""


@dataclass(slots=True)
class _Visit:
    """One page on its way through the browser."""

    url: str
    markup: str
    ask: Ask
    opened: bool = False
    loads: int = 0
    taken: int = 0


class Renderer:
    """Runs the scripts of pages, one at a time; use as `async with Renderer(...) as renderer`."""

    def __init__(
        self, browser: BrowserPart, *, user_agent: str, total_seconds: float = 15.0
    ) -> None:
        """Take where the browser lies, how it introduces itself, and the time for one page."""
        self._settings = browser
        self._user_agent = user_agent
        self._seconds = total_seconds
        self._one = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def __aenter__(self) -> Self:
        """Start the browser; BrowserError where there is none."""
        self._playwright = await async_playwright().start()
        try:
            await self._started()
        except BaseException:
            await self._playwright.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the browser."""
        await self._give_up()
        if self._playwright is not None:
            await self._playwright.stop()

    async def render(self, url: str, markup: str, ask: Ask) -> str | None:
        """Markup of a page once its scripts came to rest; None where they did not in time."""
        async with self._one:
            visit = _Visit(url, markup, ask)
            context: BrowserContext | None = None
            try:
                async with asyncio.timeout(self._seconds):
                    context = await self._context()
                    return await self._visited(context, visit)
            except (Error, TimeoutError, BrowserError):
                return None
            finally:
                await self._left(context)

    async def _context(self) -> BrowserContext:
        """A fresh context that keeps nothing and downloads nothing."""
        browser = await self._started()
        context = await browser.new_context(
            user_agent=self._user_agent,
            service_workers="block",
            accept_downloads=False,
            viewport={"width": self._settings.width, "height": self._settings.height},
        )
        await context.add_init_script(_UNPLUGGED)
        return context

    async def _visited(self, context: BrowserContext, visit: _Visit) -> str | None:
        """Open the page, wait until nothing is loaded any more, and take its markup."""
        await context.route("**/*", lambda route: _answer(route, visit))
        page = await context.new_page()
        context.on("page", lambda other: None if other is page else _shut(other))
        await page.goto(visit.url, wait_until="commit", timeout=self._seconds * 1000)
        # A page that never ends loading is taken as it stands.
        for state in _STATES:
            with suppress(Error):
                await page.wait_for_load_state(state, timeout=self._seconds * _PATIENCE)
        taken = await page.evaluate(
            "(most) => document.documentElement.outerHTML.slice(0, most)", _MOST_CHARACTERS
        )
        return str(taken)

    async def _left(self, context: BrowserContext | None) -> None:
        """Close a context; a browser that cannot do so in time is ended."""
        if context is None:
            return
        try:
            async with asyncio.timeout(_CLOSING_SECONDS):
                await context.close()
        except (Error, TimeoutError):
            await self._give_up()

    async def _give_up(self) -> None:
        """End the browser; the next page starts another."""
        browser, self._browser = self._browser, None
        if browser is not None:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await browser.close()

    async def _started(self) -> Browser:
        """The browser, started anew where it is gone."""
        if self._browser is None or not self._browser.is_connected():
            if self._playwright is None:
                self._playwright = await async_playwright().start()
            self._browser = await launch_chromium(
                self._playwright,
                self._settings.executable,
                _FLAGS,
                instead="leave the scripts of pages alone with --no-render",
            )
        return self._browser


async def _shut(page: Page) -> None:
    """Close a window that a page opened."""
    with suppress(Error):
        await page.close()


async def _answer(route: Route, visit: _Visit) -> None:
    """Give the page itself once, and what it loads as long as there is room; refuse the rest."""
    # A page that was closed meanwhile needs no answer.
    with suppress(Error):
        loaded = await _given(route, visit)
        if loaded is None:
            await route.abort()
        else:
            headers = {"content-type": loaded.media_type}
            await route.fulfill(status=loaded.status, headers=headers, body=loaded.body)


async def _given(route: Route, visit: _Visit) -> Loaded | None:
    request = route.request
    if request.is_navigation_request():
        if visit.opened:
            return _STAY
        visit.opened = True
        return Loaded(200, "text/html; charset=utf-8", visit.markup.encode("utf-8", "replace"))
    is_wanted = request.method == "GET" and request.resource_type in _LOADED
    if not is_wanted or visit.loads >= _MOST_LOADS:
        return None
    visit.loads += 1
    loaded = await visit.ask(request.url)
    if loaded is not None:
        visit.taken += len(loaded.body)
    return loaded if visit.taken <= _MOST_BYTES else None
