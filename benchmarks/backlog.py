"""A month's worth of jobs in the queue at once: what planning takes, and whether depth slows jobs.

400,000 captures of one run are planned and queued; then one worker takes jobs that do nothing, off
that queue and off a short one.
"""

import asyncio
import os
import tempfile
from dataclasses import replace

from benchmarks.figures import Outcome, Ratio, peak_mib, seconds
from benchmarks.history import KEYS_OF_ALL, NAMES
from benchmarks.stores import benched, panel_of, planned
from monitor.config.parts import RunnerPart, StorePart
from monitor.config.settings import Settings
from monitor.domain.job import Job
from monitor.durable.pgqueuer import QueueWorker
from monitor.pipeline.bench import Bench
from monitor.pipeline.judge_choice import judge_choice
from monitor.pipeline.run_states import queue_run
from monitor.store import captures, queue
from tests.servers import running_postgres

PROMPTS, REPEATS = 10_000, 8
JOBS = 4_000
PLACES = 100
TURNS = 2
BAR = 1.3


def run() -> Outcome:
    """Wall time of jobs off a deep queue over that off a short one."""
    os.environ.update(KEYS_OF_ALL)
    with running_postgres() as server, tempfile.TemporaryDirectory(prefix="monitor-") as folder:
        store = StorePart(database=server.new_database(), artifacts=f"{folder}/artifacts")
        runner = RunnerPart(name="pgqueuer")
        with benched(Settings(store=store, panels=folder, runner=runner)) as bench:
            return _measured(bench)


def _measured(bench: Bench) -> Outcome:
    panel = replace(panel_of(PROMPTS, *NAMES), repeats=REPEATS)
    made = []
    plan = seconds(lambda: made.append(planned(bench, panel, "backlog")))
    (run,) = made
    judge = judge_choice(bench, run)
    put = seconds(lambda: bench.write(lambda c: queue_run(c, bench, run, judge=judge)))
    many = bench.read(lambda c: captures.count_planned(c, run.id))
    sweep = seconds(lambda: bench.read(lambda c: queue.unqueued_captures(c, run.id, 10_000)))
    busy = seconds(lambda: bench.read(lambda c: queue.has_jobs(c, run.id)))
    other = seconds(lambda: bench.read(lambda c: queue.has_jobs(c, run.id + 1)))
    deep = min(seconds(lambda: asyncio.run(_worked_off(bench))) for _ in range(TURNS))
    bench.write(lambda c: queue.withdraw(c, run.id))
    short = []
    for turn in range(TURNS):
        jobs = [Job(run.id + 1 + turn, f"engine:{NAMES[0]}", n) for n in range(JOBS + PLACES)]
        bench.write(lambda c, jobs=jobs: queue.enqueue(c, jobs))
        short.append(seconds(lambda: asyncio.run(_worked_off(bench))))
    lines = (
        f"{many:,} captures planned in {plan:.0f} s, queued in {put:.0f} s, {peak_mib():.0f} MiB",
        f"each: {(plan + put) * 1000 / many:.2f} ms",
        f"looking for captures that the queue lacks: {sweep * 1000:.0f} ms",
        f"whether a run has jobs: {busy * 1000:.0f} ms; where it has none: {other * 1000:.0f} ms",
        f"{JOBS} jobs that do nothing off {many:,}: {deep:.1f} s, {JOBS / deep:.0f} a second",
        f"off a short queue: {min(short):.1f} s",
    )
    return Outcome(
        lines,
        (Ratio("jobs off a deep queue", deep / min(short), BAR),),
    )


async def _worked_off(bench: Bench) -> None:
    """One worker, until it has done so many jobs."""
    stop, left = asyncio.Event(), JOBS

    async def work(_: Job) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            stop.set()

    worker = QueueWorker(
        bench.database.conninfo,
        {f"engine:{NAMES[0]}": PLACES},
        work,
        settings=queue.queue_settings(),
        takeover_seconds=15,
    )
    await asyncio.wait_for(worker.serve(stop), 120)
