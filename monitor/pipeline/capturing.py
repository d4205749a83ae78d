"""Planned captures -> stored payloads and readings. Idempotent: a stored capture is never asked."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import httpx

from monitor.capture.browser import BrowserCapture
from monitor.capture.connections import FreeConnections
from monitor.capture.http import Asking, Captured, HttpCapture
from monitor.capture.limits import EngineGate
from monitor.config.settings import Settings
from monitor.domain.engine import Reading, Surface
from monitor.domain.screenshot import Screenshot
from monitor.durable import LocalRunner, Poisoned
from monitor.engines import ENGINES, PARSE_VERSION
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.planning import call_micros, month_caps, secrets_of
from monitor.pipeline.reading import read_exchanges
from monitor.pipeline.records import own_artifacts, payload_of
from monitor.store import Connection, captures, citations, runs, screenshots
from monitor.store.spend import RunBudget
from monitor.urls import URLS_VERSION


async def capture_run(bench: Bench, run: runs.Run) -> tuple[Poisoned, ...]:
    """Work off every capture of a run that is not stored yet; what failed is returned."""
    todo = await asyncio.to_thread(bench.read, lambda c: captures.load_open(c, run.id))
    if not todo:
        return ()
    plan = await asyncio.to_thread(bench.read, lambda c: runs.load_plan(c, run.id))
    done = count(1)
    bench.progress("captures", 0, len(todo))
    async with httpx.AsyncClient(
        transport=FreeConnections(), trust_env=False, follow_redirects=False
    ) as http:
        line = _Line(bench, run, plan, http, todo)
        runner = LocalRunner(
            {p.engine: _workers(p.engine, bench.settings) for p in plan},
            lambda _queue, _id: bench.progress("captures", next(done), len(todo)),
        )
        work = {p.engine: [c.id for c in todo if c.engine == p.engine] for p in plan}
        try:
            return await runner.drain(work, line.handle)
        finally:
            await line.close()


def _workers(engine: str, settings: Settings) -> int:
    """Captures of one engine under way at once."""
    if ENGINES[engine].surface is Surface.BROWSER:
        return 1
    # Twice as many as call slots: slots never wait for the store.
    return 2 * settings.engine(engine).concurrency


@dataclass(frozen=True, slots=True)
class _Done:
    """A capture about to be stored."""

    capture_id: int
    captured: Captured
    shots: tuple[Screenshot, ...]


class _Line:
    """Handlers of one run's captures and the edges they share."""

    def __init__(
        self,
        bench: Bench,
        run: runs.Run,
        plan: tuple[runs.PlannedEngine, ...],
        http: httpx.AsyncClient,
        todo: tuple[captures.Capture, ...],
    ) -> None:
        self._bench = bench
        self._todo = {one.id: one for one in todo}
        self._asking = {p.engine: _asking(bench, p) for p in plan}
        own = own_artifacts(bench, run)
        self._http = HttpCapture(
            http,
            own,
            RunBudget(
                bench.writer, run.id, run.caps, bench.clock, month=month_caps(bench.settings)
            ),
            bench.clock,
            read=read_exchanges,
            jitter=random.random,
        )
        self._browser = BrowserCapture(
            bench.settings.browser,
            bench.settings.sandbox,
            own,
            bench.clock,
            read=read_exchanges,
        )

    async def handle(self, capture_id: int) -> None:
        """Ask one planned capture and store what came back."""
        capture = self._todo[capture_id]
        asking = self._asking[capture.engine]
        shots: tuple[Screenshot, ...] = ()
        if asking.engine.surface is Surface.BROWSER:
            at = self._bench.clock.now()
            await self._bench.writer.do(lambda c: captures.mark_asked(c, capture_id, at=at))
            captured, shots = await self._browser.capture(capture_id, capture.prompt, asking)
        else:
            captured = await self._http.capture(capture_id, capture.prompt, asking)
        await self._bench.writer.do_along(self._save, _Done(capture_id, captured, shots))

    def _save(self, connection: Connection, done: Sequence[_Done]) -> Sequence[None]:
        """Payload rows, readings with their citations, and screenshots, in one transaction."""
        payloads = [payload_of(one.capture_id, e) for one in done for e in one.captured.envelopes]
        captures.save_payloads(connection, payloads)
        for one in done:
            for shot in one.shots:
                screenshots.save_screenshot(connection, one.capture_id, shot)
        save_readings(
            self._bench, connection, {one.capture_id: one.captured.reading for one in done}
        )
        return [None] * len(done)

    async def close(self) -> None:
        """Close what was opened on the way."""
        await self._browser.close()


