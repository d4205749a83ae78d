"""The straight line of one run: plan, capture, fetch, judge, score, tell."""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from monitor.config.logs import about
from monitor.config.settings import Settings
from monitor.domain.moments import utc_second
from monitor.durable import Failure
from monitor.errors import BudgetError, PanelError, RunCancelledError, StoreError
from monitor.judge.erring import Errors
from monitor.pipeline.alarming import take_stock
from monitor.pipeline.alerting import EngineFindings, find_alerts
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import capture_run
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.first_run import none_yet
from monitor.pipeline.judge_choice import judge_choice, require_judge
from monitor.pipeline.judges import opened_judge, shown_judge
from monitor.pipeline.notifying import deliver_due, delivering
from monitor.pipeline.paging import fetch_run
from monitor.pipeline.planning import Plan
from monitor.pipeline.publishing import publish_linked
from monitor.pipeline.reaching import require_runner
from monitor.pipeline.run_judge import JudgeChoice
from monitor.pipeline.run_states import (
    end_run,
    hold_back,
    queue_run,
    refuse_workers,
    renew_run,
    take_run,
)
from monitor.pipeline.tallying import score_engines
from monitor.store import Connection, captures, panels, runs

_SLOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,99}")
"""A slot is part of run names, of file names and of what people type."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What working on a run came to."""

    run: runs.Run
    failures: tuple[Failure, ...]
    errors: Errors = field(default_factory=Errors)
    """Verdicts given by this process that are errors of the judge."""


def now_slot(now: datetime) -> str:
    """Slot of a run that was asked for by hand: the UTC second."""
    return utc_second(now)


def start_run(
    bench: Bench, files: PanelFiles, plan: Plan, *, slot: str, caps: runs.Caps
) -> runs.Run:
    """Store panel, baseline and the planned captures; the same slot gives the same run."""
    return bench.write(run_start(bench, files, plan, slot=slot, caps=caps))


def run_start(
    bench: Bench, files: PanelFiles, plan: Plan, *, slot: str, caps: runs.Caps
) -> Callable[[Connection], runs.Run]:
    """The change of the store that `start_run` makes, for a transaction that does more."""
    require_runner(bench.settings)
    panel = files.panel
    if panel is None:
        raise PanelError(f"{files.path}: no panel in this file")
    if not _SLOT.fullmatch(slot):
        raise StoreError(
            f"slot {slot[:100]!r}: expected up to 100 letters, digits and _.:+- starting with a "
            "letter or digit, as in 2026-10"
        )
    if slot.startswith(runs.IMPORTS):
        raise StoreError(
            f"slot {slot!r}: slots that begin with {runs.IMPORTS} are of `monitor import`"
        )
    if not plan.engines:
        reasons = "; ".join(f"{s.engine}: {s.reason}" for s in plan.skipped)
        raise PanelError(f"panel {panel.name}: no engine can be asked ({reasons})")
    at = bench.clock.now()

    def save(connection: Connection) -> runs.Run:
        panel_id = panels.save_panel(connection, panel, saved_at=at)
        if files.baseline is not None:
            panels.save_baseline(connection, files.baseline, files.baseline_text or "", saved_at=at)
        return runs.plan_run(
            connection,
            panel_id,
            slot,
            plan.engines,
            caps=caps,
            config=run_config(bench.settings) | {runs.PARTIAL: plan.partial},
            at=at,
        )

    return save


def run_config(settings: Settings) -> dict[str, object]:
    """Settings as a run records them: no store address, which may hold a password."""
    kept: dict[str, object] = settings.model_dump(mode="json", exclude={"store"})
    return kept


def load_run(bench: Bench, name: str | None, *, panel: str | None = None) -> runs.Run:
    """The run of a public id or of a slot that only one run has; without a name, the newest.

    `panel` keeps to the runs of one panel.
    """
    named = bench.read(lambda c: _named(c, name, panel))
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(r.public_id for r in named[:8])
        raise StoreError(f"slot {name!r} is that of several runs, name one of them: {ids}")
    newest = bench.read(lambda c: runs.list_runs(c, panel, limit=8))
    known = ", ".join(r.public_id for r in newest) or none_yet()
    asked = "yet" if name is None else repr(name[:100])
    raise StoreError(f"no run {asked}; runs: {known}")


def _named(
    connection: Connection, name: str | None, panel: str | None = None
) -> tuple[runs.Run, ...]:
    """The run with that public id, or else all runs of that slot; without a name, the newest."""
    if name is None:
        return runs.list_runs(connection, panel, limit=1)
    exact = runs.load_run(connection, name)
    if exact is not None and panel in {None, exact.panel}:
        return (exact,)
    return runs.list_runs(connection, panel, slot=name)


def load_pair(bench: Bench, before: str, after: str) -> tuple[runs.Run, runs.Run]:
    """Two runs by public id or slot; a slot is looked for among the runs of the other's panel."""
    found = tuple(bench.read(partial(_named, name=name)) for name in (before, after))
    shared = {r.panel for r in found[0]} & {r.panel for r in found[1]}
    if len(shared) != 1:
        return load_run(bench, before), load_run(bench, after)
    (panel,) = shared
    return load_run(bench, before, panel=panel), load_run(bench, after, panel=panel)


