"""`monitor reparse`, `refetch`, `rejudge`, `rescore`: any stage again, from what is stored."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.console import Bars
from monitor.config.settings import load_settings
from monitor.domain.claim import Judge
from monitor.judge import make_judge
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.line import load_run, sole_worker
from monitor.pipeline.paging import fetch_run
from monitor.pipeline.tallying import score_run

RunId = Annotated[str | None, typer.Argument(help="Public id of a run; default: the newest.")]
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
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run, chosen = load_run(bench, run_id), _judge(bench, judge)
        with sole_worker(bench):
            done = reparse_run(bench, run)
            score_run(bench, run, chosen)
        print(f"{run.public_id}: {done} captures read again and scored")
    return 0


def refetch(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Fetch the cited pages again, then judge and score."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run, chosen = load_run(bench, run_id), _judge(bench, judge)
        with sole_worker(bench):
            done = asyncio.run(fetch_run(bench, run, again=True))
            score_run(bench, run, chosen)
        print(f"{run.public_id}: {done} pages fetched again and scored")
    return 0


def rejudge(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Give verdicts where this judge has none yet, then score."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run, chosen = load_run(bench, run_id), _judge(bench, judge)
        with sole_worker(bench):
            score_run(bench, run, chosen)
        print(f"{run.public_id}: judged by {chosen.version} and scored")
    return 0


def rescore(run_id: RunId = None, config: Config = None, judge: JudgeName = None) -> int:
    """Score from stored evidence under the settings and baseline of now."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run, chosen = load_run(bench, run_id), _judge(bench, judge)
        with sole_worker(bench):
            score_run(bench, run, chosen)
        print(f"{run.public_id}: scored")
    return 0


def _judge(bench: Bench, name: str | None) -> Judge:
    """The judge asked for, or the one of the settings; unknown ones fail before any work."""
    return make_judge(name or bench.settings.judge.name)
