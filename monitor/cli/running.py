"""`monitor check`, `run`, `resume`, `cancel` and `status`: the job of every month."""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.cli import INCOMPLETE, complain
from monitor.cli.console import OUT, Bars, table
from monitor.cli.options import Again, AsJson, Config
from monitor.cli.spending import dry_run as show_dry_run
from monitor.cli.spending import spent_cells
from monitor.config.logs import configure_logs
from monitor.config.parts import MOST_CALLS, MOST_USD
from monitor.config.settings import load_settings
from monitor.domain.money import micros_of
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.checking import check_all, check_online, panel_named
from monitor.pipeline.judge_choice import auto_words, chosen_judge
from monitor.pipeline.judge_costs import judge_estimate
from monitor.pipeline.line import Worked, hand_over, load_run, now_slot, resume_run
from monitor.pipeline.notifying import deliver_due
from monitor.pipeline.planning import make_plan, run_caps
from monitor.pipeline.reaching import require_sandbox, sandbox_problem
from monitor.pipeline.run_states import cancel_run
from monitor.pipeline.run_status import RunStatus, run_status, spent_micros
from monitor.pipeline.slots import Intended, start_slot
from monitor.pipeline.watching import watch_run
from monitor.report.digest import plain
from monitor.store import runs

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]
Calls = Annotated[int | None, typer.Option(min=0, max=MOST_CALLS, help="Cap on calls.")]
Usd = Annotated[
    float | None,
    typer.Option("--budget", "--budget-usd", min=0, max=MOST_USD, help="Cap on money in USD."),
]

