"""`monitor report` and `export`: what a run came to, and everything behind it to hand on."""

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
from monitor.pipeline.proving_archives import export_wacz, export_warc
from monitor.pipeline.proving_bundles import export_bundle, run_of_capture
from monitor.pipeline.publishing import ReportFormat, publish_reports

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]


class Format(StrEnum):
    """What `export` writes."""

    CSV = "csv"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("report")(report)
    app.command("export")(export)


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
    file_format: Annotated[
        Format | None, typer.Option("--format", help="csv or json; default: json.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="json: a file (`-`: standard output); csv: a folder."),
    ] = None,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Write answers, pictures, pages and proofs as one FILE.zip."),
    ] = None,
    warc: Annotated[
        Path | None, typer.Option(help="Write the same as a web archive FILE.warc.gz.")
    ] = None,
    wacz: Annotated[
        Path | None, typer.Option(help="Write the same as a web archive FILE.wacz.")
    ] = None,
    capture: Annotated[
        int | None, typer.Option(help="Only this capture; with --bundle, --warc or --wacz.")
    ] = None,
) -> int:
    """Write the numbers and citations of a run, or its evidence.

    A bundle opens offline in a browser, and `monitor verify FILE.zip` checks it (docs/evidence.md).
    """
    archives = {"--bundle": bundle, "--warc": warc, "--wacz": wacz}
    named = {name: path for name, path in archives.items() if path is not None}
    if named:
        if file_format is not None or out is not None:
            raise MonitorError(
                f"--format and --out are of figures, {next(iter(named))} of evidence"
            )
        return _export_evidence(config, run_id, named, capture)
    if capture is not None:
        raise MonitorError("--capture is of evidence: name a file by --bundle, --warc or --wacz")
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


def _export_evidence(
    config: Path | None, run_id: str | None, named: dict[str, Path], capture: int | None
) -> int:
    """Write evidence of a run or of one capture to each of the files that were named."""
    write = {"--bundle": export_bundle, "--warc": export_warc, "--wacz": export_wacz}
    endings = {"--bundle": ".zip", "--warc": ".warc.gz", "--wacz": ".wacz"}
    for name, path in named.items():
        if not path.name.lower().endswith(endings[name]):
            raise MonitorError(f"{name} {path}: expected a name that ends in {endings[name]}")
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run = run_of_capture(bench, capture) if capture and not run_id else load_run(bench, run_id)
        for name, path in named.items():
            count = write[name](bench, run, path, capture_id=capture)
            print(f"{path}: {count} capture{'' if count == 1 else 's'} of {run.public_id}")
    return 0
