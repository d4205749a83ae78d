"""The one place where a judge is opened: with its key, its money and its client.

A run keeps the judge it begins with, and that judge's version (`judge_choice`). Stages that are to
pay open it (`opened_judge`); doors that only show take `shown_judge`, which asks nobody that is
paid.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from monitor.errors import JudgeError, MonitorError
from monitor.judge.erring import Errors
from monitor.judge.llm import Means, llm_client, llm_judge, llm_splitter
from monitor.pipeline.bench import Bench
from monitor.pipeline.judge_choice import judge_choice, require_judge
from monitor.pipeline.judge_ledger import RunJudgeLedger
from monitor.pipeline.judges_at_hand import PAID, api_key, free_judge
from monitor.pipeline.run_judge import JudgeChoice, RunJudge
from monitor.store import runs
from monitor.store.judge_spend import IN_SETTINGS
from monitor.store.runs import Caps


@contextmanager
def opened_judge(
    bench: Bench,
    choice: JudgeChoice,
    *,
    run_id: int | None,
    caps: Caps | None = None,
    raised: str = IN_SETTINGS,
    again: bool = False,
) -> Iterator[RunJudge]:
    """A judge that may be asked, while the block lasts.

    What is paid is paid for a run, under its caps, or for none, under `caps`, which are
    raised as `raised` says. With `again`,
    questions whose stored replies nobody could use are asked anew. JudgeError where it cannot be
    asked, or where the settings make another version of it than the chosen one.
    """
    require_judge(bench.settings, choice)
    if choice.name not in PAID and choice.splitting is None:
        free = free_judge(choice.name, bench.settings)
        yield RunJudge(_same(free.version, choice), free)
        return
    ledger = RunJudgeLedger(bench, choice.version, run_id=run_id, caps=caps, raised=raised)
    part, splitter = bench.settings.judge.llm, None
    with llm_client(part) as client:
        means = Means(ledger, bench.artifacts, bench.clock, client, random.random, again=again)
        if choice.splitting is not None:
            split = replace(means, ledger=ledger.beside(choice.splitting))
            splitter = llm_splitter(part, split, key=api_key(part))
        opened = RunJudge(
            choice.version,
            None,
            choice.splitting,
            splitter,
            stop=ledger.stop,
            spent=lambda: ledger.spent.micros or 0,
        )
        if choice.name in PAID:
            model = llm_judge(part, means, key=api_key(part))
            opened.judge, opened.replays = model, lambda: model.replayed
            opened.errors = Errors(model.estimate)
        else:
            opened.judge = free_judge(choice.name, bench.settings)
        _same(opened.judge.version, choice)
        yield opened


def _same(version: str, choice: JudgeChoice) -> str:
    """The version of a judge; JudgeError where it is not the chosen one."""
    if version != choice.version:
        raise JudgeError(
            f"the judge {choice.name} is {version} under the settings of now, and {choice.version} "
            f"is wanted: put the settings back, or say --judge {choice.name} to change it"
        )
    return version


def shown_judge(bench: Bench, run: runs.Run, *, choice: JudgeChoice | None = None) -> RunJudge:
    """The judge of a run for a door that only shows, and pays nothing.

    One that is paid, and one that is not to be had any more, is not asked: what the store does not
    have is pending.
    """
    made = choice or _kept(run) or judge_choice(bench, run)
    if made.name in PAID:
        return RunJudge(made.version, None, made.splitting)
    try:
        free = free_judge(made.name, bench.settings)
    except MonitorError:
        if choice is not None or run.judge_version is None:
            raise
        return RunJudge(made.version, None, made.splitting)
    return RunJudge(free.version, free, made.splitting)


@contextmanager
def comparing_judge(bench: Bench, run: runs.Run, micros: int | None) -> Iterator[RunJudge]:
    """The judge of a run that others are compared with; asked only where money is given for it."""
    shown = shown_judge(bench, run)
    if micros is None or (shown.judge is not None and shown.splitting is None):
        yield shown
        return
    with opened_judge(
        bench,
        judge_choice(bench, run),
        run_id=None,
        caps=Caps(micros=micros),
        raised="give a higher --judge-usd",
    ) as judge:
        yield judge


def _kept(run: runs.Run) -> JudgeChoice | None:
    """The judge that a run began with; None where it did not begin, or nobody noted it."""
    if run.judge is None or run.judge_version is None:
        return None
    return JudgeChoice(run.judge, run.judge_version, run.splitter_version)
