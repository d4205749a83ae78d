"""`monitor demo`: two months of the whole line on the sandbox, no key, nothing leaves the host."""

import contextlib
import os
import shlex
import shutil
import signal
import sys
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from ruamel.yaml import YAML

from monitor.capture.chromium import find_chromium
from monitor.cli.console import OUT, Bars, table
from monitor.cli.demo_app import app_lines, start_app, stop_app
from monitor.cli.sandboxed import KEYS, sandbox_process, sandbox_settings
from monitor.config.settings import Settings, load_settings
from monitor.domain.alert import Severity
from monitor.domain.score import Rate
from monitor.errors import BrowserError, MonitorError
from monitor.pipeline.alert_list import listed_alerts
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.checking import panel_named
from monitor.pipeline.eligibility import check_eligibility
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.line import Worked, start_run, work_on
from monitor.pipeline.planning import make_plan, run_caps
from monitor.pipeline.publishing import publish_report
from monitor.report.numbers import rate_text
from monitor.report.words import visible
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.tally import MEASURES
from monitor.store import runs, scores

MONTHS = ("2026-09", "2026-10")
MARK = ".monitor-demo"
PANEL = "sandbox"


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("demo")(demo)


def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo keeps its files.")] = Path("demo"),
    panels: Annotated[Path, typer.Option(help="Folder with the sandbox panel.")] = Path(
        "prompt_panels"
    ),
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Go on without the browser surface.")
    ] = False,
    no_app: Annotated[
        bool, typer.Option("--no-app", help="Leave no application on for a look at the runs.")
    ] = False,
    stay: Annotated[
        bool, typer.Option("--stay", help="Leave the sandbox on, for other commands to ask.")
    ] = False,
) -> int:
    """Run two monthly runs on the sandbox and write the report."""
    if not (panels / f"{PANEL}.yaml").exists():
        raise MonitorError(
            f"{panels / PANEL}.yaml: no such file; run this in the project's folder or say "
            "where the panels are with --panels"
        )
    if not no_browser and find_chromium() is None:
        raise BrowserError(
            "no Chromium found: run `monitor browser install`, or go on without the browser "
            "surface with --no-browser"
        )
    folder = _fresh(folder.absolute())
    _own_environment()
    with sandbox_process(folder, MONTHS[0]) as sandbox:
        config = folder / "config.yaml"
        _write_config(config, sandbox_settings(sandbox, folder, panels.absolute()))
        settings = load_settings(config)
        with Bars() as bars, open_bench(settings, bars) as bench:
            for month in MONTHS:
                sandbox.set_scene(month)
                _month(bench, settings, month, no_browser=no_browser)
            _check_sources(bench, settings)
            newest = bench.read(runs.list_runs)[0]
            path = publish_report(bench, newest, shown_judge(bench, newest))
            _summary(bench, newest)
            told = _told(bench)
        print(f"\nreport: {path}")
        OUT.print(told)
        print("The engines, the pages and every figure above are fictional: a sandbox answered.")
        if stay:
            _stay(called_as(), os.path.relpath(config))
    for line in _next_steps(called_as(), os.path.relpath(config)):
        print(line)
    if not no_app:
        sys.stdout.flush()
        print("\n".join(app_lines(start_app(folder, config, settings.web))))
    return 0


def _stay(command: str, config: str) -> None:
    """Leave the sandbox on until told to stop, and say how other commands reach it."""
    print("The sandbox answers until Ctrl-C or SIGTERM. In another terminal, in this folder:")
    for name, key in KEYS.items():
        print(f"        export {name}={key}")
    print(f"        {command} schedule now {PANEL} --config {shlex.quote(config)}")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            signal.pause()


def _next_steps(command: str, config: str) -> tuple[str, ...]:
    """What to type next, as it can be typed; the key is the person's own."""
    own = f"--config {shlex.quote(config)}"
    return (
        f"next:   {command} alerts list {own}",
        f"        {command} status {own}",
        f"        {command} labels draw {PANEL} --out pairs.csv {own}",
        f"        {command} judge-report --bundled",
        f"        {command} check",
        f"        {command} run driving-rules --dry-run",
    )


