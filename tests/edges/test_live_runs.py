"""A run with a surface that is stopped: its captures stay planned, and everybody is told why."""

import asyncio
from dataclasses import replace

import pytest

from monitor.config.parts import EnginePart, StorePart
from monitor.config.settings import Settings
from monitor.domain.job import Job, capture_queue
from monitor.domain.panel import Panel, Prompt
from monitor.durable import LocalRunner
from monitor.engines import ENGINES
from monitor.errors import SurfaceStoppedError
from monitor.pipeline.bench import open_bench
from monitor.pipeline.capturing import capture_run
from monitor.pipeline.ledger import Ledger
from monitor.pipeline.line import hand_over
from monitor.pipeline.live_surfaces import resting_queues, surface_standings
from monitor.pipeline.run_states import end_run
from monitor.pipeline.run_status import run_status
from monitor.store import captures, jobs, runs, surface_state
from tests.stored import planned
from tests.working import FOREST, Oracle, ended, hasten, served_settings, workers

NAME = "sandbox_chat"
PROMPT = Prompt("p1", "How do oaks grow?", "en-GB")
PANEL = Panel("trees", 1, 2, "en-GB", (NAME,), (PROMPT,))
REASON = "blocked (captcha)"


@pytest.fixture
def bench(tmp_path):
    store = StorePart(
        database=f"sqlite:///{tmp_path}/monitor.db", artifacts=str(tmp_path / "artifacts")
    )
    with open_bench(Settings(store=store, engines={NAME: EnginePart()})) as bench:
        yield bench


def stop(bench):
    at = bench.clock.now()
    bench.write(lambda c: surface_state.stop_surface(c, NAME, REASON, at=at))


def test_captures_of_a_stopped_surface_stay_planned_and_nothing_fails(bench):
    run = planned(bench, panel=PANEL)
    stop(bench)
    assert asyncio.run(capture_run(bench, run)) == ()
    stored = bench.read(lambda c: captures.load_captures(c, run.id))
    assert [one.state for one in stored] == [captures.CaptureState.PLANNED] * 2
    assert bench.read(lambda c: jobs.load_started(c, run.id)) == ()


def test_run_with_a_stopped_surface_is_incomplete_and_its_status_says_why(bench):
    run = planned(bench, panel=PANEL)
    stop(bench)
    asyncio.run(capture_run(bench, run))
    ended = bench.write(lambda c: end_run(c, bench, run.id))
    assert ended.state is runs.RunState.INCOMPLETE
    found = run_status(bench, run)
    assert found.held is None
    assert found.resting[NAME].startswith("sandbox_chat is stopped since ")
    assert "monitor surfaces resume sandbox_chat" in found.as_json()["resting"][NAME]
    (standing,) = [one for one in surface_standings(bench) if one.name == NAME]
    assert standing.as_json()["stopped_because"] == REASON


def test_surface_that_is_stopped_while_its_captures_wait_ends_its_queue_alone():
    done = []

    async def work(job):
        if job.queue == "browser:x":
            raise SurfaceStoppedError("x is stopped")
        done.append(job)

    todo = [Job(1, queue, n) for n in range(3) for queue in ("browser:x", "capture:y")]
    failures = asyncio.run(LocalRunner({}).drain(todo, work))
    assert [(one.job.subject_id, one.job.queue) for one in failures] == [(0, "browser:x")]
    assert [one.subject_id for one in done] == [0, 1, 2]


async def test_job_of_a_surface_that_is_stopped_counts_neither_as_failed_nor_as_started(bench):
    run = planned(bench, panel=PANEL)
    job = Job(run.id, "browser:sandbox_chat", 1)

    async def stopped(_):
        raise SurfaceStoppedError("it is stopped")

    for _ in range(20):
        with pytest.raises(SurfaceStoppedError):
            await Ledger(bench).guarded(stopped)(job)
    assert bench.read(lambda c: jobs.load_started(c, run.id)) == ()


async def test_workers_end_a_run_and_leave_the_captures_of_a_stopped_surface_planned(
    postgres_url, tmp_path, monkeypatch
):
    hasten(monkeypatch)
    oracle = Oracle(monkeypatch)
    settings = served_settings(postgres_url, tmp_path / "artifacts")
    engines = {**settings.engines, NAME: EnginePart()}
    settings = settings.model_copy(update={"engines": engines})
    panel = replace(FOREST, engines=("openai", NAME))
    with open_bench(settings) as bench:
        stop(bench)
        run = hand_over(bench, planned(bench, panel=panel), judge_name="embedded").run
        async with workers(settings):
            told = await ended(bench, run)
        status = run_status(bench, run)
    assert told.state is runs.RunState.INCOMPLETE
    assert oracle.asked == status.coverage["openai"].attempted == len(FOREST.prompts)
    assert (status.coverage[NAME].attempted, tuple(status.resting)) == (0, (NAME,))


def test_no_stopped_surface_is_queued_for_workers(bench):
    queue = capture_queue(NAME, ENGINES[NAME].access)
    now = bench.clock.now()
    assert bench.read(lambda c: resting_queues(c, bench.settings, now)) == frozenset()
    stop(bench)
    assert bench.read(lambda c: resting_queues(c, bench.settings, now)) == {queue}


def test_lifted_stop_lets_captures_begin_again(bench):
    stop(bench)
    assert bench.write(lambda c: surface_state.lift_stop(c, NAME))
    now = bench.clock.now()
    assert bench.read(lambda c: resting_queues(c, bench.settings, now)) == frozenset()
