"""States of a run: taken up, queued, ended, renewed, cancelled; each move is one transaction.

A move and what is told about it are stored together, so that a killed process neither tells twice
nor forgets to tell.
"""

from collections.abc import Sequence

from monitor.config.logs import log
from monitor.domain.job import Stage
from monitor.errors import StoreError
from monitor.pipeline.alerting import EngineFindings, keep_alerts
from monitor.pipeline.bench import Bench
from monitor.pipeline.notifying import announce
from monitor.pipeline.run_judge import JudgeChoice
from monitor.store import Connection, captures, jobs, queue, runs


def move_run(connection: Connection, bench: Bench, run_id: int, state: runs.RunState) -> runs.Run:
    """The run, moved to a state and announced, unless it is there already."""
    run = runs.load_run_by_id(connection, run_id)
    if run.state is state:
        return run
    at = bench.clock.now()
    run = runs.set_run_state(connection, run_id, state, at=at)
    announce(connection, bench.settings, run, at=at)
    log("run_moved", run=run.public_id, state=run.state.value, reason=run.held)
    return run


def take_run(connection: Connection, bench: Bench, run_id: int, *, judge: JudgeChoice) -> runs.Run:
    """The run, worked on from now on by whoever calls, and judged by this judge to its end."""
    runs.set_judge(connection, run_id, judge.name, judge.version, splitter=judge.splitting)
    return move_run(connection, bench, run_id, runs.RunState.RUNNING)


def end_run(
    connection: Connection, bench: Bench, run_id: int, found: Sequence[EngineFindings] = ()
) -> runs.Run:
    """The run, done or incomplete as its captures and verdicts say; a cancelled one stays so.

    What was found to be told about it is kept in the same transaction.
    """
    run = runs.load_run_by_id(connection, run_id)
    jobs.purge_jobs(connection, run_id)
    if run.state is runs.RunState.CANCELLED:
        return run
    keep_alerts(connection, bench, run, found)
    left = captures.count_open(connection, run_id) or run.held is not None
    ended = runs.RunState.INCOMPLETE if left else runs.RunState.DONE
    return move_run(connection, bench, run_id, ended)


def refuse_workers(connection: Connection, run_id: int) -> None:
    """StoreError where a run was left to workers: two at one run would pay for its calls twice."""
    run = runs.load_run_by_id(connection, run_id)
    if run.state is runs.RunState.RUNNING and run.stage is not None:
        raise StoreError(
            f"{run.public_id} was left to workers, and runner.name is local: set it to pgqueuer "
            f"and let `monitor worker` end the run, or `monitor cancel {run.public_id}`"
        )


def queue_run(
    connection: Connection, bench: Bench, run: runs.Run, *, judge: JudgeChoice
) -> runs.Run:
    """The run, left to the workers: its captures are in the queue when this is committed."""
    if run.state in {runs.RunState.DONE, runs.RunState.CANCELLED}:
        return run
    run = take_run(connection, bench, run.id, judge=judge)
    if run.stage is None:
        runs.move_stage(connection, run.id, Stage.CAPTURES, left=None)
    while planned := queue.unqueued_captures(connection, run.id, _AT_ONCE):
        queue.enqueue(connection, planned)
    return runs.load_run_by_id(connection, run.id)


_AT_ONCE = 100_000
"""Captures that are put into the queue together: each time, the whole run is looked through."""


def hold_back(connection: Connection, run_id: int, reason: str) -> None:
    """Note why no further call of a run is made, unless it is held for another reason already."""
    run = runs.load_run_by_id(connection, run_id)
    if run.held is None and run.state is not runs.RunState.CANCELLED:
        runs.hold_run(connection, run_id, reason)
        log("run_held", level="warning", run=run.public_id, reason=reason)


def renew_run(connection: Connection, run: runs.Run, caps: runs.Caps) -> runs.Run:
    """The run, ready to go on where it ended: under these caps, with every try again."""
    if run.state is runs.RunState.CANCELLED:
        raise StoreError(
            f"{run.public_id} is cancelled and stays so: plan a new run with `monitor run`"
        )
    if caps != run.caps:
        runs.set_caps(connection, run.id, caps)
    runs.hold_run(connection, run.id, None)
    jobs.revive_jobs(connection, run.id)
    if run.state in runs.FINAL:
        runs.move_stage(connection, run.id, None, left=run.stage)
    return runs.load_run_by_id(connection, run.id)


def cancel_run(connection: Connection, bench: Bench, run: runs.Run) -> runs.Run:
    """The run, cancelled for good; calls under way end, no other one begins."""
    if run.state is runs.RunState.DONE:
        raise StoreError(f"{run.public_id} is done: there is nothing to cancel")
    if not bench.database.is_sqlite and queue.has_queue(connection):
        queue.withdraw(connection, run.id)
    return move_run(connection, bench, run.id, runs.RunState.CANCELLED)
