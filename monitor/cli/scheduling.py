"""`monitor schedule`: panels run when they are due, and what may be asked and changed about it."""

import json
from datetime import datetime
from threading import Event
from typing import Annotated

import typer

from monitor.cli import complain
from monitor.cli.console import OUT, Bars, table
from monitor.cli.options import AsJson, Config
from monitor.cli.running import tell_end
from monitor.config.logs import configure_logs
from monitor.config.settings import load_settings
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.line import hand_over, now_slot
from monitor.pipeline.reaching import require_sandbox
from monitor.pipeline.slots import intended, start_slot
from monitor.schedule import PanelSchedule, panel_schedules, run_scheduler
from monitor.store import Connection, schedules

PanelName = Annotated[str, typer.Argument(metavar="PANEL", help="Name of a panel.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(invoke_without_command=True)
    group.callback()(schedule)
    group.command("list")(schedule_list)
    group.command("pause")(schedule_pause)
    group.command("unpause")(schedule_unpause)
    group.command("now")(schedule_now)
    app.add_typer(group, name="schedule")


def schedule(context: typer.Context, config: Config = None) -> int:
    """Start panels' runs when they are due, until told to stop.

    Any number of schedulers may share a store: each slot is run once.
    """
    if context.invoked_subcommand is not None:
        return 0
    settings = load_settings(config)
    require_sandbox(settings)
    configure_logs(settings.health, service=True)
    with open_bench(settings) as bench:
        _show(panel_schedules(bench))
        try:
            run_scheduler(bench, Event())
        except KeyboardInterrupt:
            complain("ended; a run under way goes on when a scheduler starts again")
    return 0


def schedule_list(config: Config = None, as_json: AsJson = False) -> int:
    """Show every panel's rule, last run and next slot.

    Beneath them stands what is in the way: a slot that was refused, a file that is broken.
    """
    with open_bench(load_settings(config)) as bench:
        found = panel_schedules(bench)
    if as_json:
        body = {"schema": 1, "panels": [one.as_json() for one in found]}
        print(json.dumps(body, ensure_ascii=True))
    else:
        _show(found)
    return 0


def schedule_pause(panel: PanelName, config: Config = None) -> int:
    """Start no slot of a panel until it is unpaused.

    This holds for all schedulers and over restarts. A run under way goes on.
    """
    with open_bench(load_settings(config)) as bench:
        since = _change(bench, panel, paused=True)
    print(f"{panel}: paused since {since:%Y-%m-%d %H:%M:%S} UTC; no slot starts a run")
    return 0


def schedule_unpause(panel: PanelName, config: Config = None) -> int:
    """Let a panel's slots start runs again.

    Slots that passed while it was paused are not made up for.
    """
    with open_bench(load_settings(config)) as bench:
        _change(bench, panel, paused=False)
        after = _of(bench, panel).next
    print(f"{panel}: not paused; next slot {after.name if after else 'none'}")
    return 0


def schedule_now(panel: PanelName, config: Config = None, as_json: AsJson = False) -> int:
    """Run a panel now, scheduled or not, paused or not.

    Its slots stay as they are; while a run of it is under way, this is refused.
    """
    settings = load_settings(config)
    wanted = intended(panel, settings)
    with Bars() as bars, open_bench(settings, bars) as bench:
        started = start_slot(bench, wanted, now_slot(bench.clock.now()))
        for skipped in wanted.plan.skipped:
            complain(f"skipped {skipped.engine}: {skipped.reason}")
        worked = hand_over(bench, started, judge_name=None)
        return tell_end(bench, worked, detach=True, as_json=as_json)


def _of(bench: Bench, panel: str) -> PanelSchedule:
    """One panel's schedule; MonitorError where there is no such panel."""
    every = {one.panel: one for one in panel_schedules(bench)}
    if panel not in every:
        known = ", ".join(every) or "none"
        raise MonitorError(f"no panel {panel[:200]!r} in {bench.settings.panels}; found: {known}")
    return every[panel]


def _change(bench: Bench, panel: str, *, paused: bool) -> datetime:
    """Pause or unpause a panel; the moment since when it is so."""
    one, now = _of(bench, panel), bench.clock.now()
    if one.rule is None:
        raise MonitorError(
            f"panel {panel} has no schedule; add `schedule: {{cron, timezone}}` to its file"
        )
    rule = one.rule

    def save(connection: Connection) -> None:
        schedules.keep_rule(connection, panel, rule, at=now)
        change = schedules.pause if paused else schedules.unpause
        change(connection, panel, at=now)

    bench.write(save)
    return (_of(bench, panel).paused_at if paused else None) or now


def _show(found: tuple[PanelSchedule, ...]) -> None:
    """Print a row for each panel, and beneath them what is in the way of some."""
    table(
        "",
        ("panel", "rule", "zone", "last slot", "run", "next slot", "in UTC"),
        [
            (
                one.panel,
                one.rule.cron if one.rule else "by hand",
                one.rule.timezone if one.rule else "",
                one.last.name if one.last else "",
                one.run_state or ("no run" if one.last else ""),
                "paused" if one.paused_at else one.next.name if one.next else "",
                f"{one.next.due:%Y-%m-%dT%H:%M}Z" if one.next else "",
            )
            for one in found
        ],
    )
    for one in found:
        if one.waiting is not None:
            OUT.print(f"{one.panel}: slot {one.waiting.name} is due and waits for a scheduler")
        for why in (one.refused, one.broken):
            if why:
                OUT.print(f"{one.panel}: {why}")
