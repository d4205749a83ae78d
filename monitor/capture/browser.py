"""Capture of surfaces through a browser: what was captured is kept, and never asked again.

The payload is canonical JSON of what the page showed (`monitor.engines.surfaces.live`). Pictures
and snapshots lie under their hash before it and are named in it, so the payload alone tells all
evidence.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from playwright.async_api import Error

from monitor.capture.envelope import make_envelope, store_envelope, stored_exchanges
from monitor.capture.http import Asking, Captured, Read
from monitor.capture.live.barriers import needs_a_person
from monitor.capture.live.driver import converse
from monitor.capture.live.looking import Eyes
from monitor.capture.live.record import Record, screenshot_of, snapshot_of
from monitor.capture.live.sessions import Opened
from monitor.capture.live.surfaces import LiveSurface, LiveSurfaces
from monitor.capture.live.talk import Talk
from monitor.capture.pictures import PictureTaker
from monitor.domain.engine import Exchange, Reading, Request
from monitor.domain.panel import Prompt
from monitor.domain.ports import Artifacts, Clock
from monitor.domain.screenshot import Screenshot, Snapshot
from monitor.errors import BrowserError

Begin = Callable[[], Awaitable[None]]
"""Called once it is this capture's turn, before anything is asked."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is kept beside a capture's payload."""

    screenshots: tuple[Screenshot, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()


class BrowserCapture:
    """Puts prompts to surfaces through their browsers; each surface takes one at a time."""

    def __init__(
        self, surfaces: LiveSurfaces, artifacts: Artifacts, clock: Clock, *, read: Read
    ) -> None:
        self._surfaces = surfaces
        self._artifacts = artifacts
        self._clock = clock
        self._read = read

    async def capture(
        self, capture_id: int, prompt: Prompt, asking: Asking, *, begin: Begin
    ) -> tuple[Captured, Evidence]:
        """Ask one prompt once; what already lies in the artifacts is replayed, never re-asked.

        SurfaceStoppedError where the surface may not be captured now.
        """
        kept = await asyncio.to_thread(stored_exchanges, self._artifacts, capture_id)
        if kept.envelopes:
            last = kept.envelopes[-1]
            exchange = last.exchange(await asyncio.to_thread(self._artifacts.get, last.body_sha256))
            return Captured(kept.envelopes, self._read(asking.engine, (exchange,))), kept_by(
                exchange
            )
        await asyncio.to_thread(self._artifacts.ready)
        surface = self._surfaces.surface(asking.engine.name)
        async with surface.gate.turn():
            await begin()
            request = asking.engine.request(prompt, asking.settings)
            started_at, started = self._clock.now(), self._clock.monotonic()
            exchange = await self._ask(prompt, request, surface)
            envelope = make_envelope(
                request,
                exchange,
                seq=0,
                attempt=kept.free.get(0, 0),
                started_at=started_at,
                duration_ms=round((self._clock.monotonic() - started) * 1000),
            )
            await asyncio.to_thread(
                store_envelope, self._artifacts, capture_id, envelope, exchange.body
            )
            reading = self._read(asking.engine, (exchange,))
            if needs_a_person(reading.outcome):
                await surface.gate.stop(stop_words(reading))
        return Captured((envelope,), reading), kept_by(exchange)

    async def _ask(self, prompt: Prompt, request: Request, surface: LiveSurface) -> Exchange:
        """The record of one conversation as an exchange.

        A page that did not open, or a browser that crashed, is tried once more before the question
        went out, and never after.
        """
        record = await self._conversation(prompt, request, surface)
        if record is None or _may_try_again(record):
            again = await self._conversation(prompt, request, surface)
            if again is None:
                raise BrowserError(
                    f"the browser of {surface.selectors.surface} ended twice as it started"
                )
            record = again
        return Exchange(record.body, 200, (), request)

    async def _conversation(
        self, prompt: Prompt, request: Request, surface: LiveSurface
    ) -> Record | None:
        """The record of one conversation; None where the browser ended before it had a page."""
        talk = None
        try:
            async with surface.session.opened(prompt.locale) as opened:
                talk = self._talk(opened, prompt, request, surface)
                await converse(talk, surface.part, surface.session.kind)
        except Error:
            if talk is None:
                return None
        return talk.record

    def _talk(self, opened: Opened, prompt: Prompt, request: Request, surface: LiveSurface) -> Talk:
        query = urlencode(request.query)
        return Talk(
            page=opened.page,
            eyes=Eyes(opened.page, surface.selectors),
            record=Record(surface.selectors, prompt.text, self._clock),
            patience=surface.patience,
            pictures=PictureTaker(
                opened.page,
                self._artifacts,
                self._clock,
                opened.browser,
                surface.viewport,
                prompt.locale,
                masks=surface.selectors.css("account"),
            ),
            artifacts=self._artifacts,
            url=f"{request.url}?{query}" if query else request.url,
            browser=opened.browser,
        )


def _may_try_again(record: Record) -> bool:
    """Whether a capture failed before its question went out, by what may pass."""
    if record.submitted is not None or record.ending is None:
        return False
    return "opened_at" not in record.moments or record.ending.reason == "network"


def stop_words(reading: Reading) -> str:
    """Why a surface is stopped, in the words of its outcome."""
    bracket = f" ({reading.reason})" if reading.reason else ""
    return f"{reading.outcome.value}{bracket}"


def kept_by(exchange: Exchange) -> Evidence:
    """Pictures and snapshots that a browser payload names."""
    if exchange.failure is not None:
        return Evidence()
    told = json.loads(exchange.body)
    return Evidence(
        tuple(screenshot_of(one) for one in told["screenshots"]),
        tuple(snapshot_of(one) for one in told.get("snapshots", ())),
    )
