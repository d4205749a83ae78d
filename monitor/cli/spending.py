"""`monitor spend`, and what a dry run and the status of a run say of money."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from monitor.cli.console import OUT, table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import Settings, load_settings
from monitor.domain.money import Spent
from monitor.pipeline.bench import open_bench
from monitor.pipeline.judge_costs import JudgeEstimate
from monitor.pipeline.planning import EstimatedEngine, Plan
from monitor.pipeline.spending import Capped, misfits, month_before_run, month_spend
from monitor.store.months import Counted
from monitor.store.runs import Caps

NO_RUN = "no run"
"""What calls of a judge are called that belong to no run."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("spend")(spend)


def spend(
    config: Config = None,
    month: Annotated[
        str | None, typer.Option(help="Calendar month in UTC, as 2026-11; default: this one.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what the calls of a month cost, by engine and by run."""
    with open_bench(load_settings(config)) as bench:
        found = month_spend(bench, month)
    if as_json:
        print(json.dumps(found.as_json(), ensure_ascii=True))
        return 0
    used = Counted(found.total.calls, found.total.micros)
    OUT.print(f"{found.month}: {Capped(found.month, used, found.caps).shown}")
    _spent_table("engine", found.engines)
    _spent_table("run", {name or NO_RUN: one for name, one in found.runs.items()})
    return 0


def _spent_table(what: str, rows: Mapping[str, Spent]) -> None:
    """Calls and money by a name; nothing where there is none."""
    if rows:
        table(
            "",
            (what, "calls", "unsettled", "USD"),
            [(name, *spent_cells(one)) for name, one in rows.items()],
        )


def spent_cells(one: Spent | None) -> tuple[str, str, str]:
    """Calls, unsettled calls and USD as cells of a table."""
    if one is None:
        return "0", "0", "0"
    return str(one.calls), str(one.unsettled), f"{one.micros / 1e6:.4f}"


def dry_run(
    plan: Plan,
    settings: Settings,
    caps: Caps,
    *,
    judge: JudgeEstimate | None,
    as_json: bool,
) -> int:
    """Print what a run would ask and cost, engines without a key too, and ask nothing."""
    keyless = {one.engine: one.reason for one in plan.skipped if one.estimate}
    of_run = Capped("run", Counted(0, 0), caps)
    of_month = month_before_run(settings, datetime.now(UTC))
    judging = Counted(judge.calls, judge.micros) if judge else None
    found = misfits(plan, of_run, *([of_month] if of_month else []), judging=judging)
    if as_json:
        body = _dry_json(plan, keyless) | {
            "judge": judge.as_json() if judge else None,
            "caps": of_run.as_json(),
            "month": {"month": of_month.what, **of_month.as_json()} if of_month else None,
            "fits": not found,
            "misfits": list(found),
        }
        print(json.dumps(body, ensure_ascii=True))
        return 0
    _show_estimate(plan, keyless)
    if judge:
        OUT.print(judge.shown)
    print(f"caps of the run: {_caps(caps)}")
    print(_month_line(of_month))
    for one in found:
        print(f"does not fit: it {one}")
    if not plan.with_all_keys:
        print("nothing can be asked: every engine is skipped")
    elif not found:
        print("fits under the caps")
    return 0


def _show_estimate(plan: Plan, keyless: Mapping[str, str]) -> None:
    """Calls and price by engine, and the totals."""
    table(
        "Dry run: nothing is asked",
        ("engine", "captures", "calls at most", "USD a call", "estimated USD", "price", "key"),
        [
            (
                e.engine,
                str(e.captures),
                str(e.max_calls),
                f"{e.price.micros / 1e6:.4f}",
                f"{e.micros / 1e6:.2f}",
                e.price.note,
                keyless.get(e.engine, ""),
            )
            for e in plan.with_all_keys
        ],
    )
    if canaries := sum(len(one.canaries) for one in plan.engines):
        print(f"{canaries} of these captures are canaries of the locale, and in no figure")
    for one in plan.skipped:
        if one.estimate is None:
            print(f"skipped {one.engine}: {one.reason}")
    if keyless:
        print(f"with all keys {_cost(plan.with_all_keys)}")
    print(f"{'that can be asked now' if keyless else 'total'} {_cost(plan.estimate)}")


def _caps(caps: Caps) -> str:
    """A pair of caps in words."""
    calls = "any number of" if caps.calls is None else str(caps.calls)
    return f"{calls} calls, {'any' if caps.micros is None else f'{caps.micros / 1e6:.2f}'} USD"


def _month_line(month: Capped | None) -> str:
    if month is None:
        return "this month so far: not known, for the store needs `monitor db upgrade`"
    return f"{month.what} so far: {month.shown}"


def _cost(parts: tuple[EstimatedEngine, ...]) -> str:
    """Captures and money of several engines."""
    total = _total(parts)
    return f"{total['captures']} captures, about {total['micros'] / 1e6:.2f} USD"


def _total(parts: tuple[EstimatedEngine, ...]) -> dict[str, int]:
    """Captures and millionths of a USD of several engines."""
    return {"captures": sum(e.captures for e in parts), "micros": sum(e.micros for e in parts)}


def _dry_json(plan: Plan, keyless: Mapping[str, str]) -> dict[str, Any]:
    """A dry run for programs; totals with all keys, and of what can be asked now."""
    return {
        "schema": 1,
        "engines": [
            {
                "engine": e.engine,
                "captures": e.captures,
                "max_calls": e.max_calls,
                "micros": e.micros,
                "currency": "USD",
                "call_micros": e.price.micros,
                "price": e.price.note,
                "key_missing": e.engine in keyless,
            }
            for e in plan.with_all_keys
        ],
        "skipped": [{"engine": s.engine, "reason": s.reason} for s in plan.skipped],
        "totals": {"with_all_keys": _total(plan.with_all_keys), "now": _total(plan.estimate)},
    }
