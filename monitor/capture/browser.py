"""Capture through a browser: one context per capture, pictures with their time and build.

The payload is canonical JSON of what the page showed; its shape is the engine module's. Pictures
lie under their hash before it and are named in it, so the payload alone tells all evidence.
"""

import asyncio
import json
from datetime import datetime
from typing import Any

from playwright.async_api import Browser, Error, Page, Playwright, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.chromium import launch_chromium
from monitor.capture.conversation import converse, open_sources
from monitor.capture.envelope import make_envelope, store_envelope, stored_exchanges
from monitor.capture.http import Asking, Captured, Read
from monitor.capture.surfaces import SURFACES, BrowserSurface
from monitor.config.parts import BrowserPart, SandboxPart
from monitor.domain.engine import Exchange, Request
from monitor.domain.keys import canonical_json
from monitor.domain.panel import Prompt
from monitor.domain.ports import Artifacts, Clock
from monitor.domain.screenshot import Screenshot, ScreenshotKind

MAX_HEIGHT = 12_000
"""Pixels of a full picture; a longer page is cut there."""

QUALITY = 80


class BrowserCapture:
    """Drives one Chromium, started at the first capture; one capture at a time."""

    def __init__(
        self,
        browser: BrowserPart,
        sandbox: SandboxPart,
        artifacts: Artifacts,
        clock: Clock,
        *,
        read: Read,
    ) -> None:
        self._settings = browser
        self._sandbox = sandbox
        self._artifacts = artifacts
        self._clock = clock
        self._read = read
        self._one = asyncio.Lock()
        self._last = float("-inf")
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def capture(
        self, capture_id: int, prompt: Prompt, asking: Asking
    ) -> tuple[Captured, tuple[Screenshot, ...]]:
        """Ask one prompt once; what already lies in the artifacts is replayed, never re-asked."""
        kept = await asyncio.to_thread(stored_exchanges, self._artifacts, capture_id)
        known = kept.envelopes
        if known:
            body = await asyncio.to_thread(self._artifacts.get, known[-1].body_sha256)
            exchange, envelopes = known[-1].exchange(body), known
        else:
            async with self._one:
                await asyncio.to_thread(self._artifacts.ready)
                await self._space()
                request = asking.engine.request(prompt, asking.settings)
                started_at, started = self._clock.now(), self._clock.monotonic()
                exchange = await self._ask(prompt, request, SURFACES[asking.engine.name])
                self._last = self._clock.monotonic()
                envelope = make_envelope(
                    request,
                    exchange,
                    seq=0,
                    attempt=kept.free.get(0, 0),
                    started_at=started_at,
                    duration_ms=round((self._last - started) * 1000),
                )
                await asyncio.to_thread(
                    store_envelope, self._artifacts, capture_id, envelope, exchange.body
                )
                envelopes = (envelope,)
        reading = self._read(asking.engine, (exchange,))
        return Captured(envelopes, reading), screenshots_of(exchange)

    async def close(self) -> None:
        """End the browser that was started here, if any."""
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()
        self._browser = self._playwright = None

    async def _space(self) -> None:
        """Wait until the last capture is long enough ago."""
        wait = self._settings.spacing_seconds - (self._clock.monotonic() - self._last)
        if wait > 0:
            await asyncio.sleep(wait)

    async def _ask(self, prompt: Prompt, request: Request, surface: BrowserSurface) -> Exchange:
        """One conversation as an exchange; a page that cannot be reached is a network failure."""
        browser = await self._started()
        context = await browser.new_context(
            viewport={"width": self._settings.width, "height": self._settings.height},
            locale=prompt.locale,
            ignore_https_errors=bool(self._sandbox.hosts),
            service_workers="block",
            accept_downloads=False,
        )
        try:
            page = await context.new_page()
            fields = await self._conversation(page, prompt, request, surface)
        except Error:
            return Exchange(b"", request=request, failure="network")
        finally:
            await context.close()
        return Exchange(canonical_json(fields), 200, (), request)

    async def _conversation(
        self, page: Page, prompt: Prompt, request: Request, surface: BrowserSurface
    ) -> dict[str, Any]:
        """Everything the payload says, pictures included."""
        shots: list[dict[str, Any]] = []
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                fields = await converse(
                    page,
                    surface,
                    request.url,
                    prompt=prompt.text,
                    stable_seconds=self._settings.stable_seconds,
                )
                shots.append(await self._shot(page, "viewport", prompt))
                if fields["state"] == "complete":
                    shots.append(await self._full(page, surface, prompt))
                    await open_sources(page, surface, fields)
                    if fields["sources_html"] is not None:
                        shots.append(await self._shot(page, "panel", prompt))
        except (TimeoutError, PlaywrightTimeoutError):
            fields = {"state": "timeout"}
        return {
            "contract": surface.contract,
            "prompt": prompt.text,
            "url": page.url,
            "title": await page.title(),
            "screenshots": shots,
            **fields,
        }

    async def _full(self, page: Page, surface: BrowserSurface, prompt: Prompt) -> dict[str, Any]:
        """The whole answer in one picture: the window grows until the inner scroller fits."""
        width, height = self._settings.width, self._settings.height
        hidden = await page.evaluate(
            "(s) => { const e = document.querySelector(s);"
            " return e ? Math.max(0, e.scrollHeight - e.clientHeight) : 0 }",
            surface.selectors["scroller"],
        )
        tall = min(MAX_HEIGHT, height + int(hidden))
        await page.set_viewport_size({"width": width, "height": tall})
        shot = await self._shot(page, "full", prompt, size=(width, tall))
        await page.set_viewport_size({"width": width, "height": height})
        return shot

    async def _shot(
        self, page: Page, kind: str, prompt: Prompt, size: tuple[int, int] | None = None
    ) -> dict[str, Any]:
        """A picture of the window, stored; its record as payload fields."""
        taken_at = self._clock.now()
        picture = await page.screenshot(type="jpeg", quality=QUALITY)
        sha256 = await asyncio.to_thread(self._artifacts.put, picture)
        viewport = (self._settings.width, self._settings.height)
        return {
            "kind": kind,
            "sha256": sha256,
            "url": page.url,
            "taken_at": taken_at.isoformat(),
            "browser": f"Chromium {self._browser.version if self._browser else ''}".strip(),
            "viewport": list(viewport),
            "size": list(size or viewport),
            "locale": prompt.locale,
        }

    async def _started(self) -> Browser:
        """The browser, started at first use; BrowserError says what to do without one."""
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        self._playwright = self._playwright or await async_playwright().start()
        self._browser = await launch_chromium(
            self._playwright,
            self._settings.executable,
            self._host_rules(),
            instead="go on without browser surfaces with --no-browser",
        )
        return self._browser

    def _host_rules(self) -> list[str]:
        """Chromium flag that maps the sandbox's names and blocks every other host."""
        hosts = self._sandbox.hosts
        if not hosts:
            return []
        rules = [
            f"MAP {name}:{port} {address}:{target}"
            for name, (address, plain, secure) in sorted(hosts.items())
            for port, target in ((80, plain), (443, secure))
        ]
        return ["--host-resolver-rules=" + ", ".join([*rules, "MAP * ~NOTFOUND"])]


def screenshots_of(exchange: Exchange) -> tuple[Screenshot, ...]:
    """Pictures that a browser payload names; none for a capture that never opened a page."""
    if exchange.failure is not None:
        return ()
    return tuple(
        Screenshot(
            kind=ScreenshotKind(one["kind"]),
            sha256=one["sha256"],
            url=one["url"],
            taken_at=datetime.fromisoformat(one["taken_at"]),
            browser=one["browser"],
            viewport=(one["viewport"][0], one["viewport"][1]),
            size=(one["size"][0], one["size"][1]),
            locale=one["locale"],
        )
        for one in json.loads(exchange.body)["screenshots"]
    )
