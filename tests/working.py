"""Runs that workers work on: an engine that answers at once, workers here or in other processes.

    python -m tests.working DATABASE ARTIFACTS LETHAL RUNNER

works in a process that ends by `os._exit(9)` at what LETHAL names: the end of a stage, or a page.
"""

import asyncio
import os
import sys
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from monitor.config.parts import EnginePart, PagesPart, RunnerPart, StorePart
from monitor.config.settings import Settings
from monitor.domain.job import Stage
from monitor.domain.page import Fetched, FetchStatus
from monitor.domain.panel import Prompt
from monitor.pages import text as page_text
from monitor.pipeline import capturing, line, paging, working
from monitor.pipeline.bench import open_bench
from monitor.pipeline.line import hand_over
from monitor.pipeline.working import KINDS, serve_jobs
from monitor.store import queue, runs
from tests.stored import MADE_AT, PANEL, answer, planned

PROMPTS = tuple(Prompt(f"p{n}", f"How do oaks of kind {n} grow?", "en-GB") for n in range(8))
FOREST = replace(PANEL, prompts=PROMPTS)
POISON = "https://poison.example.org/page"
SOUND = tuple(f"https://oak.example.com/growth-{n}" for n in range(3))
BODY = answer("Oaks grow slowly [1].", *(("slowly", url) for url in (*SOUND, POISON)))
TAKEOVER = 2.0
"""Silence after which workers are thought dead, where a test lets them die."""
PATIENT = 60.0
"""The same where none dies: a busy machine silences them for seconds."""
LETHAL = 9
"""How a process ends that a poison killed."""


class Oracle:
    """An engine that answers every question alike and counts them, while its gate is open."""

    def __init__(self, monkeypatch):
        self.asked = 0
        self.most = None
        self.gate = asyncio.Event()
        self.gate.set()
        monkeypatch.setattr(
            capturing.httpx,
            "AsyncClient",
            lambda real=httpx.AsyncClient, **_: real(transport=httpx.MockTransport(self.answer)),
        )

    async def answer(self, request):
        self.asked += 1
        await self.gate.wait()
        return httpx.Response(200, content=BODY)


class Web:
    """Stands for the fetcher: every page is there."""

    def __init__(self, *_):
        self.fetched = []

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        """Nothing was opened."""

    async def fetch(self, url):
        self.fetched.append(url)
        body = b"<html><body><p>Oaks grow slowly, as everybody knows who has seen one.</p></body>"
        return Fetched(
            url, FetchStatus.OK, 200, url, media_type="text/html", body=body, fetched_at=MADE_AT
        )


def served_settings(
    database, artifacts, *, fetch=False, runner="pgqueuer", takeover=PATIENT, **parts
):
    """Settings of workers, who take over after so many seconds of silence."""
    return Settings(
        store=StorePart(database=database, artifacts=str(artifacts)),
        engines={"openai": EnginePart(per_minute=100_000)},
        runner=RunnerPart(name=runner, takeover_seconds=takeover),
        pages=PagesPart(fetch=fetch),
        **parts,
    )


def hasten(monkeypatch):
    """Have workers steer and look for what was lost all the time."""
    monkeypatch.setattr(working, "_STEER_SECONDS", 0.1)
    monkeypatch.setattr(working, "_SWEEP_SECONDS", 0.3)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")


@asynccontextmanager
async def workers(settings, many=1):
    """So many workers in this process, each on connections of its own; they end in good order."""
    stop = asyncio.Event()
    with ExitStack() as stack:
        benches = [stack.enter_context(open_bench(settings)) for _ in range(many)]
        tasks = [asyncio.create_task(serve_jobs(bench, KINDS, stop)) for bench in benches]
        try:
            yield tasks
        finally:
            stop.set()
            await asyncio.gather(*tasks)


def handed_over(bench, slot="2026-01", **caps):
    """A run that was left to workers."""
    run = planned(bench, slot, FOREST, caps=runs.Caps(**caps))
    return hand_over(bench, run, judge_name="embedded").run


def state_of(bench, run):
    return bench.read(lambda c: runs.load_run_by_id(c, run.id))


async def until(holds, within=60.0):
    """Wait until something holds, looked at in a thread."""
    ends = asyncio.get_running_loop().time() + within
    while not await asyncio.to_thread(holds):
        assert asyncio.get_running_loop().time() < ends, "it did not come about"
        await asyncio.sleep(0.05)


async def ended(bench, run, within=60.0):
    """The run, once it is final."""
    await until(lambda: state_of(bench, run).state in runs.FINAL, within)
    return state_of(bench, run)


def in_queue(bench, run):
    return bench.read(lambda c: queue.has_jobs(c, run.id))


def _die_at(lethal, monkeypatch):
    """Let a step of the work, or a page, end this process."""
    if lethal == "page":
        real_read = page_text.read_page

        def read(body, *, url, **named):
            if url == POISON:
                os._exit(LETHAL)
            return real_read(body, url=url, **named)

        monkeypatch.setattr(page_text, "read_page", read)
        return
    real_leave = working.leave_stage

    async def leave(bench, desk, job):
        if tuple(Stage)[job.subject_id].value == lethal:
            os._exit(LETHAL)
        await real_leave(bench, desk, job)

    monkeypatch.setattr(working, "leave_stage", leave)


def main(database, artifacts, lethal, runner):
    """Work until the poison works."""
    monkeypatch = pytest.MonkeyPatch()
    hasten(monkeypatch)
    Oracle(monkeypatch)
    monkeypatch.setattr(paging, "guarded_fetcher", Web)
    _die_at(lethal, monkeypatch)
    settings = served_settings(database, artifacts, fetch=True, runner=runner, takeover=TAKEOVER)
    with open_bench(settings) as bench:
        if runner == "local":
            run = bench.read(runs.list_runs)[0]
            line.work_on(bench, run, judge_name="embedded")
        else:
            asyncio.run(serve_jobs(bench, KINDS, asyncio.Event()))


if __name__ == "__main__":
    main(*sys.argv[1:])
