"""`monitor reparse`, `refetch`, `rejudge`, `rescore`: any stage again, from what is stored."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import INCOMPLETE, complain
from monitor.cli.console import Bars
from monitor.cli.options import Again, Config
from monitor.config.parts import MOST_CALLS, MOST_USD
from monitor.config.settings import load_settings
from monitor.domain.money import micros_of
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.judge_choice import judge_choice
from monitor.pipeline.judges import opened_judge, shown_judge
from monitor.pipeline.judges_at_hand import PAID
from monitor.pipeline.line import load_run
from monitor.pipeline.paging import fetch_run
from monitor.pipeline.reaching import require_sandbox
from monitor.pipeline.rejudging import change_judge, rejudge_run, unjudged
from monitor.pipeline.tallying import score_engines
from monitor.store import runs

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]
JudgeName = Annotated[
    str | None, typer.Option("--judge", help="Another judge, for all of the run; default: its own.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("reparse")(reparse)
    app.command("refetch")(refetch)
    app.command("rejudge")(rejudge)
    app.command("rescore")(rescore)


def reparse(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Read the stored payloads again, then judge and score.

    A judge that is paid is not asked: `monitor rejudge` does that.
    """

    def stage(bench: Bench, run: runs.Run) -> str:
        read = reparse_run(bench, run)
        if run.state in runs.TELLING:
            stock_of(bench, run)
        return f"{read} captures read again, "

    return _again(stage, run_id, config, judge)


def refetch(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Fetch the cited pages again, then judge and score.

    A judge that is paid is not asked: `monitor rejudge` does that.
    """

    def stage(bench: Bench, run: runs.Run) -> str:
        require_sandbox(bench.settings)
        return f"{asyncio.run(fetch_run(bench, run, again=True))} pages fetched again, "

    return _again(stage, run_id, config, judge)


def rejudge(
    run_id: RunId = None,
    config: Config = None,
    judge: JudgeName = None,
    budget_calls: Annotated[
        int | None, typer.Option(min=0, max=MOST_CALLS, help="Cap on calls of the whole run.")
    ] = None,
    budget_usd: Annotated[
        float | None,
        typer.Option(
            "--budget", "--budget-usd", min=0, max=MOST_USD, help="Cap on its money in USD."
        ),
    ] = None,
    again: Again = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print how many verdicts are missing, and their cost.")
    ] = False,
) -> int:
    """Give verdicts where this judge has none yet, then score.

    A judge that is paid is asked under the caps of the run, which may be raised here.
    """
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run = load_run(bench, run_id)
        choice = judge_choice(bench, run, judge)
        if dry_run:
            print(unjudged(bench, run, choice).shown)
            return 0
        caps = runs.Caps(
            calls=run.caps.calls if budget_calls is None else budget_calls,
            micros=run.caps.micros if budget_usd is None else micros_of(budget_usd),
        )
        with bench.database.exclusive():
            done = rejudge_run(bench, run, choice, caps, again=again)
        if errors := done.errors.shown(f"`monitor rejudge {run.public_id} --again`"):
            complain(f"{run.public_id}: {errors}")
        if done.held is None:
            print(f"{run.public_id}: judged by {choice.version} and scored")
            return 0
        complain(
            f"{run.public_id}: verdicts are pending: {done.held}; then "
            f"`monitor rejudge {run.public_id}` gives those that are missing"
        )
        return INCOMPLETE


def rescore(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Score stored evidence by the settings and baseline of now.

    A judge that is paid is not asked: `monitor rejudge` does that.
    """
    return _again(_nothing, run_id, config, judge)


Stage = Callable[[Bench, runs.Run], str]
"""Work before judging and scoring; returns what it did, to be printed."""


def _nothing(bench: Bench, run: runs.Run) -> str:  # noqa: ARG001 - the signature of a stage
    """Judging and scoring are all there is to do."""
    return ""


def _again(stage: Stage, run_id: str | None, config: Path | None, judge: str | None) -> int:
    """Do one stage of a stored run again, then judge what has no verdict yet and score."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run = load_run(bench, run_id)
        # A judge that is unknown, or another version of the run's, fails before any work.
        choice = judge_choice(bench, run, judge)
        with bench.database.exclusive():
            done = stage(bench, run)
            if choice.name in PAID or choice.splitting is not None:
                pending = score_engines(bench, run, shown_judge(bench, run, choice=choice))
            else:
                with opened_judge(bench, choice, run_id=run.id) as chosen:
                    pending = score_engines(bench, run, chosen)
            if not pending:
                change_judge(bench, run, choice)
        if pending:
            complain(
                f"{run.public_id}: {done}{pending} or more verdicts of {choice.version} are "
                f"missing, so its scores stay as they were; `monitor rejudge {run.public_id} "
                f"--judge {choice.name} --dry-run` tells what they would cost"
            )
            return INCOMPLETE
        print(f"{run.public_id}: {done}judged by {choice.version} and scored")
    return 0
