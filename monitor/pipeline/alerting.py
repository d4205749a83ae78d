"""A run that is over -> what to tell of it: alerts raised, closed, and one digest per engine.

Finding them reads and computes, and takes its time; keeping them is one transaction, that of the
run's end, in which the messages are left for the outbox too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from monitor.changes import Past, Standing, review, settle
from monitor.changes.quality import absence_alert
from monitor.domain.alert import Digest, StoredAlert
from monitor.domain.change import ChangeRules, Comparison
from monitor.domain.claim import Judge
from monitor.domain.engine import Surface
from monitor.domain.instrument import Alarm
from monitor.domain.panel import Panel
from monitor.domain.sample import Sample
from monitor.domain.score import Coverage
from monitor.engines import ENGINES
from monitor.pipeline.alarming import checkup
from monitor.pipeline.bench import Bench
from monitor.pipeline.comparing import compare_engine
from monitor.pipeline.notifying import announce_digests
from monitor.pipeline.samples import RunSamples, run_samples
from monitor.scoring.segments import EVERYTHING
from monitor.store import Connection, alerts, captures, panels, runs, scores

_LOOKED_AT = 12
"""Earlier runs among which those that were heard are looked for."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An earlier run, and what each engine came to in it."""

    run: runs.Run
    coverage: Mapping[str, Coverage]


@dataclass(frozen=True, slots=True)
class EngineFindings:
    """What is to become of one engine's alerts, and what is to be told."""

    engine: str
    standing: Standing
    digest: Digest | None
    """None where nothing is new."""


def find_alerts(bench: Bench, run: runs.Run, judge: Judge) -> tuple[EngineFindings, ...]:
    """Everything that a scored run gives cause to tell, engine by engine.

    A trial, which asks a part of the panel on purpose, gives none. Only one engine's answers are in
    memory at a time. Keep what this returns with `keep_alerts`.
    """
    if run.partial:
        return ()
    panel = bench.read(lambda c: panels.load_panel_by_id(c, run.panel_id))
    before = bench.read(lambda c: _runs_before(c, run))
    alarms = bench.read(lambda c: checkup(c, bench.settings.alarms, run)).alarms
    asked = [part.engine for part in bench.read(lambda c: runs.load_plan(c, run.id))]
    found: list[EngineFindings] = []
    for engine in asked:
        bench.progress("alerts", len(found), len(asked))
        look = _Look(bench, run, judge, engine, panel=panel, before=before)
        found.append(look.findings([one for one in alarms if one.engine == engine]))
    absent = [_absent(bench, run, panel, engine) for engine in _missing(panel, asked, before)]
    return (*found, *absent)


def keep_alerts(
    connection: Connection, bench: Bench, run: runs.Run, found: Sequence[EngineFindings]
) -> None:
    """Open and close alerts, and leave the digests in the outbox, in one transaction.

    What somebody opened since they were found stays his: it is not opened and not told twice.
    """
    at = bench.clock.now()
    digests = []
    for one in found:
        for closing, how in one.standing.closed:
            alerts.close_alert(connection, closing.id, how, at=at)
        for standing, quiet in one.standing.quiet:
            alerts.hold_against(connection, standing.id, run.id, quiet)
        fresh = tuple(
            alert
            for alert in one.standing.fresh
            if alerts.open_alert(connection, run.id, run.panel, alert, at=at) is not None
        )
        if one.digest is not None and fresh:
            digests.append(replace(one.digest, alerts=fresh))
    announce_digests(connection, bench.settings, digests, at=at)


def _runs_before(connection: Connection, run: runs.Run) -> tuple[Heard, ...]:
    """The runs of a panel that ended before this one was planned, newest first."""
    found = runs.runs_before(connection, run, limit=_LOOKED_AT)
    return tuple(Heard(one, captures.coverage(connection, one.id)) for one in found)


def _missing(panel: Panel, asked: Sequence[str], before: Sequence[Heard]) -> list[str]:
    """Engines of the panel that its last run asked and this one could not.

    A browser surface is left out by choice, on a machine without a browser for example.
    """
    last = before[0].coverage if before else {}
    return [
        engine
        for engine in panel.engines
        if engine in last and engine not in asked and ENGINES[engine].surface is Surface.HTTP
    ]


