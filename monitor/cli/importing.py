"""`monitor import`: answers that people captured by hand, as a run of their own."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.cli import INCOMPLETE, complain
from monitor.cli.console import OUT, Bars, table
from monitor.cli.options import AsJson, Config
from monitor.cli.running import tell_end
from monitor.config.logs import configure_logs
from monitor.config.settings import Settings, load_settings
from monitor.engines import READERS
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.checking import PanelFiles, panel_named
from monitor.pipeline.importing import Imported, import_found
from monitor.pipeline.importing_files import ImportDesk, read_files
from monitor.pipeline.importing_found import Found, Wanted
from monitor.pipeline.importing_json import found_json
from monitor.pipeline.importing_told import nothing_found, seen_at
from monitor.pipeline.judge_choice import chosen_judge
from monitor.pipeline.line import hand_over
from monitor.pipeline.reaching import require_sandbox
from monitor.pipeline.retrieval_logs import import_log
from monitor.report.digest import plain
from monitor.store import runs


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("import")(import_files)


def import_files(
    panel: Annotated[str, typer.Option(help="Panel whose prompts were asked: name or file.")],
    files: Annotated[
        list[Path] | None, typer.Argument(help="Exports, pages, HARs, texts or pictures.")
    ] = None,
    retrieval_log: Annotated[
        Path | None, typer.Option(help="JSON lines of what an engine retrieved, in place of files.")
    ] = None,
    config: Config = None,
    prompt: Annotated[
        str | None, typer.Option(help="Id of the prompt, where a file does not show its text.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="Surface of the files, such as chatgpt_web.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(help="When it was seen, such as 2026-11-03T09:30:00Z.")
    ] = None,
    turn: Annotated[
        int | None, typer.Option(min=1, help="Which answer of a conversation, from 1.")
    ] = None,
    url: Annotated[
        list[str] | None, typer.Option(help="Source that a picture or a copied text shows.")
    ] = None,
    text: Annotated[
        Path | None, typer.Option(help="Text of the answer that a picture shows.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Judge; default from settings.")] = None,
    no_score: Annotated[
        bool, typer.Option("--no-score", help="Store only; `monitor resume` fetches and scores.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out files that cannot be taken.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be imported only.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Import answers that were captured by hand.

    Files are told by their bytes; nothing in them is run, and what is private is not kept. Answers
    are put to the prompts of the panel whose text they show, as a run of their own whose cited
    pages are fetched, judged and scored at once. A retrieval log is stored and makes no run.
    """
    settings = _settings(config)
    if retrieval_log is not None or not files:
        return _import_log(settings, panel, retrieval_log, files=files, as_json=as_json)
    held = panel_named(panel, settings)
    wanted = Wanted(prompt, engine, seen_at(at), turn, tuple(url or ()), text)
    if not no_score and not dry_run:
        chosen_judge(settings, judge)  # one that cannot be had fails before anything is stored
        require_sandbox(settings)
    found = _read(held, wanted, files, skip_bad=skip_bad, quiet=as_json)
    code = 0
    if not dry_run:
        code = _store(settings, held, found, judge, no_score=no_score, as_json=as_json)
    elif as_json:
        print(json.dumps({"schema": 1, **found_json(found)}, ensure_ascii=True))
    return code or (INCOMPLETE if found.skipped else 0)


def _settings(config: Path | None) -> Settings:
    """Settings, with the logs set up."""
    settings = load_settings(config)
    configure_logs(settings.health, service=False)
    return settings


def _store(
    settings: Settings,
    held: PanelFiles,
    found: Found,
    judge: str | None,
    *,
    no_score: bool,
    as_json: bool,
) -> int:
    """Import what was found and go on with its run; the exit code."""
    with Bars() as bars, open_bench(settings, bars) as bench:
        done = import_found(bench, held, found)
        code = _go_on(bench, done, judge, no_score=no_score, quiet=as_json)
        if as_json:
            fresh = bench.read(lambda c: runs.load_run_by_id(c, done.run.id))
            print(json.dumps(_told(done, found, fresh), ensure_ascii=True))
    return code