def called_as() -> str:
    """How this program is called from the folder one is in: `monitor` where the path has it."""
    here = Path(sys.argv[0])
    if here.name != "monitor":
        return f"{shlex.quote(_near(Path(sys.executable)))} -m monitor"
    on_path = shutil.which("monitor")
    return "monitor" if on_path and Path(on_path).samefile(here) else shlex.quote(_near(here))


def _near(path: Path) -> str:
    """A path from the folder one is in where it lies below, else the whole path."""
    whole = path.absolute()  # not resolved: a link to an interpreter must stay one
    return str(whole.relative_to(Path.cwd())) if whole.is_relative_to(Path.cwd()) else str(whole)


def _own_environment() -> None:
    """Keys the sandbox takes, and no setting of the user's: a demo never touches a real store."""
    for name in [name for name in os.environ if name.upper().startswith("MONITOR_")]:
        del os.environ[name]
    os.environ.update(KEYS)


def _fresh(folder: Path) -> Path:
    """An empty folder; only one that an earlier demo made is emptied."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise MonitorError(
                f"{folder} holds files that no demo wrote; name another one with --folder"
            )
        stop_app(folder)
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text("Made by `monitor demo`; the next demo empties this folder.\n")
    return folder


def _write_config(path: Path, content: dict[str, object]) -> None:
    """The demo's settings as a file, so that every other command works on its runs."""
    text = StringIO()
    YAML().dump(content, text)
    path.write_text("# Written by `monitor demo`.\n" + text.getvalue(), "utf-8")


def _month(bench: Bench, settings: Settings, month: str, *, no_browser: bool) -> Worked:
    """One monthly run from panel to scorecards."""
    OUT.print(month, style="bold")
    files = panel_named(PANEL, settings)
    assert files.panel is not None
    plan = make_plan(files.panel, settings, no_browser=no_browser)
    for skipped in plan.skipped:
        OUT.print(f"  skipped {skipped.engine}: {skipped.reason}")
    run = start_run(bench, files, plan, slot=month, caps=run_caps(settings))
    worked = work_on(bench, run, judge_name=None)
    for one in worked.failures:
        if isinstance(one.error, BrowserError):
            raise one.error
    for one in worked.failures[:3]:
        OUT.print(f"  not captured: {one.job.shown}: {one.error}")
    if worked.failures:
        raise MonitorError(f"{len(worked.failures)} captures failed; see {run.public_id}")
    return worked


def _check_sources(bench: Bench, settings: Settings) -> None:
    """Look whether crawlers may read what the baseline asks for, so that funnels begin with it."""
    files = panel_named(PANEL, settings)
    if files.baseline is not None:
        check_eligibility(bench, files, render=False)


def _told(bench: Bench) -> str:
    """How many alerts are open, and the gravest of them."""
    found = sorted(listed_alerts(bench), key=lambda one: list(Severity).index(one.alert.severity))
    if not found:
        return "alerts: none is open"
    return f"alerts: {len(found)} open, the gravest: {visible(found[0].alert.says)}"


def _summary(bench: Bench, run: runs.Run) -> None:
    """The newest run's main numbers, counts first."""
    cards = [
        card
        for card in bench.read(lambda c: scores.load_scorecards(c, run.id))
        if card.segment == EVERYTHING
    ]
    names = ("source_precision", "required_source_recall", "claim_evidence_recall",
             "citation_recall", "citation_precision")  # fmt: skip
    rows = []
    for name in names:
        cells = [MEASURES[name].label]
        for card in cards:
            rate = card.measures[name].rate
            cells.append(
                rate_text(rate) if isinstance(rate, Rate) else f"not measured ({rate.reason.value})"
            )
        rows.append(tuple(cells))
    hhi = [f"{card.concentration.hhi:.3f}" if card.concentration.hhi else "" for card in cards]
    rows.append(("HHI", *hhi))
    table(f"{run.public_id}", ("measure", *(card.engine for card in cards)), rows)
