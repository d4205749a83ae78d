"""Instrument alarms: count what a run's engines came to, and hold it against the runs before."""

import asyncio
from collections.abc import Mapping
from typing import Any

from monitor.changes.instrument import check_up
from monitor.config.logs import log
from monitor.config.parts import AlarmsPart
from monitor.domain.instrument import AlarmRules, Checkup, EngineTotals
from monitor.pipeline.bench import Bench
from monitor.store import Connection, runs, vitals


def rules_of(part: AlarmsPart) -> AlarmRules:
    """Thresholds as settings have them."""
    return AlarmRules(
        least_answers=part.least_answers,
        citing_left=part.citing_left,
        unread=part.unread,
        coverage=part.coverage,
        storm=part.storm,
        least_captures=part.least_captures,
    )


async def take_stock(bench: Bench, run: runs.Run) -> Checkup:
    """Count and keep what the engines of a run came to, and what looks broken about it.

    To be called when the work of a run is over, before it is moved to its last state; again after
    its payloads were read anew. Earlier runs of the panel that were never counted are counted too.
    """
    return await asyncio.to_thread(stock_of, bench, run)


def stock_of(bench: Bench, run: runs.Run) -> Checkup:
    """The same, from a thread or a synchronous door."""
    limit = bench.settings.alarms.past_runs

    def missing(connection: Connection) -> list[runs.Run]:
        before = runs.runs_before(connection, run, limit=limit)
        kept = vitals.load_totals(connection, [one.id for one in before])
        return [one for one in before if one.id not in kept]

    for one in [*bench.read(missing), run]:
        _keep(bench, one)
    found = bench.read(lambda c: checkup(c, bench.settings.alarms, run))
    for alarm in found.alarms:
        log("instrument_alarm", level="warning", run=run.public_id, engine=alarm.engine,
            reason=alarm.kind.value, counts=alarm.counts)  # fmt: skip
    return found


def _keep(bench: Bench, run: runs.Run) -> None:
    """Count a run and keep the counts; counting is reading, and holds up no writer."""
    totals = bench.read(lambda c: vitals.count_totals(c, run.id))
    at = bench.clock.now()
    bench.write(lambda c: vitals.save_totals(c, run.id, totals, at=at))


def checkup(connection: Connection, part: AlarmsPart, run: runs.Run) -> Checkup:
    """Alarms of a run from what was kept of it; none where nothing was, or it was handed in."""
    if run.imported:
        return Checkup()
    before = runs.runs_before(connection, run, limit=part.past_runs)
    kept: Mapping[int, Mapping[str, EngineTotals]] = vitals.load_totals(
        connection, [run.id, *(one.id for one in before)]
    )
    past = [kept[one.id] for one in before if one.id in kept]
    return check_up(kept.get(run.id, {}), past, rules_of(part))


def run_checkup(bench: Bench, run: runs.Run) -> Checkup:
    """Alarms of a run that ended; empty for one that is under way or was cancelled."""
    if run.state not in runs.TELLING:
        return Checkup()
    return bench.read(lambda c: checkup(c, bench.settings.alarms, run))


def checkup_json(found: Checkup) -> dict[str, Any]:
    """Alarms, and what could not be decided, as JSON values."""
    return {
        "alarms": [
            {
                "kind": one.kind.value,
                "engine": one.engine,
                "grave": one.grave,
                "counts": dict(one.counts),
                "says": one.says,
                "advice": one.advice,
            }
            for one in found.alarms
        ],
        "alarms_undecided": [
            {"kind": one.kind.value, "engine": one.engine, "reason": one.reason}
            for one in found.undecided
        ],
    }
