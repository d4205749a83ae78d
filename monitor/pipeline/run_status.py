"""How far a run is: coverage by engine, spending, state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.alert import StoredAlert
from monitor.domain.instrument import Checkup
from monitor.domain.money import NOTHING, Spent
from monitor.domain.score import Coverage
from monitor.pipeline.alarming import checkup_json, run_checkup
from monitor.pipeline.bench import Bench
from monitor.pipeline.live_surfaces import resting, surface_names
from monitor.pipeline.outboxes import Told, told_of
from monitor.pipeline.spending import Capped, month_so_far, spent_json
from monitor.report.words import visible
from monitor.store import Connection, alerts, captures, jobs, runs, spend, vitals
from monitor.store.months import Counted


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How far a run is now, and what it came to so far."""

    public_id: str
    state: str
    stage: str | None
    """How far workers are; None where one process does it all, or nobody is at it."""
    held: str | None
    """Why no further call is made."""
    resting: Mapping[str, str]
    """Browser surface with captures still to be made -> why none is made now."""
    given_up: tuple[jobs.StartedJob, ...]
    """Jobs that failed too often; nobody starts them again before the run is resumed."""
    coverage: Mapping[str, Coverage]
    spent: Mapping[str, Spent]
    """Engine -> calls and money; the judge stands here too, under its name and version."""
    run: Capped
    """What counts towards the run's caps."""
    month: Capped
    """What all runs of this month count towards its caps."""
    checkup: Checkup
    """What looks broken about the measuring; empty while the run is under way."""
    judge: str | None = None
    """Name and version of the judge that it keeps; None before it began."""
    raised: tuple[StoredAlert, ...] = ()
    """Alerts that it raised, oldest first."""
    told: tuple[Told, ...] = ()
    """Digests of its alerts, by engine and channel."""

    @property
    def judges(self) -> Mapping[str, Spent]:
        """Calls and money of judges that are paid, by name and version."""
        return {name: one for name, one in self.spent.items() if name not in self.coverage}

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "schema": 1,
            "run": self.public_id,
            "state": self.state,
            "stage": self.stage,
            "held": self.held,
            "resting": dict(self.resting),
            "given_up": [
                {"job": t.job.shown, "starts": t.starts, "failures": t.failures, "error": t.error}
                for t in self.given_up
            ],
            "engines": {
                engine: {
                    "planned": c.planned,
                    "attempted": c.attempted,
                    "heard": c.heard,
                    "answered": c.answered,
                    "outcomes": dict(c.outcomes),
                    **spent_json(self.spent.get(engine, NOTHING)),
                }
                for engine, c in self.coverage.items()
            },
            "judge": self.judge,
            "judges": [{"judge": name, **spent_json(one)} for name, one in self.judges.items()],
            "spent": self.run.as_json(),
            "month": {"month": self.month.what, **self.month.as_json()},
            **checkup_json(self.checkup),
            "alerts": [_alert_json(one) for one in self.raised],
            "deliveries": [one.as_json() for one in self.told],
        }


def run_status(bench: Bench, run: runs.Run) -> RunStatus:
    """How far a run is, from the store."""
    fresh = bench.read(lambda c: runs.load_run_by_id(c, run.id))
    coverage, spent = bench.read(lambda c: counts_of(c, fresh))
    used = sum(spent.values(), NOTHING)
    return RunStatus(
        run.public_id,
        fresh.state.value,
        fresh.stage.value if fresh.stage else None,
        fresh.held,
        bench.read(lambda c: _resting(c, bench, coverage)),
        bench.read(lambda c: jobs.load_given_up(c, run.id)),
        coverage,
        spent,
        Capped("run", Counted(used.calls, used.micros), fresh.caps),
        month_so_far(bench),
        run_checkup(bench, fresh),
        fresh.judge_version or fresh.judge,
        bench.read(lambda c: alerts.raised_by(c, run.id)),
        bench.read(lambda c: told_of(c, run.public_id)),
    )


def _alert_json(one: StoredAlert) -> dict[str, Any]:
    """An alert in short; `monitor alerts show` has the numbers and the answers behind it."""
    return {
        "id": one.id,
        "engine": one.alert.engine,
        "kind": one.alert.kind.value,
        "entity": one.alert.entity,
        "direction": one.alert.direction.value,
        "severity": one.alert.severity.value,
        "says": visible(one.alert.says),
        "closed": one.closed.value if one.closed else None,
    }


def _resting(
    connection: Connection, bench: Bench, coverage: Mapping[str, Coverage]
) -> Mapping[str, str]:
    """Why surfaces are not captured now that a run is not done with."""
    left = {name for name, one in coverage.items() if one.attempted < one.planned}
    if not left & set(surface_names()):
        return {}
    told = resting(connection, bench.settings, bench.clock.now())
    return {name: reason for name, reason in told.items() if name in left}


Counts = tuple[Mapping[str, Coverage], Mapping[str, Spent]]


def counts_of(connection: Connection, run: runs.Run) -> Counts:
    """Coverage and money of a run by engine: as kept when it ended, else counted now."""
    return _kept(connection, run) or _counted(connection, run.id)


def _kept(connection: Connection, run: runs.Run) -> Counts | None:
    """What was kept of a run as it ended, so that its captures need not be counted again.

    None while it is under way, and where money has moved since.
    """
    kept = vitals.load_totals(connection, [run.id]).get(run.id)
    if kept is None or not vitals.still_hold(run, kept):
        return None
    spent = {engine: totals.spent_in_all for engine, totals in kept.items() if totals.spent}
    spent |= spend.totals_of_judge(connection, run.id) if run.judge_calls else {}
    return {engine: totals.coverage for engine, totals in kept.items()}, spent


def _counted(connection: Connection, run_id: int) -> Counts:
    """The same, counted now."""
    return captures.coverage(connection, run_id), spend.totals_by_engine(connection, run_id)


def spent_micros(bench: Bench, run: runs.Run) -> int:
    """What a run cost so far, in millionths of a USD; open calls count by their estimate."""
    return bench.read(lambda c: runs.load_run_by_id(c, run.id)).spent_micros
