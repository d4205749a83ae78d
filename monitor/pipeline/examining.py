"""How the whole stands: one look at the store for health pages and metrics, and what is wrong.

A look reads small rows of runs that ended, and counts captures of those under way only.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from monitor.domain.instrument import Checkup, EngineTotals
from monitor.domain.score import Coverage
from monitor.pipeline.alarming import checkup
from monitor.pipeline.bench import Bench
from monitor.store import Connection, alerts, check, queue, runs, vitals
from monitor.store.queue import Waiting
from monitor.store.run_lists import standing_runs
from monitor.store.vitals import OpenWork, Outbox
from monitor.store.workers import SeenWorker, alive_workers

Totals = Mapping[str, EngineTotals]


@dataclass(frozen=True, slots=True)
class RunTotals:
    """A run and what its engines came to so far."""

    run: runs.Run
    totals: Totals


@dataclass(frozen=True, slots=True)
class Examination:
    """Everything that was seen at one moment."""

    at: datetime
    runs: tuple[RunTotals, ...]
    """Newest first."""
    checkups: Mapping[str, Checkup]
    """Panel -> alarms of its newest run that ended."""
    open_work: tuple[OpenWork, ...]
    steps: Mapping[str, Waiting]
    """Queue of workers -> what it holds; captures are in `open_work`."""
    outbox: tuple[Outbox, ...]
    workers: tuple[SeenWorker, ...]
    jobs_given_up: Mapping[str, int]
    """Queue -> jobs that nobody starts again before a person resumes their run."""
    stale: str | None
    """What is pending in the store's schema, and what to do; None when it is up to date."""
    open_alerts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """(panel, severity) -> alerts that are open."""

    @property
    def newest(self) -> dict[str, RunTotals]:
        """Panel -> its newest run that asked engines."""
        return {one.run.panel: one for one in reversed(self.runs) if not one.run.imported}

    @property
    def successes(self) -> dict[tuple[str, str], datetime]:
        """(panel, engine) -> when the last run was done in which the engine answered."""
        found: dict[tuple[str, str], datetime] = {}
        for one in self.runs:
            at = one.run.finished_at
            if one.run.state is not runs.RunState.DONE or at is None or one.run.imported:
                continue
            for engine, totals in one.totals.items():
                key = (one.run.panel, engine)
                if totals.coverage.answered:
                    found[key] = max(at, found.get(key, at))
        return found


class Examiner:
    """Looks at a store again and again; remembers what old runs came to that kept no counts."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._counted: dict[tuple[int, datetime | None, int], Totals] = {}

    def look(self) -> Examination:
        """The store as it stands now; StoreError where it cannot be reached."""
        return self._look(runs.list_runs)

    def glance(self) -> Examination:
        """The same of the runs that say how things stand, so that the past adds no cost."""
        return self._look(standing_runs)

    def _look(self, wanted: Callable[[Connection], tuple[runs.Run, ...]]) -> Examination:
        stale = check(self._bench.database)
        at = self._bench.clock.now()
        if stale is not None:
            return Examination(at, (), {}, (), {}, (), (), {}, stale)
        return self._bench.read(lambda c: self._seen(c, at, wanted(c)))

    def _seen(
        self, connection: Connection, at: datetime, every: tuple[runs.Run, ...]
    ) -> Examination:
        ended = [one.id for one in every if one.state in runs.FINAL]
        kept = vitals.load_totals(connection, ended)
        return Examination(
            at=at,
            runs=tuple(RunTotals(one, self._totals(connection, one, kept)) for one in every),
            checkups=self._checkups(connection, every),
            open_work=vitals.open_work(connection),
            steps=queue.waiting(connection),
            outbox=vitals.outbox(connection),
            workers=alive_workers(connection, now=at),
            jobs_given_up=vitals.jobs_given_up(connection),
            stale=None,
            open_alerts=alerts.count_open(connection),
        )

    def _totals(self, connection: Connection, run: runs.Run, kept: Mapping[int, Totals]) -> Totals:
        """What a run came to: as it was kept, as it was counted before, or counted now."""
        if run.state not in runs.FINAL:
            return vitals.count_totals(connection, run.id)
        if run.id in kept and vitals.still_hold(run, kept[run.id]):
            return kept[run.id]
        key = (run.id, run.finished_at, run.spent_micros)
        if key not in self._counted:
            self._counted[key] = vitals.count_totals(connection, run.id)
        return self._counted[key]

    def _checkups(self, connection: Connection, every: tuple[runs.Run, ...]) -> dict[str, Checkup]:
        ended = (r for r in reversed(every) if r.state in runs.TELLING and not r.imported)
        newest = {one.panel: one for one in ended}
        part = self._bench.settings.alarms
        return {panel: checkup(connection, part, one) for panel, one in newest.items()}


def problems_of(seen: Examination, *, needs_workers: bool) -> tuple[str, ...]:
    """What keeps the monitor from its work, in words; empty when all is well."""
    found = [] if seen.stale is None else [seen.stale]
    at_work = any(one.run.state not in runs.FINAL for one in seen.runs)
    if needs_workers and at_work and not seen.workers:
        found.append("runs wait and no worker was seen lately: start `monitor worker`")
    return tuple(found)


def warnings_of(seen: Examination) -> tuple[str, ...]:
    """What a person should look at, though the monitor goes on."""
    found = [
        f"{panel}: {alarm.says}"
        for panel, one in sorted(seen.checkups.items())
        for alarm in one.alarms
    ]
    found += [_given_up(box) for box in seen.outbox if box.given_up]
    found += [
        f"{queue}: {count} jobs were given up after too many failures; `monitor status` names them"
        for queue, count in seen.jobs_given_up.items()
    ]
    return tuple(found)


def _given_up(box: Outbox) -> str:
    """Messages that nobody will send any more, in words."""
    if box.channel is None:
        return f"{box.kind}: {box.given_up} messages were given up, for example after a refusal"
    return (
        f"channel {box.channel}: {box.given_up} messages were given up; `monitor alerts "
        "deliveries` says why, `monitor alerts retry` sends them again"
    )


def summed_coverage(totals: Totals) -> Coverage:
    """Coverage of all engines of a run together."""
    return together(one.coverage for one in totals.values())


def together(coverages: Iterable[Coverage]) -> Coverage:
    """Coverage of several engines of a run in one."""
    every = tuple(coverages)
    outcomes: dict[str, int] = {}
    for one in every:
        for name, count in one.outcomes.items():
            outcomes[name] = outcomes.get(name, 0) + count
    return Coverage(
        planned=sum(one.planned for one in every),
        attempted=sum(one.attempted for one in every),
        heard=sum(one.heard for one in every),
        answered=sum(one.answered for one in every),
        outcomes=outcomes,
    )
