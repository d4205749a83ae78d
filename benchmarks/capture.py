"""Captures by the whole line against bare asyncio and httpx doing the same calls.

Both ask one sandbox process under the same cap on calls in flight, in turns. Ours plans the run in
SQLite, reserves and settles money, keeps bytes and pointers, parses, and stores every reading with
the identity of its URLs; the bare loop keeps nothing.
"""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx

from benchmarks.figures import Outcome, Ratio, alternating
from benchmarks.stores import benched, panel_of, planned
from monitor.cli.sandboxed import KEYS, RunningSandbox, sandbox_process, sandbox_settings
from monitor.config.settings import Settings
from monitor.domain.engine import EngineSettings
from monitor.domain.panel import Panel
from monitor.engines import ENGINES
from monitor.pipeline.capturing import capture_run
from monitor.store import captures

CAP = 8
"""Calls in flight on both sides: twice what config.yaml gives an engine.

The line needs about 5 ms of one core for a capture, so far above this it is bound by the core.
"""
ROUNDS = 2
ENGINE = "openai"
CASES = ((2000, 50, 1.5), (200, 1000, 1.1))
"""(captures, milliseconds an answer takes, bar)."""


def run() -> Outcome:
    """Wall time of ours as a multiple of the bare loop's, for fast and for slow answers."""
    absolutes: list[str] = []
    ratios: list[Ratio] = []
    for number, latency, bar in CASES:
        with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder:
            bare, ours = _case(Path(folder), number, latency)
        ideal = number * latency / 1000 / CAP
        absolutes += [
            f"{number} captures of {latency} ms, cap {CAP}, best of {ROUNDS}; ideal {ideal:.2f} s",
            f"  bare asyncio + httpx {bare:.2f} s; ours {ours:.2f} s, {number / ours:.0f} captures/s",
        ]
        ratios.append(Ratio(f"wall time at {latency} ms", ours / bare, bar))
    return Outcome(tuple(absolutes), tuple(ratios))


def _case(folder: Path, number: int, latency: int) -> tuple[float, float]:
    """Best wall seconds of the bare loop and of ours."""
    os.environ.update(KEYS)
    panel = panel_of(number, ENGINE)
    options = ("--latency-ms", str(latency))
    with (
        sandbox_process(folder, "2026-09", options=options) as sandbox,
        _lines(folder, sandbox, panel) as line,
    ):
        bare, ours = alternating(
            (lambda: asyncio.run(_bare(sandbox, panel)), lambda: next(line)), ROUNDS
        )
    return bare, ours


async def _bare(sandbox: RunningSandbox, panel: Panel) -> None:
    """The same calls with nothing around them."""
    engine = ENGINES[ENGINE]
    settings = EngineSettings(base_url=f"{sandbox.address}/openai/v1", model=engine.default_model)
    headers = {"authorization": f"Bearer {KEYS['OPENAI_API_KEY']}"}
    asked = iter([engine.request(prompt, settings) for prompt in panel.prompts])
    async with httpx.AsyncClient(trust_env=False) as client:

        async def work() -> None:
            for one in asked:
                answer = await client.post(one.url, json=one.json, headers=headers, timeout=60)
                answer.raise_for_status()

        async with asyncio.TaskGroup() as group:
            for _ in range(CAP):
                group.create_task(work())


@contextmanager
def _lines(folder: Path, sandbox: RunningSandbox, panel: Panel) -> Iterator[Iterator[int]]:
    """One store; every step plans and captures a further run of the panel in it."""
    content = sandbox_settings(sandbox, folder, folder)
    content["engines"][ENGINE]["concurrency"] = CAP
    with benched(Settings(**content)) as bench:

        def step() -> Iterator[int]:
            for number in count(1):
                run = planned(bench, panel, f"bench-{number}")
                failures = asyncio.run(capture_run(bench, run))
                coverage = bench.read(lambda c, one=run: captures.coverage(c, one.id))[ENGINE]
                if failures or coverage.answered != len(panel.prompts):
                    raise RuntimeError(f"{coverage.answered} answered; {failures[:1]}")
                yield coverage.answered

        yield step()
