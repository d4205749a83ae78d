"""`monitor report`, `export` and `verify`: what a run came to, and its proof."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.console import Bars
from monitor.cli.options import Config
from monitor.config.settings import load_settings
from monitor.errors import MonitorError, StoreError
from monitor.pipeline.bench import open_bench
from monitor.pipeline.exporting import export_csv, export_json, write_text
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.line import load_run
from monitor.pipeline.publishing import ReportFormat, publish_reports
from monitor.pipeline.verifying import run_manifest, verify_run, verify_store

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]

_SOUND = "This shows that nothing was altered or lost since it was stored, not who sent it."
_UNSOUND = "What is named above is no evidence any more: restore those files from a backup."


class Format(StrEnum):
    """What `export` writes."""

    CSV = "csv"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("report")(report)
    app.command("export")(export)
    app.command("verify")(verify)


def report(
    run_id: RunId = None,
    config: Config = None,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="html, pdf or both.")
    ] = ReportFormat.HTML,
    out: Annotated[
        Path | None, typer.Option(help="File to write; for both, its ending is replaced.")
    ] = None,
) -> int:
    """Write the report of a run, as HTML or as a PDF.

    The HTML file holds every answer; the PDF is to be handed on.
    """
    settings = load_settings(config)
    written: list[Path] = []
    try:
        with Bars() as bars, open_bench(settings, bars) as bench, bench.database.exclusive():
            run = load_run(bench, run_id)
            judge = shown_judge(bench, run)
            # What is written before a failure is kept, and is told.
            written.extend(publish_reports(bench, run, judge, out=out, form=form))
    finally:
        for path in written:
            print(f"report: {path}")
    return 0


def export(
    run_id: RunId = None,
    config: Config = None,
    file_format: Annotated[Format, typer.Option("--format", help="csv or json.")] = Format.JSON,
    out: Annotated[
        Path | None,
        typer.Option(help="json: a file (`-`: standard output); csv: a folder."),
    ] = None,
) -> int:
    """Write scorecards, families and citations of a run."""
    with open_bench(load_settings(config)) as bench:
        run = load_run(bench, run_id)
        if file_format is Format.CSV:
            if out is None:
                raise StoreError("csv writes several files: name a folder with --out")
            for path in export_csv(bench, run, out):
                print(path)
        elif out is None or str(out) == "-":
            print(export_json(bench, run))
        else:
            write_text(out, export_json(bench, run))
            print(out)
    return 0


def verify(
    run_id: RunId = None,
    config: Config = None,
    manifest: Annotated[Path | None, typer.Option(help="Saved manifest to hold against.")] = None,
    write_manifest: Annotated[Path | None, typer.Option(help="Write the manifest here.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Check what all runs refer to, each file once.")
    ] = False,
) -> int:
    """Check that the bytes behind a run are as they were stored."""
    if everything:
        if run_id is not None or manifest is not None or write_manifest is not None:
            raise MonitorError(
                "--all reads what every run refers to: leave out the run, --manifest and "
                "--write-manifest, or leave out --all"
            )
        return _verify_all(config)
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run = load_run(bench, run_id)
        found = verify_run(bench, run, manifest)
        if write_manifest is not None:
            write_text(write_manifest, run_manifest(bench, run).decode("ascii"))
    for one in found.missing:
        print(f"missing: {one}")
    for one in found.altered:
        print(f"altered: {one}")
    word = "sound" if found.sound else "NOT sound"
    print(f"{run.public_id}: {found.entries} artifacts, {word}; manifest {found.manifest_sha256}")
    if found.removed:
        print(f"removed by retention: {len(found.removed)}, among them {found.removed[-1]}")
    print(_SOUND if found.sound else _UNSOUND)
    return 0 if found.sound else 2


def _verify_all(config: Path | None) -> int:
    """Check everything that the store refers to."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        found = verify_store(bench)
    for one in found.missing:
        print(f"missing: {one}")
    for one in found.altered:
        print(f"altered: {one}")
    print(
        f"{found.entries} artifacts, {'sound' if found.sound else 'NOT sound'}; {found.removed} "
        f"removed by retention, {found.orphans} that nothing here refers to"
    )
    print(_SOUND if found.sound else _UNSOUND)
    return 0 if found.sound else 2
