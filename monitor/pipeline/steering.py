"""What moves runs on when workers do the work: fills the queue, and turns stage into stage.

Any worker may steer, one at a time, and nothing is lost when it dies: what is planned and in no
queue is put there again, and a stage ends when the queue holds nothing of a run any more.
"""

import asyncio

from monitor.config.logs import log
from monitor.domain.job import JUDGE, RUN, Job, Stage
from monitor.pipeline.alarming import take_stock
from monitor.pipeline.alerting import find_alerts
from monitor.pipeline.bench import Bench
from monitor.pipeline.grouping import group_run
from monitor.pipeline.judge_choice import judge_choice
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.judging import JudgeDesk, count_parts
from monitor.pipeline.line import judge_and_score
from monitor.pipeline.live_surfaces import resting_queues
from monitor.pipeline.paging import PageDesk, fetch_run
from monitor.pipeline.publishing import publish_linked
from monitor.pipeline.run_states import end_run, move_run, queue_run
from monitor.store import Connection, jobs, queue, runs

_AT_ONCE = 10_000
_STAGES = tuple(Stage)


def steer(connection: Connection, bench: Bench, *, sweep: bool) -> None:
    """Move every open run on by what can be done now, unless another worker is at it.

    With `sweep`, captures that a full queue lacks are looked for as well.
    """
    if not queue.steers_alone(connection):
        return
    for run in runs.open_runs(connection):
        if run.state is runs.RunState.PLANNED:
            queue_run(connection, bench, run, judge=judge_choice(bench, run))
        else:
            _steer_run(connection, bench, run, sweep=sweep)


def _steer_run(connection: Connection, bench: Bench, run: runs.Run, *, sweep: bool) -> None:
    """Queue what a run lacks in its stage, or the step that ends the stage.

    Captures of a surface that is stopped stay planned.
    """
    stage = run.stage
    if stage is None:
        return
    busy = queue.has_jobs(connection, run.id)
    if busy and not sweep:
        return
    if stage is Stage.CAPTURES and run.held is None:
        resting = resting_queues(connection, bench.settings, bench.clock.now())
        planned = queue.unqueued_captures(connection, run.id, _AT_ONCE)
        lost = [one for one in planned if one.queue not in resting]
        queue.enqueue(connection, lost)
        busy = busy or bool(lost)
    if not busy:
        queue.enqueue(connection, [Job(run.id, RUN, _STAGES.index(stage))])


async def leave_stage(bench: Bench, desk: PageDesk, job: Job) -> None:
    """End the stage that a job of the queue `run` names, and begin the next one."""
    stage = _STAGES[job.subject_id]
    run = await asyncio.to_thread(bench.read, lambda c: runs.load_run_by_id(c, job.run_id))
    if run.stage is not stage or run.state is not runs.RunState.RUNNING:
        return
    if stage is Stage.FINISH:
        await _finish(bench, run)
        return
    todo = await _next_jobs(bench, desk, run, stage)
    following = _STAGES[_STAGES.index(stage) + 1]

    def move(connection: Connection) -> None:
        if runs.move_stage(connection, run.id, following, left=stage):
            queue.enqueue(connection, todo)

    await bench.writer.do(move)
    log("stage_started", run=run.public_id, state=following.value, count=len(todo))


async def _next_jobs(bench: Bench, desk: PageDesk, run: runs.Run, stage: Stage) -> list[Job]:
    """What the stage after this one consists of."""
    if stage is Stage.CAPTURES:
        return list(await desk.plan(run)) if bench.settings.pages.fetch else []
    if stage is Stage.PAGES:
        await asyncio.to_thread(group_run, bench, run)
        parts = await asyncio.to_thread(count_parts, bench, run)
        return [Job(run.id, JUDGE, number) for number in range(parts)]
    return []


async def judge_job(bench: Bench, desk: JudgeDesk, job: Job) -> None:
    """Give the verdicts of one part of a run, in a thread: heartbeats go on meanwhile.

    Where the money ends, the run is held and its other parts are not begun.
    """
    run = await asyncio.to_thread(bench.read, lambda c: runs.load_run_by_id(c, job.run_id))
    if run.stage is Stage.JUDGE and run.state is runs.RunState.RUNNING:
        held = await asyncio.to_thread(desk.judge, run, job.subject_id)
        if held is not None:
            await bench.writer.do(lambda c: hold(c, job, held))


async def _finish(bench: Bench, run: runs.Run) -> None:
    """Do what the stages before left over, score the run, find what to tell of it, and end it."""
    await fetch_run(bench, run)
    choice = judge_choice(bench, run)
    await judge_and_score(bench, run, choice)
    await take_stock(bench, run)
    judge = shown_judge(bench, run, choice=choice)
    found = await asyncio.to_thread(find_alerts, bench, run, judge)
    await asyncio.to_thread(publish_linked, bench, run, judge, found)

    def end(connection: Connection) -> None:
        runs.move_stage(connection, run.id, None, left=Stage.FINISH)
        end_run(connection, bench, run.id, found)

    await bench.writer.do(end)


def hold(connection: Connection, job: Job, reason: str) -> None:
    """Let no further call of a run begin; what is under way ends, and the run is scored.

    Calls under way may settle for less than was reserved: `resume` uses what they give back.
    """
    run = runs.load_run_by_id(connection, job.run_id)
    if run.held is None:
        runs.hold_run(connection, job.run_id, reason)
        log("run_held", level="warning", run=run.public_id, reason=reason)
    queue.withdraw(connection, job.run_id)


def give_up(connection: Connection, bench: Bench, job: Job, reason: str) -> None:
    """Fail a run whose own step fails again and again; `resume` tries it once more."""
    run = runs.load_run_by_id(connection, job.run_id)
    if run.state is runs.RunState.RUNNING:
        runs.hold_run(connection, job.run_id, reason)
        queue.withdraw(connection, job.run_id)
        move_run(connection, bench, job.run_id, runs.RunState.FAILED)
    jobs.purge_jobs(connection, job.run_id)
