"""Planned captures -> stored payloads and readings. Idempotent: a stored capture is never asked."""

import asyncio
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Self

import httpx

from monitor.capture.browser import BrowserCapture, Evidence
from monitor.capture.connections import FreeConnections
from monitor.capture.http import Asking, Captured, HttpCapture
from monitor.capture.limits import EngineGate
from monitor.capture.live.surfaces import LiveSurfaces
from monitor.config.logs import about, log
from monitor.config.settings import Settings
from monitor.domain.engine import Reading, Surface
from monitor.domain.job import Job, Work, capture_queue
from monitor.domain.pace import Pace
from monitor.domain.panel import Prompt
from monitor.durable import Failure, LocalRunner
from monitor.engines import ENGINES, PARSE_VERSION
from monitor.errors import SurfaceStoppedError
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.ledger import ENDING, Ledger
from monitor.pipeline.live_surfaces import open_surfaces, resting_queues
from monitor.pipeline.planning import month_caps, secrets_of
from monitor.pipeline.pricing import pricer
from monitor.pipeline.proving_meanwhile import Prover
from monitor.pipeline.reading import read_exchanges
from monitor.pipeline.records import own_artifacts, payload_of
from monitor.pipeline.removed import refuse_removed
from monitor.store import Connection, captures, citations, jobs, runs, screenshots
from monitor.store.limits import StoredPace
from monitor.store.parts import EVERY
from monitor.store.spend import RunBudget
from monitor.urls import URLS_VERSION


async def capture_run(bench: Bench, run: runs.Run) -> tuple[Failure, ...]:
    """Work off every capture of a run that is not stored yet; what failed is returned.

    A capture that failed is tried again as often as the settings say, after all others.
    """
    failures: tuple[Failure, ...] = ()
    async with CaptureDesk(bench) as desk:
        work = Ledger(bench).guarded(desk.handle)
        for _ in range(bench.settings.runner.attempts):
            todo = await asyncio.to_thread(_todo, bench, run)
            if not todo or any(isinstance(one.error, ENDING) for one in failures):
                break
            desk.expect(todo.values())
            ended = await _drain(bench, tuple(todo), work)
            # A surface that was stopped has failed at nothing: its captures stay planned.
            failures = tuple(f for f in ended if not isinstance(f.error, SurfaceStoppedError))
    return failures


def _todo(bench: Bench, run: runs.Run) -> dict[Job, captures.Capture]:
    """Captures of a run that may be made now, in planned order, but for those given up."""
    given_up = {one.job for one in bench.read(lambda c: jobs.load_given_up(c, run.id))}
    stopped = bench.read(lambda c: resting_queues(c, bench.settings, bench.clock.now()))
    todo = bench.read(lambda c: captures.load_open(c, run.id))
    every = {Job(run.id, capture_queue(one.engine, one.access), one.id): one for one in todo}
    return {
        job: one for job, one in every.items() if job not in given_up and job.queue not in stopped
    }


async def _drain(bench: Bench, todo: tuple[Job, ...], work: Work) -> tuple[Failure, ...]:
    """Work off jobs by the local runner, each queue with its own number of places."""
    done = count(1)
    bench.progress("captures", 0, len(todo))
    places = {queue: _places(queue, bench.settings) for queue in {one.queue for one in todo}}
    runner = LocalRunner(places, lambda _: bench.progress("captures", next(done), len(todo)))
    return await runner.drain(todo, work)


def _places(queue: str, settings: Settings) -> int:
    """Captures of one queue under way at once in one process."""
    kind, engine = queue.split(":", 1)
    if kind == "browser":
        return 1
    # Twice as many as call slots: slots never wait for the store.
    return 2 * settings.engine(engine).concurrency


@dataclass(frozen=True, slots=True)
class _Done:
    """A capture about to be stored."""

    job: Job
    captured: Captured
    evidence: Evidence


def _tell_stored(captured: Captured) -> None:
    """A line about a capture that was stored: its outcome, calls and time, and no word of it."""
    reading, calls = captured.reading, captured.envelopes
    log(
        "capture_stored",
        outcome=reading.outcome.value,
        reason=reading.reason,
        count=len(calls),
        duration_ms=sum(one.duration_ms for one in calls),
        micros=reading.cost.micros if reading.cost else None,
    )


