"""`monitor alerts`: the channels that alerts are told by, and what became of each message."""

import asyncio
import json
from collections import Counter
from typing import Annotated

import typer

from monitor.cli import USER, standing
from monitor.cli.console import OUT, table
from monitor.cli.options import AsJson, Config
from monitor.config.logs import configure_logs
from monitor.config.settings import load_settings
from monitor.domain.moments import utc_second
from monitor.pipeline.bench import open_bench
from monitor.pipeline.notifying import deliver_due
from monitor.pipeline.outboxes import (
    Told,
    chosen_channels,
    forget,
    outbox_json,
    outbox_of,
    retry,
    try_channels,
)
from monitor.report.words import visible


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(no_args_is_help=True, help="Alerts: who is told, and what became of it.")
    standing.add(group)
    group.command("test")(alerts_test)
    group.command("deliveries")(alerts_deliveries)
    group.command("retry")(alerts_retry)
    app.add_typer(group, name="alerts")


def alerts_test(
    channels: Annotated[
        list[str] | None, typer.Argument(metavar="CHANNEL", help="Channels; default: all.")
    ] = None,
    config: Config = None,
) -> int:
    """Send a test by each channel, the way that every alert goes.

    The exit code is 2 where one fails.
    """
    settings = load_settings(config)
    configure_logs(settings.health, service=False)
    names = chosen_channels(settings, channels or [])
    with open_bench(settings) as bench:
        tried = asyncio.run(try_channels(bench, names))
    for one in tried:
        OUT.print(f"{one.channel}: {'sent' if one.taken else f'failed: {visible(one.reason)}'}")
    return 0 if all(one.taken for one in tried) else USER


def alerts_deliveries(config: Config = None, as_json: AsJson = False) -> int:
    """Show what waits, was given up, or was sent last."""
    with open_bench(load_settings(config)) as bench:
        found = bench.read(outbox_of)
    if as_json:
        print(json.dumps(outbox_json(found), ensure_ascii=True))
        return 0
    if not found:
        print("nothing was to be told yet")
        return 0
    counts = Counter(one.state for one in found)
    print(f"{counts['waiting']} waiting, {counts['given_up']} given up; the last ones sent besides")
    table(
        "",
        ("channel", "run", "engine", "state", "tries", "next try", "sent", "last error"),
        [_row(one) for one in found],
    )
    return 0


def _row(one: Told) -> tuple[str, ...]:
    """One message as cells of a table."""
    return (
        f"{one.channel}{' (test)' if one.is_test else ''}",
        visible(one.run),
        visible(one.engine),
        one.state.replace("_", " "),
        str(one.attempts),
        "" if one.next_try is None else utc_second(one.next_try),
        "" if one.sent_at is None else utc_second(one.sent_at),
        visible(one.error or ""),
    )


def alerts_retry(
    channel: Annotated[
        str | None, typer.Argument(metavar="CHANNEL", help="Only by this channel.")
    ] = None,
    config: Config = None,
    drop: Annotated[
        bool, typer.Option("--forget", help="Take what was given up out instead.")
    ] = False,
) -> int:
    """Send now what was given up or waits for its next try.

    The exit code is 2 where something is left.
    """
    settings = load_settings(config)
    configure_logs(settings.health, service=False)
    with open_bench(settings) as bench:
        if drop:
            print(f"{forget(bench, channel)} messages forgotten")
            return 0
        if channel is not None:
            chosen_channels(settings, [channel])
        retry(bench, channel)
        sent = asyncio.run(deliver_due(bench))
        found = bench.read(outbox_of)
    left = [one for one in found if one.state != "sent" and channel in {None, one.channel}]
    OUT.print(f"{sent} sent, {len(left)} left")
    for name, error in dict.fromkeys((one.channel, one.error) for one in left if one.error):
        OUT.print(f"{name}: {visible(error or '')}")
    return USER if left else 0
