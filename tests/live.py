"""Captures of the replica in a real Chromium: one browser a module, stillness in milliseconds."""

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from monitor.capture.browser import BrowserCapture
from monitor.capture.clock import SystemClock
from monitor.capture.http import Asking
from monitor.capture.limits import EngineGate
from monitor.capture.live.patience import Patience
from monitor.capture.live.surfaces import LiveSurface, LiveSurfaces
from monitor.config.settings import Settings
from monitor.config.surfaces import SurfacePart
from monitor.domain.engine import Access, Engine, EngineSettings, Request, Surface, no_follow_up
from monitor.domain.panel import Prompt
from monitor.engines.surfaces.reading import read_surface
from tests.capturing import FakeClock, MemoryArtifacts, MemoryPace
from tests.replica.answers import PROMPT
from tests.replica.surface import NAME, known_replica, replica_selectors, replica_turns

PATIENCE = Patience(navigate=20, ready=6, first_text=5, complete=7, panel=5, whole=60, stable=0.6)
ASKED = Prompt("ferry", PROMPT, "en-GB")


class OpenGate:
    """A gate that lets everybody in, and remembers why it was stopped."""

    def __init__(self):
        self.stops = []

    @asynccontextmanager
    async def turn(self):
        yield

    async def stop(self, reason):
        self.stops.append(reason)


@dataclass
class Bundle:
    """What came of one capture."""

    reading: object
    payload: dict
    evidence: object
    artifacts: MemoryArtifacts
    gate: OpenGate


def replica_engine(url):
    """The replica as an engine that is asked at an address."""

    def parse(exchanges):
        with known_replica():
            return read_surface(NAME, exchanges, recognise=lambda _: None, turns=replica_turns)

    return Engine(
        NAME, "Replica", Access.BROWSER, Surface.BROWSER,
        request=lambda *_: Request("GET", url),
        follow_up=no_follow_up, parse=parse, auth=None, default_model=None, call_micros=0,
    )  # fmt: skip


def asking(url):
    """How the replica is asked."""
    return Asking(
        engine=replica_engine(url), settings=EngineSettings(),
        gate=EngineGate(1, MemoryPace(FakeClock())), secrets=(), attempts=1,
        timeout_seconds=1, call_micros=0,
    )  # fmt: skip


@dataclass(frozen=True)
class Hastened:
    """A surface with another patience, in the same session."""

    one: LiveSurface
    patience: Patience

    def surface(self, _):
        return replace(self.one, patience=self.patience)


class LiveReplica:
    """Captures pages of the replica, one after the other, in one session."""

    def __init__(self, *, surface=None, patience=PATIENCE, without=()):
        """`without` names roles that the surface has no selectors for."""
        own = replica_selectors()
        kept = tuple(one for one in own.selectors if one.role not in without)
        selectors = replace(own, selectors=kept)
        self.gate = OpenGate()
        part = surface or SurfacePart(session="anonymous")
        self.surfaces = LiveSurfaces(
            Settings(surfaces={NAME: part}),
            lambda _: self.gate,
            load=lambda _: selectors,
            patience=patience,
        )
        self.count = 0

    @property
    def surface(self):
        return self.surfaces.surface(NAME)

    @property
    def contexts(self):
        """Contexts of the browser that are open."""
        browser = self.surface.session._browser
        return [] if browser is None else browser.contexts

    async def capture(self, url, *, artifacts=None, patience=None):
        """One capture; `patience` is that of the session, unless it is given."""
        artifacts = artifacts or MemoryArtifacts()
        surfaces = self.surfaces if patience is None else Hastened(self.surface, patience)
        capture = BrowserCapture(
            surfaces, artifacts, SystemClock(), read=lambda engine, e: engine.parse(e)
        )
        self.count += 1

        async def begin():
            return None

        captured, evidence = await capture.capture(self.count, ASKED, asking(url), begin=begin)
        payload = json.loads(artifacts.get(captured.envelopes[-1].body_sha256))
        return Bundle(captured.reading, payload, evidence, artifacts, self.gate)

    async def close(self):
        await self.surfaces.close()