class CaptureDesk:
    """Where captures are made, of any number of runs: the edges they share, opened once."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._http = httpx.AsyncClient(
            transport=FreeConnections(), trust_env=False, follow_redirects=False
        )
        self._gates: dict[str, EngineGate] = {}
        self._surfaces = open_surfaces(bench)
        self._prover = Prover(bench)
        self._lines: dict[int, _Line] = {}
        self._todo: dict[int, captures.Capture] = {}

    async def __aenter__(self) -> Self:
        """Open nothing yet."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close what was opened on the way."""
        await self._prover.close()
        await self._surfaces.close()
        await self._http.aclose()

    def expect(self, todo: Iterable[captures.Capture]) -> None:
        """Take captures at hand, so that each need not be loaded by itself."""
        self._todo = {one.id: one for one in todo}

    async def handle(self, job: Job) -> None:
        """Ask one planned capture and store what came back; one that is stored stays as it is."""
        line = await self._line(job.run_id)
        capture = self._todo.pop(job.subject_id, None)
        if capture is None:
            capture = await asyncio.to_thread(
                self._bench.read,
                lambda c: captures.load_capture(c, job.subject_id, known=line.prompts),
            )
        if capture.state is captures.CaptureState.STORED:
            await self._bench.writer.do(lambda c: jobs.finish_jobs(c, [job]))
            return
        with about(run=line.run.public_id, capture=capture.id, engine=capture.engine):
            captured, evidence = await self._captured(line, capture)
            done = _Done(job, captured, evidence)
            await self._bench.writer.do_along(self._save, done)
            self._prover.notice(capture.id, captured.envelopes)
            _tell_stored(captured)

    async def _captured(
        self, line: "_Line", capture: captures.Capture
    ) -> tuple[Captured, Evidence]:
        """What an engine says to a prompt, and what was kept of it where a browser saw it."""
        asking = line.asking[capture.engine]
        if asking.engine.surface is not Surface.BROWSER:
            return await line.http.capture(capture.id, capture.prompt, asking), Evidence()

        async def begin() -> None:
            at = self._bench.clock.now()
            await self._bench.writer.do(lambda c: captures.mark_asked(c, capture.id, at=at))

        return await line.browser.capture(capture.id, capture.prompt, asking, begin=begin)

    async def _line(self, run_id: int) -> "_Line":
        """What the captures of a run are made with."""
        known = self._lines.get(run_id)
        if known is not None:
            return known
        run = await asyncio.to_thread(self._bench.read, lambda c: runs.load_run_by_id(c, run_id))
        plan = await asyncio.to_thread(self._bench.read, lambda c: runs.load_plan(c, run_id))
        prompts = await asyncio.to_thread(
            self._bench.read, lambda c: runs.load_run_prompts(c, run_id)
        )
        for one in plan:
            self._gates.setdefault(one.engine, engine_gate(self._bench, one.engine))
        line = _line(self._bench, run, plan, self._http, self._gates, self._surfaces)
        return self._lines.setdefault(run_id, replace(line, prompts=prompts))

    def _save(self, connection: Connection, done: Sequence[_Done]) -> Sequence[None]:
        """Payload rows, readings with their citations, and screenshots, in one transaction."""
        payloads = [payload_of(d.job.subject_id, e) for d in done for e in d.captured.envelopes]
        captures.save_payloads(connection, payloads)
        for one in done:
            for shot in one.evidence.screenshots:
                screenshots.save_screenshot(connection, one.job.subject_id, shot)
            for kept in one.evidence.snapshots:
                screenshots.save_snapshot(connection, one.job.subject_id, kept)
        readings = {one.job.subject_id: one.captured.reading for one in done}
        save_readings(self._bench, connection, readings)
        jobs.finish_jobs(connection, [one.job for one in done])
        return [None] * len(done)


@dataclass(frozen=True, slots=True)
class _Line:
    """What the captures of one run are made with."""

    run: runs.Run
    asking: Mapping[str, Asking]
    http: HttpCapture
    browser: BrowserCapture
    prompts: Mapping[int, Prompt] = field(default_factory=dict)
    """Prompts by the id of their version."""


def _line(
    bench: Bench,
    run: runs.Run,
    plan: tuple[runs.PlannedEngine, ...],
    http: httpx.AsyncClient,
    gates: Mapping[str, EngineGate],
    surfaces: LiveSurfaces,
) -> _Line:
    """The line of one run, under its own caps and with pointers of its own."""
    own = own_artifacts(bench, run)
    budget = RunBudget(bench.writer, run.id, bench.clock, month=month_caps(bench.settings))
    return _Line(
        run,
        {p.engine: _asking(bench, p, gates[p.engine]) for p in plan},
        HttpCapture(http, own, budget, bench.clock, read=read_exchanges, jitter=random.random),
        BrowserCapture(surfaces, own, bench.clock, read=read_exchanges),
    )


def engine_gate(bench: Bench, engine: str) -> EngineGate:
    """The gate before an engine: its turns are shared with every other process."""
    part = bench.settings.engine(engine)
    pace = Pace(part.per_minute)
    return EngineGate(part.concurrency, StoredPace(bench.writer, engine, pace, bench.clock))


def _asking(bench: Bench, plan: runs.PlannedEngine, gate: EngineGate) -> Asking:
    """How one engine is asked in this run."""
    engine, part = ENGINES[plan.engine], bench.settings.engine(plan.engine)
    estimate, price = pricer(engine, plan.settings, part, bench.clock.now())
    return Asking(
        engine=engine,
        settings=plan.settings,
        gate=gate,
        secrets=secrets_of(engine),
        attempts=part.attempts,
        timeout_seconds=part.timeout_seconds,
        call_micros=estimate.micros,
        price=price,
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
    refuse_removed(bench, run, {p.sha256 for several in payloads.values() for p in several})
    stored = {one.id: one for one in bench.read(lambda c: captures.load_captures(c, run.id, EVERY))}
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
