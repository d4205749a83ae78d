"""`monitor serve`: the web application, health and metrics over HTTP."""

from importlib import import_module
from typing import Annotated

import typer

from monitor.cli.options import Config
from monitor.config.logs import configure_logs
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.reaching import require_sandbox

WEB = "monitor.web.serving"
"""The door beside this one: doors do not import each other, so it is named and loaded."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("serve")(serve)


def serve(
    config: Config = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; default from settings.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port, 0 for a free one; default from settings."),
    ] = None,
    with_schedule: Annotated[
        bool, typer.Option("--with-schedule", help="Also start panels' runs when they are due.")
    ] = False,
    hours: Annotated[
        float | None, typer.Option(min=0, help="End by itself after so many hours.")
    ] = None,
    open_to_anyone: Annotated[
        bool,
        typer.Option(
            "--open-to-anyone",
            help="Listen where others can connect, without a password: they can read everything.",
        ),
    ] = False,
) -> int:
    """Serve the web application, /health and /metrics.

    It serves until told to stop: on this machine alone, unless there is an account with a password
    or the settings trust a proxy in front.
    """
    settings = load_settings(config)
    configure_logs(settings.health, service=True)
    if with_schedule:
        require_sandbox(settings)
    web = import_module(WEB)
    door = web.Door(
        host=settings.web.host if host is None else host,
        port=settings.web.port if port is None else port,
        with_schedule=with_schedule,
        open_to_anyone=open_to_anyone,
        seconds=None if hours is None else hours * 3600,
    )
    with open_bench(settings) as bench:
        web.serve(bench, door, lambda address: print(f"listening on {address}", flush=True))
    return 0