def hand_over(
    bench: Bench, run: runs.Run, *, judge_name: str | None, again: bool = False
) -> Worked:
    """See to it that a planned run is worked on: by this process, or by whoever is there for it.

    The local runner works here and returns when the run has ended; with workers it returns at once.
    Without the name of a judge the run keeps its own, or begins with that of the settings. `again`
    has questions asked anew whose stored replies nobody could use: only by this process.
    """
    _refuse_again(bench, run, again=again)
    if bench.settings.runner.name == "pgqueuer":
        choice = _choice(bench, run, judge_name)
        return _leave(bench, run, lambda c: queue_run(c, bench, run, judge=choice))
    return work_on(bench, run, judge_name=judge_name, again=again)


def work_on(bench: Bench, run: runs.Run, *, judge_name: str | None, again: bool = False) -> Worked:
    """Take a run from wherever it stands to its scorecards, in this process."""
    with bench.database.exclusive(), about(run=run.public_id):
        return asyncio.run(_work(bench, run, judge_name=judge_name, again=again))


def resume_run(
    bench: Bench,
    run: runs.Run,
    caps: runs.Caps,
    *,
    judge_name: str | None,
    again: bool = False,
) -> Worked:
    """Go on with a run under these caps, with every try again for what was given up.

    It keeps its judge, unless another one is named.
    """
    _refuse_again(bench, run, again=again)
    choice = _choice(bench, replace(run, caps=caps), judge_name)
    if bench.settings.runner.name == "pgqueuer":

        def renew(connection: Connection) -> runs.Run:
            fresh = renew_run(connection, run, caps)
            return queue_run(connection, bench, fresh, judge=choice)

        return _leave(bench, run, renew)

    def renew_alone(connection: Connection) -> runs.Run:
        refuse_workers(connection, run.id)
        return renew_run(connection, run, caps)

    with bench.database.exclusive(), about(run=run.public_id):
        fresh = bench.write(renew_alone)
        return asyncio.run(_work(bench, fresh, judge_name=judge_name, again=again))


def _refuse_again(bench: Bench, run: runs.Run, *, again: bool) -> None:
    """StoreError where asking anew is another command's work."""
    if again and (bench.settings.runner.name == "pgqueuer" or run.state is runs.RunState.DONE):
        is_done = run.state is runs.RunState.DONE
        why = "is done" if is_done else "is left to workers; once it has ended"
        raise StoreError(
            f"{run.public_id} {why}, `monitor rejudge {run.public_id} --again` "
            "asks anew what nobody could use"
        )


def _leave(bench: Bench, run: runs.Run, change: Callable[[Connection], runs.Run]) -> Worked:
    """The run, left to workers by a change, unless a process works on it alone."""
    require_runner(bench.settings)
    alone = run.state is runs.RunState.RUNNING and run.stage is None
    with bench.database.exclusive() if alone else nullcontext():
        return Worked(bench.write(change), ())


def _choice(bench: Bench, run: runs.Run, named: str | None) -> JudgeChoice:
    """The judge of a run, which can be asked; a MonitorError comes before anything is paid."""
    choice = judge_choice(bench, run, named)
    require_judge(bench.settings, choice)
    return choice


async def _work(
    bench: Bench, run: runs.Run, *, judge_name: str | None, again: bool = False
) -> Worked:
    """Capture, fetch, judge, score and tell; every step skips what is done."""
    choice = _choice(bench, run, judge_name)
    left = await asyncio.to_thread(bench.read, lambda c: captures.count_open(c, run.id))
    if run.state is runs.RunState.DONE and not left:
        return Worked(run, ())

    def take(connection: Connection) -> None:
        refuse_workers(connection, run.id)
        # Every cap is asked again.
        runs.hold_run(connection, run.id, None)
        take_run(connection, bench, run.id, judge=choice)

    await bench.writer.do(take)
    found: Sequence[EngineFindings] = ()
    errors = Errors()
    async with delivering(bench):
        failures = await capture_run(bench, run)
        if not any(isinstance(one.error, RunCancelledError) for one in failures):
            await _hold(bench, run, failures)
            await fetch_run(bench, run)
            errors = await judge_and_score(bench, run, choice, again=again)
            await take_stock(bench, run)
            shown = shown_judge(bench, run, choice=choice)
            found = await asyncio.to_thread(find_alerts, bench, run, shown)
            await asyncio.to_thread(publish_linked, bench, run, shown, found)
    run = await bench.writer.do(lambda c: end_run(c, bench, run.id, found))
    await deliver_due(bench, patience=_PING_PATIENCE)
    return Worked(run, failures, errors)


_PING_PATIENCE = 20.0
"""Seconds for a ping that fails: the next process to try it again may be that of next month."""


async def judge_and_score(
    bench: Bench, run: runs.Run, choice: JudgeChoice, *, again: bool = False
) -> Errors:
    """Give the verdicts that are missing and score a run; it is held where the money ends.

    Returns the verdicts that are errors.
    """
    with opened_judge(bench, choice, run_id=run.id, again=again) as judge:
        try:
            await asyncio.to_thread(score_engines, bench, run, judge)
        except asyncio.CancelledError:
            # The thread is waited for; what it would still pay is not.
            judge.stop("stopped; `monitor resume` goes on")
            raise
        held = judge.held
    if held is not None:
        await bench.writer.do(lambda c: hold_back(c, run.id, held))
    return judge.errors


async def _hold(bench: Bench, run: runs.Run, failures: tuple[Failure, ...]) -> None:
    """Note which cap ended the calls of a run, where one did."""
    reason = next((str(p.error) for p in failures if isinstance(p.error, BudgetError)), None)
    if reason is not None:
        await bench.writer.do(lambda c: hold_back(c, run.id, reason))
