"""Two workers on PostgreSQL against bare asyncio and semaphores with the same calls and caps.

Both ask one sandbox process that takes four seconds for an answer, in turns. The bare loop keeps
nothing. The workers take their jobs from the queue under caps that hold over both, take turns and
money from the store, and keep bytes, pointers and readings; then they fetch pages, judge and score.
"""

import asyncio
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.crew import Busy, Crew, server_settings, working, written
from benchmarks.figures import Outcome, Ratio, seconds
from benchmarks.stores import benched, panel_of, planned
from monitor.capture.http import with_secret
from monitor.cli.sandboxed import KEYS, RunningSandbox, sandbox_process
from monitor.config.settings import Settings
from monitor.domain.engine import EngineSettings
from monitor.domain.panel import Panel
from monitor.engines import ENGINES
from monitor.pipeline.bench import Bench
from monitor.pipeline.planning import secrets_of
from monitor.store import captures
from tests.servers import running_postgres

NAMES = ("openai", "perplexity", "anthropic")
PROMPTS = 135
PLACES = 15
"""Calls of an engine at once, over both workers; `PROMPTS` is a multiple, so no call fills a gap."""
LATENCY_MS = 4000
WORKERS = 2
ROUNDS = 2
BAR = 1.15
NUMBER = PROMPTS * len(NAMES)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run by the workers took."""

    capturing: float
    """Seconds from the first capture begun to the last one stored."""
    whole: float
    """Seconds from the plan to the end: pages fetched, judged, scored."""
    captures: Busy
    """CPU seconds until the last capture was stored."""
    rest: Busy
    """CPU seconds of all that follows."""


def run() -> Outcome:
    """Wall time of the captures, and of the whole run, as multiples of the bare loop's."""
    os.environ.update(KEYS)
    with (
        running_postgres() as server,
        tempfile.TemporaryDirectory(prefix="monitor-bench-") as name,
        sandbox_process(
            Path(name), "2026-09", options=("--latency-ms", str(LATENCY_MS))
        ) as sandbox,
    ):
        folder = Path(name)
        content = server_settings(sandbox, folder, server.new_database(), places=PLACES)
        panel = panel_of(PROMPTS, *NAMES)
        with (
            benched(Settings(**content)) as bench,
            working(folder, written(folder, content), WORKERS, server=server.pid) as crew,
        ):
            crew.wait_until_there(bench)
            bare, turns = [], []
            for number in range(ROUNDS):
                bare.append(seconds(lambda: asyncio.run(_bare(bench.settings, panel))))
                turns.append(_turn(bench, crew, panel, f"bench-{number}"))
        seen = _counts(sandbox)
    return _outcome(min(bare), turns, seen)


def _turn(bench: Bench, crew: Crew, panel: Panel, slot: str) -> Turn:
    """A run of the panel, done by the workers."""
    idle = crew.busy
    run = planned(bench, panel, slot)
    crew.wait_for_captures(bench, run)
    captured = crew.busy
    ended = crew.wait_for(bench, run)
    done_with = crew.busy
    done = bench.read(lambda c: captures.load_captures(c, ended.id))
    begun = min(one.asked_at for one in done if one.asked_at)
    stored = [one.stored_at for one in done if one.stored_at]
    if len(stored) != NUMBER or ended.finished_at is None:
        raise RuntimeError(f"{len(stored)} of {NUMBER} captures are stored")
    return Turn(
        (max(stored) - begun).total_seconds(),
        (ended.finished_at - ended.created_at).total_seconds(),
        captured - idle,
        done_with - captured,
    )


async def _bare(settings: Settings, panel: Panel) -> None:
    """The same calls with nothing around them but a semaphore for each engine."""
    places = {name: asyncio.Semaphore(PLACES) for name in NAMES}
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(trust_env=False, limits=limits) as client:

        async def ask(name: str, number: int) -> None:
            engine = ENGINES[name]
            part = EngineSettings(
                base_url=settings.engine(name).base_url, model=engine.default_model
            )
            one = engine.request(panel.prompts[number], part)
            headers, _ = with_secret(one, engine.auth, secrets_of(engine))
            async with places[name]:
                answer = await client.post(one.url, json=one.json, headers=headers, timeout=60)
            answer.raise_for_status()

        async with asyncio.TaskGroup() as group:
            for number in range(PROMPTS):
                for name in NAMES:
                    group.create_task(ask(name, number))


def _counts(sandbox: RunningSandbox) -> dict[str, int]:
    """Most calls of every engine that were under way at once, and all calls there were."""
    told = httpx.get(f"{sandbox.address}/_sandbox/counts", trust_env=False).json()
    asked = {"calls": told["total"] + told["continuations"]}
    return asked | {name: told["most_at_once"][name] for name in NAMES}


def _outcome(bare: float, turns: list[Turn], seen: dict[str, int]) -> Outcome:
    best = min(turns, key=lambda one: one.capturing)
    whole = min(one.whole for one in turns)
    most = max(seen[name] for name in NAMES)
    lines = [
        (
            f"{NUMBER} captures of {LATENCY_MS} ms over {WORKERS} workers, {PLACES} places for each "
            f"of {len(NAMES)} engines; ideal {PROMPTS / PLACES * LATENCY_MS / 1000:.1f} s, "
            f"best of {ROUNDS}"
        ),
        (
            f"  bare asyncio + httpx {bare:.2f} s; workers {best.capturing:.2f} s from the first "
            f"capture begun to the last stored, {whole:.2f} s from plan to scorecards"
        ),
        f"  {seen['calls']} calls in {2 * ROUNDS} turns of {NUMBER}; most at once "
        + ", ".join(f"{name} {seen[name]}" for name in NAMES)
        + f" of {PLACES}",
    ]
    each = 1000 / NUMBER
    lines.append(
        f"  CPU for a capture: workers {best.captures.workers * each:.1f} ms, database "
        f"{best.captures.database * each:.1f} ms; for pages, verdicts and scores after it: workers "
        f"{best.rest.workers * each:.1f} ms, database {best.rest.database * each:.1f} ms"
    )
    return Outcome(
        tuple(lines),
        (
            Ratio("wall time of the captures", best.capturing / bare, BAR),
            Ratio("calls at once over the cap", most / PLACES, 1),
            Ratio("calls over captures", seen["calls"] / (2 * ROUNDS * NUMBER), 1),
        ),
    )