def _read(
    held: PanelFiles, wanted: Wanted, files: list[Path], *, skip_bad: bool, quiet: bool
) -> Found:
    """What the files hold for a panel, shown unless `quiet`; MonitorError where that is nothing."""
    assert held.panel is not None
    desk = ImportDesk.of(held.panel, wanted, READERS)
    found = read_files(desk, files, skip_bad=skip_bad)
    if not quiet:
        _show(found)
    if not found.answers:
        raise MonitorError(nothing_found(found, held.panel.name))
    return found


def _import_log(
    settings: Settings, panel: str, log: Path | None, *, files: list[Path] | None, as_json: bool
) -> int:
    """Store what a log says was retrieved; MonitorError where files are named beside it."""
    if log is None or files:
        what = "nothing to import" if log is None else "--retrieval-log is imported by itself"
        raise MonitorError(f"{what}: name files, or a log with --retrieval-log FILE")
    with open_bench(settings) as bench:
        told = import_log(bench, panel, log)
    if as_json:
        print(json.dumps({"schema": 1, "retrieval_log": asdict(told)}, ensure_ascii=True))
    else:
        OUT.print(
            f"{told.new} lines stored, {told.lines - told.new} known already; {told.prompts} "
            f"prompts, engines: {', '.join(told.engines)}"
        )
    return 0


def _go_on(bench: Bench, done: Imported, judge: str | None, *, no_score: bool, quiet: bool) -> int:
    """Say which run it is, and work on it unless it is done or is to be left."""
    run = done.run
    if not quiet:
        _say(done)
    if run.state is runs.RunState.DONE:
        return 0
    if no_score:
        if not quiet:
            print(f"stored; `monitor resume {run.public_id}` fetches, judges and scores it")
        return 0
    try:
        worked = hand_over(bench, run, judge_name=judge)
    except MonitorError as error:
        raise MonitorError(f"stored as {run.public_id}, not scored yet: {error}") from error
    if quiet:
        return 0 if worked.run.state in {runs.RunState.DONE, runs.RunState.RUNNING} else INCOMPLETE
    return tell_end(bench, worked, detach=False, as_json=False)


def _say(done: Imported) -> None:
    word = "imported as" if done.is_new else "handed in before, nothing is new:"
    print(f"{word} {done.run.public_id}")
    if not done.is_new:
        print("its times stay as they were told first: --at changes nothing now")
    for name, others in done.before.items():
        OUT.print(f"{plain(name)} is in {', '.join(others)} too")


def _told(done: Imported, found: Found, run: runs.Run) -> dict[str, Any]:
    return {
        "schema": 1,
        "run": run.public_id,
        "state": run.state.value,
        "new": done.is_new,
        "handed_in_before": {name: list(several) for name, several in done.before.items()},
        **found_json(found),
    }


def _show(found: Found) -> None:
    """What was found, answer by answer, and what was left out."""
    rows = [
        (
            one.prompt.id,
            one.engine,
            one.form,
            one.file.name,
            one.turn.reading.outcome.value,
            str(len(one.turn.reading.citations)),
            f"{one.captured_at:%Y-%m-%d %H:%M} UTC ({one.dated_by})",
        )
        for one in found.answers
    ]
    if rows:
        columns = ("prompt", "engine", "form", "file", "outcome", "citations", "seen at")
        table("", columns, rows, texts=5)
    for one in found.answers:
        for warning in one.warnings:
            OUT.print(f"{one.prompt.id}, {one.engine}: {plain(warning)}")
    if found.unmatched_count:
        count = found.unmatched_count
        many = "1 answer matches" if count == 1 else f"{count} answers match"
        OUT.print(f"{many} no prompt of the panel")
    for left in found.unmatched:
        shown = "question not shown" if left.shown is None else f"{left.shown!r}"
        near = f"; nearest prompt: {left.nearest}" if left.nearest else ""
        where = f" {left.member}" if left.member else ""
        OUT.print(plain(f"- {left.file}{where}, answer {left.turn}: {shown}{near}"))
    if found.dropped:
        counted = ", ".join(f"{kind} {count}" for kind, count in found.dropped.items())
        OUT.print(f"not kept: {counted}")
    if found.foreign or found.unread:
        OUT.print(f"documents of no surface: {found.foreign}; not read: {found.unread}")
    for note in found.notes:
        OUT.print(plain(note))
    for one_skipped in found.skipped:
        complain(f"skipped {one_skipped}")
