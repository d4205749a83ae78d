"""Months in which nothing changes, through the whole comparison, the alert rules and their memory.

Every month is held against the month before and against the three before, pooled; families,
measures, concentration and required sources may all cry. What is counted is what would be sent: an
alert that is open is not told again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import exp, sqrt

from benchmarks.figures import Outcome, Ratio
from benchmarks.simulated import DRIFT, ENGINES, EngineKind, family_name
from benchmarks.simulated_runs import drifting, series
from benchmarks.spread import spread
from benchmarks.tables import table
from monitor.changes import Past, Standing, compare, review
from monitor.domain.alert import Alert, AlertKind, AlertRules, Direction, StoredAlert
from monitor.domain.change import ChangeRules, Comparison
from monitor.domain.sample import Sample, pooled_sample

SEEDS, MONTHS = 20, 24
SIZE = (100, 3)
PANEL = "simulated"
BAR = 0.1
WATCHED = frozenset(map(family_name, range(5)))
_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Series:
    """One engine and seed."""

    engine: EngineKind
    seed: int
    months: int = MONTHS
    size: tuple[int, int] = SIZE
    swaps: int = 9_999


class Desk:
    """The memory of one engine's alerts: what the pipeline does with a store, without one."""

    def __init__(self, rules: AlertRules, changes: ChangeRules) -> None:
        self.rules, self.changes = rules, changes
        self.samples: dict[str, Sample] = {}
        self.standing: list[StoredAlert] = []
        self.told = 0

    def receive(self, sample: Sample) -> tuple[Alert, ...]:
        """Alerts that are new with a month's answers."""
        earlier = tuple(self.samples.values())[-self.rules.drift_runs - 1 :]
        self.samples[sample.name] = sample
        past = Past(earlier, tuple(self.standing), watched=WATCHED)

        def compared(names: Sequence[str]) -> Comparison:
            return self._compared([self.samples[name] for name in names], sample)

        made = review(PANEL, sample, past, compared=compared, rules=self.rules)
        return self._settled(made.standing, sample)

    def _compared(self, before: Sequence[Sample], after: Sample) -> Comparison:
        pooled = pooled_sample(before)
        return compare(
            list(pooled.tallies.values()),
            list(after.tallies.values()),
            engine=after.engine,
            panel_version=f"{PANEL}@1",
            before_id=pooled.name,
            after_id=after.name,
            coverage=(pooled.coverage, after.coverage),
            rules=self.changes,
        )

    def _settled(self, settled: Standing, sample: Sample) -> tuple[Alert, ...]:
        """Open, hold and close."""
        gone = {one.id for one, _ in settled.closed}
        quiet = {one.id: count for one, count in settled.quiet}
        kept = [
            _stored(one.id, one.alert, sample.name, quiet.get(one.id, one.quiet_runs))
            for one in self.standing
            if one.id not in gone
        ]
        for alert in settled.fresh:
            self.told += 1
            kept.append(_stored(self.told, alert, sample.name, 0))
        self.standing = kept
        return settled.fresh


def _stored(number: int, alert: Alert, run: str, quiet: int) -> StoredAlert:
    return StoredAlert(
        id=number,
        key=alert.key(PANEL),
        panel=PANEL,
        alert=alert,
        opened_at=_AT,
        seen_run=run,
        quiet_runs=quiet,
        closed_at=None,
        closed=None,
    )


def told(given: Series) -> Counter[str]:
    """False alerts of one series by kind, those that only the pooled baseline shows apart."""
    desk = Desk(AlertRules(), ChangeRules(resamples=given.swaps))
    found: Counter[str] = Counter()
    for sample in series(given.engine, given.seed, given.size, given.months + 1):
        for alert in desk.receive(sample):
            drift = alert.kind is not AlertKind.REQUIRED_LOST and len(alert.before) > 1
            found[f"{alert.kind.value}, pooled baseline" if drift else alert.kind.value] += 1
    return found


def noticed(given: Series) -> tuple[int, int]:
    """Month in which a slow drift is told, and whether only the pooled baseline showed it: 1 or 0.

    Month 0 where it never is.
    """
    desk = Desk(AlertRules(), ChangeRules(resamples=given.swaps))
    for number, sample in enumerate(drifting(given.engine, given.seed, given.size), start=1):
        for alert in desk.receive(sample):
            if (alert.entity, alert.direction) == (family_name(0), Direction.UP):
                return number, int(len(alert.before) > 1)
    return 0, 0


def upper_limit(events: int, level: float = 0.95) -> float:
    """Largest Poisson mean at which so few events are no rarer than 1 - level (Garwood 1936)."""
    low, high = 0.0, events + 10 * sqrt(events + 1) + 10
    for _ in range(100):
        middle = (low + high) / 2
        term = total = exp(-middle)
        for number in range(1, events + 1):
            term *= middle / number
            total += term
        low, high = (middle, high) if total > 1 - level else (low, middle)
    return high


def run() -> Outcome:
    """Every engine and seed."""
    cells = [Series(engine, seed) for engine in ENGINES for seed in range(SEEDS)]
    found: dict[str, Counter[str]] = {engine.name: Counter() for engine in ENGINES}
    for cell, counts in zip(cells, spread(told, cells), strict=True):
        found[cell.engine.name].update(counts)
    every = sum((counts.total() for counts in found.values()), 0)
    lines = (*_table(found), *_drift_table())
    mean = every / (len(ENGINES) * SEEDS * MONTHS)
    return Outcome(
        lines, (Ratio("mean false alerts per engine-month, all kinds", mean, BAR, unit=""),), lines
    )


def _table(found: Mapping[str, Counter[str]]) -> tuple[str, ...]:
    each = SEEDS * MONTHS
    whole = sum(found.values(), Counter[str]())
    columns = {**found, "all": whole}
    sizes = {name: each * (len(found) if name == "all" else 1) for name in columns}
    title = (
        f"**Quiet months, the whole comparison and the alert rules as they come** ({SEEDS} seeds x "
        f"{MONTHS} months x {len(found)} engines, {SIZE[0]} prompts x {SIZE[1]} repeats, 9,999 swaps; "
        "false alerts told per engine-month)"
    )
    rows = [
        [kind, *(f"{columns[name][kind] / sizes[name]:.4f}" for name in columns)]
        for kind in sorted(whole, key=lambda kind: (-whole[kind], kind))
    ]
    counts = {name: columns[name].total() for name in columns}
    rows += [
        ["**all kinds**", *(f"**{counts[name] / sizes[name]:.3f}**" for name in columns)],
        ["alerts in engine-months", *(f"{counts[name]} in {sizes[name]:,}" for name in columns)],
        [
            "exact Poisson 95 % upper limit of the mean",
            *(f"{upper_limit(counts[name]) / sizes[name]:.3f}" for name in columns),
        ],
    ]
    return table(title, ["kind of alert", *columns], rows)


def _drift_table() -> tuple[str, ...]:
    path = ", ".join(f"{100 * share:g}" for share in DRIFT)
    title = (
        f"**A slow drift, as told** (one family {path} % in six months among the others; {SEEDS} seeds; "
        "seeds in which it was told by then)"
    )
    rows = []
    for engine in ENGINES:
        seen = spread(noticed, [Series(engine, seed) for seed in range(SEEDS)])
        by = [sum(0 < month <= last for month, _ in seen) for last in (4, 5, 6)]
        pooled = sum(alone for _, alone in seen)
        rows.append([engine.name, *map(str, by), str(pooled)])
    head = ["engine", "month 4", "month 5", "month 6", "by the pooled baseline alone"]
    return table(title, head, rows)