def _asking(bench: Bench, plan: runs.PlannedEngine) -> Asking:
    """How one engine is asked in this run."""
    engine, part = ENGINES[plan.engine], bench.settings.engine(plan.engine)
    return Asking(
        engine=engine,
        settings=plan.settings,
        gate=EngineGate(part.concurrency, part.per_minute, bench.clock),
        secrets=secrets_of(engine),
        attempts=part.attempts,
        timeout_seconds=part.timeout_seconds,
        call_micros=call_micros(engine, bench.settings),
    )


def save_readings(bench: Bench, connection: Connection, fresh: Mapping[int, Reading]) -> None:
    """Store readings by capture id, with the identity of every URL in them."""
    citations.save_readings(
        connection,
        [
            citations.FreshReading(
                capture_id,
                reading,
                tuple(bench.identify(c.url) for c in reading.citations),
                tuple(bench.identify(r.url) for r in reading.retrieved),
            )
            for capture_id, reading in fresh.items()
        ],
        parse_version=PARSE_VERSION,
        urls_version=URLS_VERSION,
        made_at=bench.clock.now(),
    )


def reparse_run(bench: Bench, run: runs.Run) -> int:
    """Read every stored payload of a run again; returns how many captures were read.

    Redirects that were followed before stay followed: by now they may have expired.
    """
    with without_cycle_search():
        return _reparse(bench, run)


def _reparse(bench: Bench, run: runs.Run) -> int:
    """Readings first, in batches, then the redirects."""
    payloads: Mapping[int, tuple[captures.StoredPayload, ...]] = bench.read(
        lambda c: captures.load_run_payloads(c, run.id)
    )
    stored = {one.id: one for one in bench.read(lambda c: captures.load_captures(c, run.id))}
    done = 0
    for batch in _batches(tuple(payloads), _REREAD):
        fresh = {one: _reread(bench, stored[one], payloads[one]) for one in batch}
        bench.write(partial(save_readings, bench, fresh=fresh))
        done += len(batch)
        bench.progress("reparse", done, len(payloads))
    led_to = bench.read(lambda c: citations.load_resolved(c, run.id))
    resolved = {
        bench.identify(raw).page_key or raw: bench.identify(url) for raw, url in led_to.items()
    }
    bench.write(lambda c: citations.resolve_citations(c, run.id, resolved))
    return done


def _reread(
    bench: Bench, capture: captures.Capture, payloads: tuple[captures.StoredPayload, ...]
) -> Reading:
    """Reading of a capture from its stored bytes: the last try of every exchange."""
    last = {p.seq: p for p in sorted(payloads, key=lambda p: (p.seq, p.attempt))}
    exchanges = tuple(
        last[seq].exchange(bench.artifacts.get(last[seq].sha256)) for seq in sorted(last)
    )
    return read_exchanges(ENGINES[capture.engine], exchanges)


_REREAD = 1000
"""Answers a transaction: indexes are written once for all of them, so that a large run does not
cost more an answer than a small one (`python -m benchmarks reparse`)."""


def _batches(ids: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """Ids in runs of at most `size`."""
    return [ids[start : start + size] for start in range(0, len(ids), size)]
