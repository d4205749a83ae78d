"""`monitor alerts list`, `show` and `accept`: what is open, the answers behind it, a new level."""

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from monitor.cli import CHANGES_FOUND
from monitor.cli.console import OUT, table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.domain.alert import Alert, Direction, StoredAlert
from monitor.domain.moments import utc_second
from monitor.pipeline.alert_list import (
    LISTED,
    accept_alerts,
    listed_alerts,
    load_alert,
    stored_alert_json,
)
from monitor.pipeline.bench import open_bench
from monitor.pipeline.outboxes import untold_words
from monitor.pipeline.sending import links_of
from monitor.report.digest import alert_text, plain
from monitor.report.files import Links
from monitor.report.numbers import percent
from monitor.report.words import visible


def add(group: typer.Typer) -> None:
    """Add the commands of this module to `monitor alerts`."""
    group.command("list")(alerts_list)
    group.command("show")(alerts_show)
    group.command("accept")(alerts_accept)


def alerts_list(
    panel: Annotated[str | None, typer.Option(help="Only those of this panel.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Closed ones too, newest first.")
    ] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """List what is open.

    The exit code is 1 where anything is.
    """
    settings = load_settings(config)
    with open_bench(settings) as bench:
        found = listed_alerts(bench, panel, closed=everything)
        untold = bench.read(untold_words)
    if as_json:
        _print_json(found, links_of(settings))
    elif found:
        table(
            "",
            ("id", "severity", "engine", "alert", "change", "since", "state"),
            [_row(one) for one in found],
            texts=7,
        )
        print("`monitor alerts show ID` names the answers behind one.")
        if everything and len(found) == LISTED:
            print(f"These are the newest {LISTED}; older ones are kept and not listed.")
    else:
        print("no alert is open" if not everything else "there was no alert yet")
    if untold and not as_json:
        OUT.print(untold)
    return CHANGES_FOUND if any(one.closed is None for one in found) else 0


def _print_json(found: Sequence[StoredAlert], links: Links) -> None:
    """Alerts as `docs/schemas/alerts.schema.json` describes them."""
    body = {"schema": 1, "alerts": [stored_alert_json(one, links) for one in found]}
    print(json.dumps(body, ensure_ascii=True, allow_nan=False))


def _row(one: StoredAlert) -> tuple[str, ...]:
    """An alert as cells of a table."""
    alert = one.alert
    way = "" if alert.direction is Direction.NONE else f" {alert.direction.value}"
    quiet = f", {one.quiet_runs} quiet" if one.quiet_runs else ""
    return (
        str(one.id),
        alert.severity.value,
        alert.engine,
        f"{plain(alert.entity, _LONGEST_NAME)}{way}",
        _moved(alert),
        visible(alert.after.removeprefix("run:")),
        f"open{quiet}" if one.closed is None else one.closed.value,
    )


_LONGEST_NAME = 60
"""Characters of an entity in the list; `show` has all of it."""


def _moved(alert: Alert) -> str:
    """Both values of what a test stands behind, as `13 % -> 55 %`; else the kind of alert."""
    if alert.change is None:
        return alert.kind.value.replace("_", " ")
    sides = (alert.change.before, alert.change.after)
    return " -> ".join(percent(side.pooled.value) for side in sides)


def alerts_show(
    alert_id: Annotated[int, typer.Argument(metavar="ID", help="Id of `monitor alerts list`.")],
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Show one alert with its numbers and the answers behind it."""
    settings = load_settings(config)
    with open_bench(settings) as bench:
        one = bench.read(lambda c: load_alert(c, alert_id))
    links = links_of(settings)
    if as_json:
        _print_json([one], links)
        return 0
    OUT.print(alert_text(one.alert, links))
    OUT.print(f"  Held against: {', '.join(map(visible, one.alert.before)) or 'nothing before it'}")
    OUT.print(f"  Key: {one.key}")
    OUT.print(f"  Opened {utc_second(one.opened_at)} by {visible(one.alert.after)}, {_state(one)}")
    return 0


def _state(one: StoredAlert) -> str:
    """Where an alert stands, in words."""
    if one.closed is None or one.closed_at is None:
        return f"open; {one.quiet_runs} quiet runs since, last held against {one.seen_run}"
    return f"closed {utc_second(one.closed_at)}: {one.closed.value}"


def alerts_accept(
    ids: Annotated[list[int], typer.Argument(metavar="ID...", help="Ids of open alerts.")],
    config: Config = None,
) -> int:
    """Take the new level for the level, and close the alert."""
    with open_bench(load_settings(config)) as bench:
        accepted = accept_alerts(bench, ids)
    for one in accepted:
        OUT.print(
            f"accepted {one.id}: {visible(one.alert.says)} "
            f"Runs before {visible(one.alert.after)} are no baseline for it any more."
        )
    return 0