def _absent(bench: Bench, run: runs.Run, panel: Panel, engine: str) -> EngineFindings:
    """That an engine of the panel was left out."""
    standing = bench.read(lambda c: alerts.open_alerts(c, panel.name, engine))
    rules = bench.settings.alerts.rules
    raised = (absence_alert(engine, run.public_id),)
    settled = settle(
        panel.name,
        raised if rules.coverage else (),
        standing,
        seen={},
        run=run.public_id,
        quiet_runs=rules.quiet_runs,
    )
    return EngineFindings(engine, settled, _digest(bench, run, engine, settled, standing))


@dataclass(slots=True)
class _Look:
    """One engine of a run, held against the runs before it."""

    bench: Bench
    run: runs.Run
    judge: Judge
    engine: str
    panel: Panel
    before: Sequence[Heard]
    """Newest first."""
    _sampled: dict[int, RunSamples] = field(default_factory=dict)

    def findings(self, alarms: Sequence[Alarm]) -> EngineFindings:
        """What to tell of the engine."""
        rules = self.bench.settings.alerts.rules
        earlier = self._earlier(rules.drift_runs + 1)
        standing = self.bench.read(lambda c: alerts.open_alerts(c, self.panel.name, self.engine))
        past = Past(
            tuple(self._sample(one) for one in earlier),
            standing,
            tuple(alarms),
            _watched(self.bench, self.panel),
            self._stale(earlier),
        )
        made = review(
            self.panel.name, self._sample(self.run), past, compared=self._compared, rules=rules
        )
        digest = _digest(
            self.bench, self.run, self.engine, made.standing, standing, previous=made.previous
        )
        return EngineFindings(self.engine, made.standing, digest)

    def _earlier(self, most: int) -> tuple[runs.Run, ...]:
        """The last runs in which the engine was heard well enough, oldest first."""
        heard = [one.run for one in self.before if _is_heard(one.coverage.get(self.engine))]
        return tuple(reversed(heard[:most]))

    def _samples(self, one: runs.Run) -> RunSamples:
        if one.id not in self._sampled:
            self._sampled[one.id] = run_samples(self.bench, one, self.judge, engines={self.engine})
        return self._sampled[one.id]

    def _sample(self, one: runs.Run) -> Sample:
        return self._samples(one).engines[self.engine].sample

    def _compared(self, names: Sequence[str]) -> Comparison | None:
        """This run against one or several earlier ones by name; None where none is known."""
        found = [self.bench.read(partial(runs.load_run, name=one)) for one in names]
        before = [self._samples(one) for one in found if one is not None]
        if not before:
            return None
        return compare_engine(before, self._samples(self.run), self.engine)

    def _stale(self, earlier: Sequence[runs.Run]) -> Mapping[str, frozenset[str]]:
        """Runs that are no baseline any more, since a person took a later level for the level."""
        taken = self.bench.read(lambda c: alerts.accepted_at(c, self.panel.name, self.engine))
        return {
            key: frozenset(one.public_id for one in earlier if one.id < run_id)
            for key, run_id in taken.items()
        }


def _is_heard(coverage: Coverage | None) -> bool:
    """Whether an engine's run passes the gate of what was heard."""
    return coverage is not None and coverage.planned > 0 and ChangeRules().is_heard(coverage)


def _watched(bench: Bench, panel: Panel) -> frozenset[str]:
    """Families that the panel watches, and those of the client's own domains."""
    own = (bench.identify(f"https://{domain}/").family for domain in panel.client_domains)
    return frozenset((*panel.watch, *(family for family in own if family)))


def _digest(
    bench: Bench,
    run: runs.Run,
    engine: str,
    settled: Standing,
    standing: Sequence[StoredAlert],
    *,
    previous: Comparison | None = None,
) -> Digest | None:
    """What is told of an engine in one message; None where nothing is new."""
    if not settled.fresh:
        return None
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    signature = next(
        (c.signature for c in cards if c.engine == engine and c.segment == EVERYTHING), ""
    )
    return Digest(
        panel=run.panel,
        engine=engine,
        run=run.public_id,
        slot=run.slot,
        events=previous.events if previous else (),
        alerts=settled.fresh,
        still_open=len(standing) - len(settled.closed),
        signature=signature,
        made_at=bench.clock.now(),
        fictional=run.fictional,
    )
