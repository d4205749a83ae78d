"""A clock that never waits, artifacts and a budget in memory, and an engine's answers as a list."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx

from monitor.capture.http import Asking, HttpCapture
from monitor.capture.limits import EngineGate
from monitor.domain.engine import EngineSettings
from monitor.domain.keys import sha256_hex
from monitor.domain.pace import MICROSECONDS, Pace, Turns
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES
from monitor.errors import BudgetError, LostBytesError, StoreError
from monitor.pipeline.reading import read_exchanges

PROMPT = Prompt("tea", "How hot should tea be?", "en-GB")
KEY = "sk-made-up-KEY/0123+456"


class FakeClock:
    """Time that only sleeping moves."""

    def __init__(self):
        self.seconds = 100.0
        self.slept = []

    def now(self):
        return datetime(2026, 8, 1, tzinfo=UTC) + timedelta(seconds=self.seconds - 100)

    def monotonic(self):
        return self.seconds

    async def sleep(self, seconds):
        self.slept.append(round(seconds, 6))
        self.seconds += seconds


class MemoryPace:
    """Turns of one engine in memory, by a clock of the test's."""

    def __init__(self, clock, per_minute=60_000):
        self.clock = clock
        self.pace = Pace(per_minute)
        self.turns = Turns()

    def _now(self):
        return round(self.clock.seconds * MICROSECONDS)

    async def turn(self):
        while True:
            turn, self.turns = self.turns.taken(self._now(), self.pace)
            wait = (turn.at - self._now()) / MICROSECONDS
            if turn.is_taken:
                return wait
            await self.clock.sleep(wait)

    async def pause(self, seconds):
        self.turns = self.turns.paused(self._now(), round(seconds * MICROSECONDS))

    async def paused(self):
        return self.turns.pause_left(self._now()) > 0


class MemoryArtifacts:
    """Bytes under their hash, and pointers by whole segments of their names."""

    def __init__(self):
        self.blobs = {}
        self.pointed = {}
        self.log = []
        self.full = False

    def ready(self):
        if self.full:
            raise StoreError("No space left on device")

    def put(self, content, *, lasting=False):
        sha256 = sha256_hex(content)
        self.blobs.setdefault(sha256, content)
        self.log.append("put")
        return sha256

    def get(self, sha256):
        if sha256 not in self.blobs:
            raise LostBytesError(f"no bytes {sha256}")
        return self.blobs[sha256]

    def point(self, name, sha256):
        self.pointed.setdefault(name, sha256)
        self.log.append("point")

    def names(self, prefix):
        inside = prefix.rstrip("/") + "/"
        return tuple(sorted(name for name in self.pointed if name.startswith(inside)))

    def target(self, name):
        return self.pointed[name]


class FakeBudget:
    """Caps on calls and money, kept as the store keeps them."""

    def __init__(self, calls=1000, micros=10**9):
        self.calls, self.micros = calls, micros
        self.reserved = []
        self.settled = {}

    @property
    def spent(self):
        return sum(self.settled.get(n, micros) for n, micros in enumerate(self.reserved))

    async def reserve(self, capture_id, engine, micros):
        if len(self.reserved) >= self.calls or self.spent + micros > self.micros:
            raise BudgetError("the next call would pass the budget")
        self.reserved.append(micros)
        return len(self.reserved) - 1

    async def settle(self, reservation, micros):
        self.settled[reservation] = micros


class Vendor:
    """An engine's side: answers in order, each a response, an exception or a function."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    async def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return await answer(request) if callable(answer) else answer


class Desk:
    """Everything one capture needs, with what it left behind."""

    def __init__(self, *answers, budget=None, artifacts=None, clock=None):
        self.vendor = Vendor(*answers)
        self.artifacts = artifacts or MemoryArtifacts()
        self.budget = budget or FakeBudget()
        self.clock = clock or FakeClock()
        self.client = httpx.AsyncClient(
            transport=httpx.MockTransport(self.vendor), trust_env=False, follow_redirects=False
        )
        self.http = HttpCapture(
            self.client,
            self.artifacts,
            self.budget,
            self.clock,
            read=read_exchanges,
            jitter=lambda: 0.5,
            sleep=self.clock.sleep,
        )

    def asking(self, name="perplexity", **more):
        gate = EngineGate(4, MemoryPace(self.clock), sleep=self.clock.sleep)
        plain = Asking(
            engine=ENGINES[name],
            settings=EngineSettings(),
            gate=gate,
            secrets=(KEY,),
            attempts=4,
            timeout_seconds=5,
            call_micros=1000,
        )
        return replace(plain, **more)

    async def ask(self, name="perplexity", capture_id=7, **more):
        async with self.client:
            return await self.http.capture(capture_id, PROMPT, self.asking(name, **more))

    def everything(self):
        """All bytes that were left in the artifacts, pointer names included."""
        return b"\n".join(
            [*self.artifacts.blobs.values(), *map(str.encode, self.artifacts.pointed)]
        )
