"""`monitor reparse`, `refetch`, `rejudge`, `rescore`: any stage again, from what is stored."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.console import Bars
from monitor.config.settings import load_settings
from monitor.judge import make_judge
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.line import load_run
from monitor.pipeline.paging import fetch_run
from monitor.pipeline.reaching import require_sandbox
from monitor.pipeline.tallying import score_engines
from monitor.store import runs

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]
Config = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
JudgeName = Annotated[str | None, typer.Option("--judge", help="Judge; default from settings.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("reparse")(reparse)
    app.command("refetch")(refetch)
    app.command("rejudge")(rejudge)
    app.command("rescore")(rescore)


def reparse(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Read the stored payloads again, then judge and score."""

    def stage(bench: Bench, run: runs.Run) -> str:
        read = reparse_run(bench, run)
        if run.state in runs.TELLING:
            stock_of(bench, run)
        return f"{read} captures read again, "

    return _again(stage, run_id, config, judge)


def refetch(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Fetch the cited pages again, then judge and score."""

    def stage(bench: Bench, run: runs.Run) -> str:
        require_sandbox(bench.settings)
        return f"{asyncio.run(fetch_run(bench, run, again=True))} pages fetched again, "

    return _again(stage, run_id, config, judge)


def rejudge(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Give verdicts where this judge has none yet, then score."""
    return _again(_nothing, run_id, config, judge)


def rescore(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Score stored evidence by the settings and baseline of now."""
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
        # An unknown judge fails before any work.
        chosen = make_judge(judge or bench.settings.judge.name)
        with bench.database.exclusive():
            done = stage(bench, run)
            score_engines(bench, run, chosen)
        print(f"{run.public_id}: {done}judged by {chosen.version} and scored")
    return 0
