"""Workers take a run through its stages, whatever is lost, fails or dies on the way."""

import asyncio
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from monitor.config.parts import HealthPart
from monitor.domain.job import Stage
from monitor.domain.page import FetchStatus
from monitor.pages import text as page_text
from monitor.pipeline import judging, line, notifying, paging, steering, working
from monitor.pipeline.bench import open_bench
from monitor.pipeline.run_states import cancel_run
from monitor.pipeline.run_status import run_status
from monitor.store import captures, jobs, pages, runs
from tests.servers import ROOT
from tests.stored import planned
from tests.working import (
    FOREST,
    LETHAL,
    PATIENT,
    POISON,
    PROMPTS,
    SOUND,
    TAKEOVER,
    Oracle,
    Web,
    ended,
    handed_over,
    hasten,
    in_queue,
    served_settings,
    state_of,
    until,
    workers,
)

WHOLE = len(PROMPTS)


@pytest.fixture
def oracle(monkeypatch):
    hasten(monkeypatch)
    return Oracle(monkeypatch)


@pytest.fixture
def takeover():
    return PATIENT


@pytest.fixture
def settings(postgres_url, tmp_path, takeover):
    return served_settings(postgres_url, tmp_path / "artifacts", takeover=takeover)


@pytest.fixture
def bench(settings, oracle):
    with open_bench(settings) as opened:
        yield opened


@pytest.fixture
def turns(monkeypatch):
    """Which stages began, and how often."""
    seen, real = Counter(), steering.log

    def note(event, **words):
        if event == "stage_started":
            seen[words["state"]] += 1
        real(event, **words)

    monkeypatch.setattr(steering, "log", note)
    return seen


def left(bench, run):
    return bench.read(lambda c: captures.count_open(c, run.id))


def resume(bench, run, **caps):
    caps = runs.Caps(**caps)
    return line.resume_run(bench, state_of(bench, run), caps, judge_name="embedded").run


def assert_nothing_left(bench, run):
    """No job waits, none is remembered."""
    assert not in_queue(bench, run)
    assert bench.read(lambda c: jobs.load_started(c, run.id)) == ()


async def test_two_workers_take_a_run_through_every_stage_once(bench, settings, oracle, turns):
    run = handed_over(bench)
    async with workers(settings, 2):
        told = await ended(bench, run)
        await until(lambda: not in_queue(bench, run))
    assert (told.state, told.stage, left(bench, run)) == (runs.RunState.DONE, None, 0)
    assert oracle.asked == WHOLE
    assert turns == {"pages": 1, "judge": 1, "finish": 1}
    assert_nothing_left(bench, run)


async def test_jobs_that_the_queue_lost_are_put_there_again(bench, settings, oracle):
    run = handed_over(bench)
    bench.write(lambda c: c.execute(text("DELETE FROM pgq.pgqueuer")))
    async with workers(settings):
        told = await ended(bench, run)
    assert (told.state, oracle.asked) == (runs.RunState.DONE, WHOLE)


async def test_some_jobs_that_the_queue_lost_are_found_while_others_are_worked_on(
    bench, settings, oracle
):
    oracle.gate.clear()
    run = handed_over(bench)
    some = "DELETE FROM pgq.pgqueuer WHERE status = 'queued'"
    async with workers(settings):
        await until(lambda: oracle.asked > 0)
        lost = bench.write(lambda c: c.execute(text(some))).rowcount
        assert lost > 0
        await until(
            lambda: (
                bench.read(
                    lambda c: c.execute(
                        text("SELECT count(*) FROM pgq.pgqueuer WHERE status = 'queued'")
                    ).scalar()
                )
                == lost
            )
        )
        oracle.gate.set()
        told = await ended(bench, run)
    assert (told.state, oracle.asked) == (runs.RunState.DONE, WHOLE)


async def test_planned_run_that_nobody_handed_over_is_taken_up(bench, settings, oracle):
    run = planned(bench, panel=FOREST)
    async with workers(settings):
        told = await ended(bench, run)
    assert (told.state, oracle.asked) == (runs.RunState.DONE, WHOLE)


