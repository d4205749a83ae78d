"""`monitor surfaces`: which are on, why others are not; sign in by hand; lift a stop."""

import asyncio
import json
from typing import Annotated

import typer

from monitor.cli.console import OUT, table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.live_surfaces import (
    SurfaceStanding,
    resume_surface,
    sign_in,
    sign_in_folder,
    surface_standings,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a browser surface.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(
        help="List browser surfaces: on or off and why, stops, captures.",
        invoke_without_command=True,
        callback=surfaces,
    )
    group.command("login")(login)
    group.command("resume")(resume)
    app.add_typer(group, name="surfaces")


def surfaces(context: typer.Context, config: Config = None, as_json: AsJson = False) -> int:
    """List browser surfaces: on or off and why, stops, captures."""
    if context.invoked_subcommand is not None:
        return 0
    with open_bench(load_settings(config)) as bench:
        found = surface_standings(bench)
    if as_json:
        body = {"schema": 1, "surfaces": [one.as_json() for one in found]}
        print(json.dumps(body, ensure_ascii=True))
        return 0
    table(
        "",
        ("surface", "state", "session", "terms", "acknowledged", "captures today"),
        [_row(one) for one in found],
        texts=5,
    )
    for one in found:
        if one.off is not None:
            OUT.print(f"{one.name}: {one.off}")
        elif one.state.stopped_at is not None:
            OUT.print(f"{one.name}: {one.state.refusal(None, one.state.stopped_at)}")
        if one.terms is not None:
            OUT.print(f"{one.name}: {one.terms.name}: {one.terms.says}")
    return 0


def _row(one: SurfaceStanding) -> tuple[str, ...]:
    state = "off" if one.off else "stopped" if one.state.stopped_at else "on"
    cap = "" if one.daily_cap is None else f" of {one.daily_cap}"
    return (
        one.name,
        state,
        one.session,
        one.terms.url if one.terms else "none: our own page",
        one.acknowledged or "",
        f"{one.captures_today}{cap}",
    )


def login(name: Name, config: Config = None) -> int:
    """Open a surface's profile in a window, to sign in by hand.

    It ends when the window is closed. Nothing is typed or read.
    """
    settings = load_settings(config)
    folder = sign_in_folder(settings, name)
    OUT.print(f"Sign in to {name} in the window that opens, then close the window.")
    asyncio.run(sign_in(settings, name, folder))
    OUT.print(f"kept in {folder}: whoever can read that folder can act as you")
    return 0


def resume(name: Name, config: Config = None) -> int:
    """Lift the stop of a surface, once you looked at it by hand."""
    with open_bench(load_settings(config)) as bench:
        was = resume_surface(bench, name)
    OUT.print(f"{name} may be captured again" if was else f"{name} was not stopped")
    return 0