Detach = Annotated[
    bool, typer.Option("--detach", help="With workers: do not look on until the run ends.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("check")(check)
    app.command("run")(run)
    app.command("resume")(resume)
    app.command("cancel")(cancel)
    app.command("status")(status)


def check(
    config: Config = None,
    online: Annotated[
        bool, typer.Option("--online", help="Also ask for every baseline page.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """List all problems of settings, panels, baselines and keys."""
    checked = check_all(config or Path("config.yaml"))
    found = []
    if online and checked.settings is not None and sandbox_problem(checked.settings) is None:
        found = asyncio.run(check_online(checked.settings, checked.panels))
    bad = [f for f in found if f.status != "ok"]
    if as_json:
        body: dict[str, Any] = {
            "schema": 1,
            "problems": [
                {"file": p.file, "line": p.line, "warning": p.warning, "message": p.message}
                for p in checked.problems
            ],
            "skipped_engines": dict(checked.skipped),
            "panels": [p.panel.name for p in checked.panels if p.panel],
            "online": [
                {"panel": f.panel, "prompt": f.prompt_id, "url": f.url, "status": f.status}
                for f in found
            ],
        }
        print(json.dumps(body, ensure_ascii=True))
        return 2 if checked.errors or bad else 0
    for problem in checked.problems:
        print(problem)
    for name, reason in checked.skipped.items():
        print(f"engine {name}: will be skipped: {reason}")
    for panel in (p.panel for p in checked.panels if p.panel):
        if checked.skipped.keys() >= set(panel.engines):
            print(f"panel {panel.name}: no run can start while none of its engines can be asked")
    for one in bad:
        print(f"{one.panel}: {one.prompt_id}: {one.url}: {one.status}")
    names = ", ".join(p.panel.name for p in checked.panels if p.panel) or "none"
    unopened = f" ({len(bad)} of {len(found)} baseline pages did not open)" if online else ""
    errors = _counted(len(checked.errors) + len(bad), "error")
    warnings = _counted(len(checked.problems) - len(checked.errors), "warning")
    print(f"panels: {names}; {errors}{unopened}, {warnings}")
    return 2 if checked.errors or bad else 0


def _counted(number: int, noun: str) -> str:
    """A number with its noun: `1 error`, `2 errors`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def run(
    panel: Annotated[str, typer.Argument(help="Name of a panel, or path of its file.")],
    config: Config = None,
    slot: Annotated[str | None, typer.Option(help="Slot of the run; default: this second.")] = None,
    engine: Annotated[list[str] | None, typer.Option(help="Ask only this engine.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first prompts.")] = None,
    budget_calls: Calls = None,
    budget_usd: Usd = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print calls and cost only.")] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Go on without browser surfaces.")
    ] = False,
    judge: Annotated[str | None, typer.Option(help="Judge; default from settings.")] = None,
    again: Again = False,
    detach: Detach = False,
    as_json: AsJson = False,
) -> int:
    """Put a panel to its engines once and score what they cite."""
    settings = load_settings(config)
    configure_logs(settings.health, service=False)
    files = panel_named(panel, settings)
    assert files.panel is not None
    plan = make_plan(
        files.panel, settings, only=tuple(engine or ()), limit=limit, no_browser=no_browser
    )
    unknown = sorted(set(engine or ()) - set(files.panel.engines))
    if unknown:
        raise MonitorError(
            f"engine {unknown[0]!r} is not in panel {files.panel.name}; "
            f"it has {', '.join(files.panel.engines)}"
        )
    caps = _caps(run_caps(settings), budget_calls, budget_usd)
    chosen_judge(settings, judge, caps)  # one that cannot be had fails before anything is stored
    require_sandbox(settings)
    chosen = auto_words(settings, judge, caps)
    if dry_run:
        _tell(chosen)
        cost = judge_estimate(settings, files.panel.name, plan.captures, named=judge, caps=caps)
        return show_dry_run(plan, settings, caps, judge=cost, as_json=as_json)
    with Bars() as bars, open_bench(settings, bars) as bench:
        named = now_slot(bench.clock.now()) if slot is None else slot
        started = start_slot(bench, Intended(files, plan, caps), named)
        _tell(chosen if judge or started.judge is None else None)
        for skipped in plan.skipped:
            complain(f"skipped {skipped.engine}: {skipped.reason}")
        bars.watch_cost(lambda: spent_micros(bench, started))
        worked = hand_over(bench, started, judge_name=judge, again=again)
        return tell_end(bench, worked, detach=detach, as_json=as_json)


def _tell(words: str | None) -> None:
    """Say something beside the output; nothing where there is nothing to say."""
    if words is not None:
        complain(words)


def resume(
    run_id: RunId = None,
    config: Config = None,
    budget_calls: Calls = None,
    budget_usd: Usd = None,
    judge: Annotated[
        str | None, typer.Option(help="Another judge, for all of the run; default: its own.")
    ] = None,
    again: Again = False,
    detach: Detach = False,
    as_json: AsJson = False,
) -> int:
    """Go on with a run where it ended.

    Nothing that was answered or judged is paid for again. The run keeps its caps and its judge,
    unless other ones are given here.
    """
    settings = load_settings(config)
    configure_logs(settings.health, service=False)
    require_sandbox(settings)
    with Bars() as bars, open_bench(settings, bars) as bench:
        found = load_run(bench, run_id)
        caps = _caps(found.caps, budget_calls, budget_usd)
        bars.watch_cost(lambda: spent_micros(bench, found))
        worked = resume_run(bench, found, caps, judge_name=judge, again=again)
        return tell_end(bench, worked, detach=detach, as_json=as_json)


def _caps(before: runs.Caps, calls: int | None, usd: float | None) -> runs.Caps:
    """Caps with those that were given by hand in their place."""
    return runs.Caps(
        calls=before.calls if calls is None else calls,
        micros=before.micros if usd is None else micros_of(usd),
    )


def cancel(run_id: RunId = None, config: Config = None) -> int:
    """Cancel a run for good: no other call begins.

    Calls under way end, and what was captured stays; a cancelled run is not gone on with.
    """
    with open_bench(load_settings(config)) as bench:
        found = load_run(bench, run_id)
        ended = bench.write(lambda c: cancel_run(c, bench, found))
        asyncio.run(deliver_due(bench))
        print(f"{ended.public_id} is {ended.state.value}")
    return 0


def status(
    run_id: RunId = None,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Show how far a run is, by engine, and what it cost."""
    with open_bench(load_settings(config)) as bench:
        _show(run_status(bench, load_run(bench, run_id)), as_json=as_json)
    return 0


def tell_end(bench: Bench, worked: Worked, *, detach: bool, as_json: bool) -> int:
    """Print how a run ended, or stands; exit code 3 where it did not come to its end."""
    run, has_workers = worked.run, True
    if run.state not in runs.FINAL and not detach:
        try:
            watched = watch_run(bench, run.id)
        except KeyboardInterrupt:
            complain(
                f"no longer looking on: workers go on with {run.public_id}; `monitor status` tells "
                "how far it is, `monitor cancel` ends it"
            )
            return INCOMPLETE
        run, has_workers = watched.run, watched.has_workers
    _show(run_status(bench, run), as_json=as_json)
    for one in worked.failures[:10]:
        complain(f"not captured: {one.job.shown}: {one.error}")
    if errors := worked.errors.shown(f"`monitor rejudge {run.public_id} --again`"):
        complain(f"{run.public_id}: {errors}")
    if not has_workers:
        complain(
            f"{run.public_id} waits in the queue and no worker is there: start `monitor worker`, "
            f"then `monitor status {run.public_id}` tells how far it is"
        )
        return INCOMPLETE
    if run.state in {runs.RunState.INCOMPLETE, runs.RunState.FAILED}:
        complain(f"{run.state.value}; {_way_on(bench, run)}")
        return INCOMPLETE
    if run.state is runs.RunState.CANCELLED:
        complain(f"{run.public_id} was cancelled")
        return INCOMPLETE
    return 0


def _way_on(bench: Bench, run: runs.Run) -> str:
    """What to type to go on with a run that ended early; a cap must be raised for that."""
    if run_status(bench, run).held is None:
        return f"`monitor resume {run.public_id}` goes on"
    return f"once the cap named above is raised, `monitor resume {run.public_id}` goes on"


def _show(found: RunStatus, *, as_json: bool) -> None:
    """Coverage by engine, spending and state."""
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=True))
        return
    stage = f"  stage {found.stage}" if found.stage else ""
    OUT.print(f"{found.public_id}  state {found.state}{stage}")
    if found.held:
        OUT.print(f"no further calls: {found.held}")
    for reason in found.resting.values():
        OUT.print(f"waiting: {reason}")
    for one in found.given_up:
        OUT.print(f"given up: {one.job.shown} ({one.starts} starts): {one.error}")
    rows = [
        (
            engine,
            str(c.planned),
            str(c.attempted),
            str(c.heard),
            str(c.answered),
            *spent_cells(found.spent.get(engine)),
            ", ".join(f"{k} {n}" for k, n in sorted(c.outcomes.items()) if k != "answered"),
        )
        for engine, c in found.coverage.items()
    ]
    rows += [
        (f"judge {name}", "", "", "", "", *spent_cells(one), "")
        for name, one in found.judges.items()
    ]
    table(
        "",
        ("engine", "planned", "attempted", "heard", "answered", "calls", "unsettled", "USD",
         "other outcomes"),
        rows,
    )  # fmt: skip
    if found.judge:
        OUT.print(f"judge: {found.judge}")
    print(f"run: {found.run.shown}")
    print(f"{found.month.what}, all runs: {found.month.shown}")
    for alarm in found.checkup.alarms:
        OUT.print(f"alarm: {plain(alarm.says)} {alarm.advice}")
    for raised in found.raised:
        closed = "" if raised.closed is None else f" ({raised.closed.value})"
        told_of = raised.alert
        OUT.print(f"alert {raised.id}, {told_of.severity.value}{closed}: {plain(told_of.says)}")
    for told in found.told:
        if told.state != "sent":
            why = f" after {told.attempts} tries: {told.error}" if told.error else ""
            state = told.state.replace("_", " ")
            OUT.print(f"alerts of {told.engine} to {told.channel}: {state}{why}")
