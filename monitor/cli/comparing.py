"""`monitor compare` and `reference`: what moved between two samples, and is it noise?"""

import json
from dataclasses import replace
from typing import Annotated

import typer

from monitor.cli import CHANGES_FOUND, INCOMPLETE
from monitor.cli.compared import print_engine, print_refusals, shared_refusals
from monitor.cli.console import OUT, Bars, table
from monitor.cli.options import AsJson, Config
from monitor.config.parts import MOST_USD
from monitor.config.settings import load_settings
from monitor.domain.money import micros_of
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.comparing import Weighed, weigh, weigh_engines
from monitor.pipeline.judges import comparing_judge
from monitor.pipeline.line import load_run
from monitor.pipeline.sides import (
    Against,
    choose_sides,
    clear_reference,
    pin_reference,
    side_notes,
)
from monitor.pipeline.weighing import has_changed, has_gaps, weighed_json
from monitor.store import references

_PER_ANSWER = (
    "Counts are those of the prompts answered on both sides. The change and its interval are those "
    "of the means per answer, which stand beside the share where they differ by half a point."
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("compare")(compare)
    app.command("reference")(reference)


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE",
            help="Run to compare with: public id, slot, `previous`, `pooled` (the runs before, "
            "together) or `reference` (the pinned one). With --engines: the run.",
        ),
    ] = Against.PREVIOUS.value,
    after: Annotated[
        str | None,
        typer.Argument(metavar="AFTER", help="Later run: public id or slot; default: the newest."),
    ] = None,
    engines: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Compare two engines of one run on the prompts that both answered."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every row.")] = False,
    judge_usd: Annotated[
        float | None,
        typer.Option(
            min=0, max=MOST_USD, help="Let a judge that is paid give missing verdicts: cap in USD."
        ),
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Compare two runs of a panel, or two engines of a run.

    Both are scored by the judge of the later one. A judge that is paid is asked for nothing that
    is missing, unless --judge-usd allows it. The exit code is 1 where something changed, 3 where
    nothing did and something could not be compared.
    """
    settings = load_settings(config)
    with Bars() as bars, open_bench(settings, bars) as bench, bench.database.exclusive():
        if engines is None:
            sides = choose_sides(bench, before, after)
            with comparing_judge(bench, sides[1], _micros(judge_usd)) as judge:
                weighed = weigh(bench, *sides, judge)
            weighed = replace(weighed, notes=side_notes(bench, before, sides))
        else:
            weighed = _pair(bench, before, after, engines, _micros(judge_usd))
    if as_json:
        print(json.dumps(weighed_json(weighed), ensure_ascii=True))
    else:
        _show(weighed, everything=everything)
    if has_changed(weighed):
        return CHANGES_FOUND
    return INCOMPLETE if has_gaps(weighed) else 0


def _micros(usd: float | None) -> int | None:
    return None if usd is None else micros_of(usd)


def _pair(bench: Bench, run: str, after: str | None, engines: str, micros: int | None) -> Weighed:
    """Two engines of one run; without a name, of the newest."""
    if after is not None:
        raise MonitorError(
            f"--engines compares two engines of one run, and two runs were named: {run} and "
            f"{after}; name one, or leave --engines out to compare the runs"
        )
    if run in {Against.POOLED.value, Against.REFERENCE.value}:
        raise MonitorError(f"--engines compares two engines of one run: name the run, not `{run}`")
    names = [name.strip() for name in engines.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise MonitorError(
            f"--engines {engines[:100]!r}: expected the names of two engines with a comma between "
            "them, as in perplexity,openai"
        )
    found = load_run(bench, None if run == Against.PREVIOUS.value else run)
    with comparing_judge(bench, found, micros) as judge:
        return weigh_engines(bench, found, judge, (names[0], names[1]))


def _show(weighed: Weighed, *, everything: bool) -> None:
    """All engines for people."""
    for note in weighed.notes:
        OUT.print(f"note: {note}")
    shared = shared_refusals(weighed)
    for name in weighed.comparisons:
        print_engine(weighed, name, everything=everything, elsewhere=shared)
    print_refusals(shared)
    for where, names in (("earlier", weighed.only_before), ("later", weighed.only_after)):
        for engine in names:
            OUT.print(f"{engine}: not compared, only the {where} run asked it")
    print(_PER_ANSWER)


def reference(
    run_id: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Public id or slot of the run to pin.")
    ] = None,
    clear: Annotated[
        str | None, typer.Option(metavar="PANEL", help="Leave a panel without a reference.")
    ] = None,
    config: Config = None,
) -> int:
    """Pin the run that others are compared with.

    `monitor compare reference` compares with it; without a run, those that are pinned are listed.
    """
    if run_id is not None and clear is not None:
        raise MonitorError("give a run to pin, or --clear PANEL, not both")
    with open_bench(load_settings(config)) as bench:
        if clear is not None:
            clear_reference(bench, clear)
            OUT.print(f"{clear}: no reference any more")
        elif run_id is not None:
            run = load_run(bench, run_id)
            pin_reference(bench, run)
            OUT.print(f"{run.panel}: {run.public_id} is the reference")
        else:
            _list(bench)
    return 0


def _list(bench: Bench) -> None:
    """Panels with their pinned runs."""
    found = bench.read(references.list_references)
    if not found:
        OUT.print("no references; `monitor reference RUN` pins one")
        return
    rows = [(one.panel, one.run, f"{one.pinned_at:%Y-%m-%d %H:%M} UTC") for one in found]
    table("", ("panel", "run", "pinned"), rows)
