"""`monitor compare`, `report`, `export` and `verify`: what a run came to, and its proof."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.console import OUT, Bars, table
from monitor.config.settings import load_settings
from monitor.domain.change import Change, Comparison, Side
from monitor.errors import MonitorError, StoreError
from monitor.judge import make_judge
from monitor.pipeline.bench import open_bench
from monitor.pipeline.comparing import compare_runs, comparison_json
from monitor.pipeline.exporting import export_csv, export_json, write_text
from monitor.pipeline.line import load_pair, load_run
from monitor.pipeline.publishing import ReportFormat, publish_reports
from monitor.pipeline.verifying import run_manifest, verify_run, verify_store
from monitor.report.numbers import percent, signed_points
from monitor.report.words import left_out_words

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]
Config = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs.")]

CHANGES_FOUND = 1

_PER_ANSWER = (
    "Shares are means per answer on the prompts answered in both runs, and the interval is that of "
    "their difference; in brackets stand the counts over those answers."
)
_SOUND = "This shows that nothing was altered or lost since it was stored, not who sent it."
_UNSOUND = "What is named above is no evidence any more: restore those files from a backup."


class Format(StrEnum):
    """What `export` writes."""

    CSV = "csv"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("compare")(compare)
    app.command("report")(report)
    app.command("export")(export)
    app.command("verify")(verify)


def compare(
    before: Annotated[str, typer.Argument(help="Public id or slot of the earlier run.")],
    after: Annotated[str, typer.Argument(help="Public id or slot of the later run.")],
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Compare two runs of one panel; exit code 1 says: changed."""
    settings = load_settings(config)
    with Bars() as bars, open_bench(settings, bars) as bench, bench.database.exclusive():
        pair = load_pair(bench, before, after)
        compared = compare_runs(bench, *pair, make_judge(settings.judge.name))
    made = compared.comparisons
    if as_json:
        body = {
            "schema": 1,
            "engines": {e: comparison_json(c) for e, c in made.items()},
            "only_before": list(compared.only_before),
            "only_after": list(compared.only_after),
        }
        print(json.dumps(body, ensure_ascii=True))
    else:
        for one in made.values():
            _show(one)
        for where, names in (("earlier", compared.only_before), ("later", compared.only_after)):
            for engine in names:
                OUT.print(f"{engine}: not compared, only the {where} run asked it")
        print(_PER_ANSWER)
    return CHANGES_FOUND if any(c.changed for c in made.values()) else 0


def _show(one: Comparison) -> None:
    """One engine's comparison for people."""
    OUT.print(f"{one.engine}: {one.verdict.value}")
    for event in one.events:
        OUT.print(f"  event {event.kind.value}: {event.before} -> {event.after} {event.note}")
    for failure in one.gates.failures:
        OUT.print(f"  not comparable: {failure}")
    for told in left_out_words(one.left_out):
        OUT.print(f"  left out, {told}")
    rows = [
        (
            change.name,
            _level(change.before),
            _level(change.after),
            signed_points(change.difference),
            *_tested(change),
            change.verdict.value,
        )
        for change in (*one.families, *one.measures)
    ]
    if rows:
        table("", ("name", "before", "after", "change", "95 % interval", "p (BH)", "verdict"), rows)


def _level(side: Side) -> str:
    """One side of a change: its mean per answer, and the counts behind it."""
    return f"{percent(side.share)} ({side.pooled.hits:g} of {side.pooled.total:g})"


def _tested(change: Change) -> tuple[str, str]:
    """Interval of a change in points, and its adjusted p; empty where it was not tested."""
    if change.test is None:
        return "", ""
    low, high = (100 * end for end in (change.test.interval.low, change.test.interval.high))
    adjusted = change.test.adjusted
    return f"{low:+.1f} to {high:+.1f}", "" if adjusted is None else f"{adjusted:.4f}"


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
    """Write the report of a run: one HTML file with every answer, or a PDF to hand on."""
    settings = load_settings(config)
    written: list[Path] = []
    try:
        with Bars() as bars, open_bench(settings, bars) as bench, bench.database.exclusive():
            run = load_run(bench, run_id)
            judge = make_judge(settings.judge.name)
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
