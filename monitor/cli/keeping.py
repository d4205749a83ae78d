"""`monitor migrate-store`, `backup`, `restore` and `retain`: a store as a whole."""

import json
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import USER, complain
from monitor.cli.console import Bars, table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.pipeline.backing import backup_store, restore_store
from monitor.pipeline.bench import open_bench
from monitor.pipeline.moving import Moved, move_store
from monitor.pipeline.retaining import retain

_SHOWN = 20
"""Differences that are printed; the rest is counted."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("migrate-store")(migrate_store)
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("retain")(retain_bytes)


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
    """Copy the whole store to another place, and compare both.

    Every row and every byte is compared. What was cut goes on when it is called again. The store
    itself is not changed.
    """
    settings = load_settings(config)
    with Bars() as bars, open_bench(settings, bars, migrate=False) as bench:
        moved = move_store(bench, to_database, to_artifacts, verify_only=verify_only)
    if as_json:
        print(json.dumps(_moved_json(moved), ensure_ascii=True))
    else:
        _show(moved)
        if not moved.differences:
            print("set store.database and store.artifacts to the new places to work there")
    return USER if moved.differences else 0


def backup(
    folder: Annotated[Path, typer.Argument(help="Folder of the backup; made if absent.")],
    config: Config = None,
) -> int:
    """Copy a store of SQLite to a folder, while runs go on.

    Called again, it adds what is new. For PostgreSQL see docs/backup.md.
    """
    settings = load_settings(config)
    with Bars() as bars:
        made = backup_store(settings, folder, bars)
    for line in made.missing[:_SHOWN]:
        complain(line)
    print(
        f"{folder}: {made.artifacts} artifacts and {made.pointers} pointers, {made.added} of the "
        f"artifacts new; {f'{len(made.missing)} missing' if made.missing else 'complete'}"
    )
    return USER if made.missing else 0


def restore(
    folder: Annotated[Path, typer.Argument(help="Folder that `monitor backup` wrote.")],
    config: Config = None,
) -> int:
    """Put a backup into the empty places that settings name."""
    settings = load_settings(config)
    with Bars() as bars:
        made = restore_store(settings, folder, bars)
    for line in made.missing[:_SHOWN]:
        complain(line)
    print(
        f"{settings.store.database}: restored with {made.artifacts} artifacts and {made.pointers} "
        f"pointers; {f'{len(made.missing)} missing' if made.missing else 'complete'}"
    )
    print("`monitor verify` reads the bytes of a run again; `monitor resume` goes on with one")
    return USER if made.missing else 0


def retain_bytes(
    config: Config = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would go, remove nothing.")
    ] = False,
) -> int:
    """Remove stored bytes older than `retention` allows.

    Rows, scorecards, labels and quotes stay, and `verify` says of the bytes that they were removed.
    """
    settings = load_settings(config)
    with Bars() as bars, open_bench(settings, bars) as bench:
        removed = retain(bench, dry_run=dry_run)
    if not removed:
        print("nothing to remove: no limit is set under `retention` (docs/settings.md)")
        return 0
    word = "to remove" if dry_run else "removed"
    print(", ".join(f"{count} {kind}" for kind, count in removed.items()) + f" {word}")
    return 0


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
    count = len(moved.differences)
    said = f"{count} difference{'s' * (count > 1)}" if count else "the same on both sides"
    print(f"{moved.artifacts} artifacts and {moved.pointers} pointers compared; {said}")
