"""`monitor migrate-store`, `backup`, `restore` and `retain`: a store as a whole."""

import json
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import USER, complain
from monitor.cli.console import Bars, table
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.moving import Moved, move_store

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs.")]

_SHOWN = 20
"""Differences that are printed; the rest is counted."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("migrate-store")(migrate_store)


def migrate_store(
    to_database: Annotated[
        str, typer.Option("--to-database", help="sqlite:///PATH or postgresql://USER@HOST/NAME.")
    ],
    to_artifacts: Annotated[
        str, typer.Option("--to-artifacts", help="A folder, or an s3://, gs:// or az:// URL.")
    ],
    config: Config = None,
    verify_only: Annotated[
        bool, typer.Option("--verify-only", help="Compare both sides and write nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Copy the whole store to another place, then compare every row and every byte.

    What was cut goes on when it is called again. The store itself is not changed.
    """
    settings = load_settings(config)
    with Bars() as bars, open_bench(settings, bars, migrate=False) as bench:
        moved = move_store(bench, to_database, to_artifacts, verify_only=verify_only)
    if as_json:
        print(json.dumps(_moved_json(moved), ensure_ascii=True))
    else:
        _show(moved)
    return USER if moved.differences else 0


def _moved_json(moved: Moved) -> dict[str, object]:
    """A move for programs."""
    return {
        "schema": 1,
        "tables": {
            one.name: {"rows": one.there.rows, "sha256": one.there.sha256} for one in moved.tables
        },
        "artifacts": moved.artifacts,
        "pointers": moved.pointers,
        "differences": list(moved.differences),
    }


def _show(moved: Moved) -> None:
    """A move for people."""
    rows = [
        (
            one.name,
            str(one.here.rows),
            str(one.there.rows),
            "yes" if one.here == one.there else "NO",
            one.there.sha256[:16],
        )
        for one in moved.tables
    ]
    table("", ("table", "rows here", "rows there", "same", "sha256 there"), rows)
    for line in moved.differences[:_SHOWN]:
        complain(line)
    if len(moved.differences) > _SHOWN:
        complain(f"and {len(moved.differences) - _SHOWN} more")
    said = (
        f"{len(moved.differences)} differences" if moved.differences else "the same on both sides"
    )
    print(f"{moved.artifacts} artifacts and {moved.pointers} pointers compared; {said}")