async def test_two_runs_go_on_side_by_side(bench, settings, oracle):
    both = [handed_over(bench, "2026-01"), handed_over(bench, "2026-02")]
    async with workers(settings, 2):
        told = [await ended(bench, run) for run in both]
    assert [one.state for one in told] == [runs.RunState.DONE] * 2
    assert oracle.asked == 2 * WHOLE


async def test_run_whose_cap_is_spent_ends_incomplete_and_goes_on_under_a_higher_one(
    bench, settings, oracle
):
    run = handed_over(bench, calls=3)
    async with workers(settings, 2):
        told = await ended(bench, run)
        assert (told.state, oracle.asked) == (runs.RunState.INCOMPLETE, 3)
        assert "would pass the budget" in told.held
        assert left(bench, run) == WHOLE - 3
        assert resume(bench, run, calls=100).held is None
        told = await ended(bench, run)
    assert (told.state, oracle.asked) == (runs.RunState.DONE, WHOLE)


async def test_cancelled_run_ends_what_is_under_way_and_begins_nothing(bench, settings, oracle):
    oracle.gate.clear()
    run = handed_over(bench)
    async with workers(settings, 2):
        # All seats are taken: no call is on its way that was let begin and has not arrived yet.
        await until(lambda: oracle.asked == settings.engine("openai").concurrency)
        bench.write(lambda c: cancel_run(c, bench, state_of(bench, run)))
        asked = oracle.asked
        oracle.gate.set()
        await until(lambda: not in_queue(bench, run))
        await asyncio.sleep(0.5)
    assert state_of(bench, run).state is runs.RunState.CANCELLED
    assert oracle.asked == asked
    assert left(bench, run) == WHOLE - asked


def lethal_process(settings, at):
    """How a worker of its own process ended."""
    words = (settings.store.database, settings.store.artifacts, at, settings.runner.name)
    done = subprocess.run(
        [sys.executable, "-m", "tests.working", *words],
        cwd=ROOT, timeout=180, check=False, capture_output=True,
    )  # fmt: skip
    return done.returncode, done.stderr[-2000:]


@pytest.mark.parametrize("takeover", [TAKEOVER])
async def test_run_whose_worker_dies_at_the_end_of_every_stage_goes_on(bench, settings, oracle):
    run = handed_over(bench)
    for stage in Stage:
        code, said = await asyncio.to_thread(lethal_process, settings, stage.value)
        assert code == LETHAL, said
        assert state_of(bench, run).stage is stage
    async with workers(settings):
        told = await ended(bench, run)
        await until(lambda: not in_queue(bench, run))
    assert (told.state, left(bench, run)) == (runs.RunState.DONE, 0)
    assert_nothing_left(bench, run)


@pytest.mark.parametrize("runner", ["pgqueuer", "local"])
async def test_page_that_ends_every_process_that_reads_it_is_recorded_and_the_run_completes(
    postgres_url, tmp_path, oracle, monkeypatch, runner
):
    settings = served_settings(
        postgres_url, tmp_path / "artifacts", fetch=True, runner=runner, takeover=TAKEOVER
    )
    monkeypatch.setattr(paging, "guarded_fetcher", Web)
    with open_bench(settings) as bench:
        run = planned(bench, panel=FOREST)
        for _ in range(2):
            code, said = await asyncio.to_thread(lethal_process, settings, "page")
            assert code == LETHAL, said
        monkeypatch.setattr(page_text, "read_page", deadly_reader(page_text.read_page))
        if runner == "local":
            told = (await line._work(bench, state_of(bench, run), judge_name="embedded")).run
        else:
            async with workers(settings):
                told = await ended(bench, run)
        assert told.state is runs.RunState.DONE
        found = bench.read(lambda c: pages.load_fetches(c, run.id))
    by_url = {one.fetched.url: one.fetched for one in found.values()}
    assert by_url[POISON].status is FetchStatus.UNREADABLE
    assert "ended the process" in by_url[POISON].detail
    # Those that were being read beside it are none the worse.
    assert {by_url[url].status for url in SOUND} == {FetchStatus.OK}


def deadly_reader(real):
    """The reader of pages, which would end this process as well."""

    def read(body, *, url, **named):
        assert url != POISON, "a page that ends processes was read once more"
        return real(body, url=url, **named)

    return read


