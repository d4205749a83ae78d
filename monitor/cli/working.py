"""`monitor worker`: one of any number of processes that do the jobs of runs."""

import asyncio
import signal
from typing import Annotated

import typer

from monitor.cli import complain
from monitor.cli.options import Config
from monitor.config.logs import configure_logs
from monitor.config.settings import load_settings
from monitor.errors import ConfigError
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.reaching import require_sandbox


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("worker")(worker)


def worker(
    config: Config = None,
    queues: Annotated[
        str, typer.Option(help="Kinds of jobs to take, joined by commas.")
    ] = "capture,browser,pages,judge",
) -> int:
    """Do the jobs of runs until told to stop.

    What was begun is done first. Needs PostgreSQL and runner.name pgqueuer. Any number of workers
    share the caps and limits of the settings, which must be the same for all of them.
    """
    settings = load_settings(config)
    configure_logs(settings.health, service=True)
    require_sandbox(settings)
    kinds = [kind.strip() for kind in queues.split(",") if kind.strip()]
    with open_bench(settings) as bench:
        asyncio.run(_serve(bench, kinds))
    return 0


async def _serve(bench: Bench, kinds: list[str]) -> None:
    """Serve until a signal comes; a second one ends the process at once."""
    try:
        from monitor.pipeline.working import serve_jobs  # PgQueuer is part of an extra
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"workers need the package {error.name}: install this project with its extra `postgres`"
        ) from error
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end(number: signal.Signals) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        complain(f"{number.name}: ending what was begun; once more to stop at once")
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end, number)
    await serve_jobs(bench, kinds, stop)