async def test_capture_that_always_fails_is_left_alone_and_shown_and_the_rest_completes(
    bench, settings, oracle, monkeypatch
):
    run = handed_over(bench)
    bad = bench.read(lambda c: captures.load_captures(c, run.id))[2].id
    tries = Counter()
    with monkeypatch.context() as poisoned:
        poisoned.setattr(working.CaptureDesk, "_captured", failing(bad, tries))
        async with workers(settings):
            told = await ended(bench, run)
    assert (told.state, left(bench, run)) == (runs.RunState.INCOMPLETE, 1)
    assert tries[bad] == settings.runner.attempts
    (one,) = run_status(bench, told).given_up
    assert (one.job.subject_id, one.failures) == (bad, settings.runner.attempts)
    assert one.error == "ValueError: a payload that breaks us"
    assert oracle.asked == WHOLE - 1

    resume(bench, run)
    async with workers(settings):
        told = await ended(bench, run)
    assert (told.state, oracle.asked) == (runs.RunState.DONE, WHOLE)
    assert run_status(bench, told).given_up == ()


def failing(bad, tries, real=working.CaptureDesk._captured):
    """Captures as they are made, one of which always breaks our code."""

    async def captured(desk, made_with, capture):
        tries[capture.id] += 1
        if capture.id == bad:
            raise ValueError("a payload that breaks us")
        return await real(desk, made_with, capture)

    return captured


async def test_step_that_fails_again_and_again_fails_the_run_with_its_reason_and_resume_works(
    postgres_url, tmp_path, oracle, monkeypatch
):
    health = HealthPart(ping_url=SecretStr("https://ping.example.org/made-up"))
    settings = served_settings(postgres_url, tmp_path / "artifacts", health=health)
    monkeypatch.setattr(notifying, "deliver_due", nothing_is_sent)
    with open_bench(settings) as bench:
        run = handed_over(bench)
        with monkeypatch.context() as broken:
            broken.setattr(steering, "take_stock", broken_step)
            async with workers(settings):
                told = await ended(bench, run)
                await until(lambda: not in_queue(bench, run))
        assert (told.state, told.held) == (runs.RunState.FAILED, "no such stock")
        assert told.finished_at is not None
        assert [kind for kind in ("start", "fail", "success") if message(bench, run, kind)] == [
            "fail"
        ]
        resume(bench, run)
        async with workers(settings):
            told = await ended(bench, run)
    assert (told.state, told.held, oracle.asked) == (runs.RunState.DONE, None, WHOLE)


async def nothing_is_sent(*_, **__):
    """Nobody is told."""


async def broken_step(*_):
    raise ValueError("no such stock")


def message(bench, run, kind):
    """Whether the outbox holds such a ping of a run."""
    query = text("SELECT count(*) FROM delivery WHERE body->>'ping' = :kind")
    return bool(bench.read(lambda c: c.execute(query, {"kind": kind}).scalar()))


@pytest.mark.parametrize("takeover", [TAKEOVER])
async def test_judging_runs_in_threads_so_that_heartbeats_go_on(
    bench, settings, oracle, monkeypatch
):
    seen = []

    def judge(desk, run, number):
        seen.append(threading.current_thread() is threading.main_thread())
        time.sleep(1.5 * settings.runner.takeover_seconds)

    monkeypatch.setattr(judging.JudgeDesk, "judge", judge)
    run = handed_over(bench)
    async with workers(settings, 2):
        told = await ended(bench, run)
    # Begun once, and off the loop: nobody took it for dead while it was at it.
    assert (told.state, seen) == (runs.RunState.DONE, [False])


async def test_old_notes_of_the_queue_are_forgotten_by_any_worker(bench, settings, oracle):
    run = handed_over(bench)
    async with workers(settings):
        await ended(bench, run)
    count = text("SELECT count(*) FROM pgq.pgqueuer_log")
    assert bench.read(lambda c: c.execute(count).scalar()) > WHOLE
    old = text("UPDATE pgq.pgqueuer_log SET created = created - interval '3 days'")
    bench.write(lambda c: c.execute(old))
    async with workers(settings):
        await until(lambda: bench.read(lambda c: c.execute(count).scalar()) == 0)
