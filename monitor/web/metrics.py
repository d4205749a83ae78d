"""`/metrics`: what was seen in the store as Prometheus reads it; nothing is counted per process.

Every label comes from a closed list (engines, outcomes, queues) or from the panel files.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from monitor.domain.alert import Severity
from monitor.domain.engine import REASONS, Outcome
from monitor.domain.job import JUDGE, PAGES, RUN, capture_queue
from monitor.engines import ENGINES
from monitor.pipeline.examining import Examination
from monitor.schedule import PanelSchedule
from monitor.store.months import month_of
from monitor.store.runs import RunState
from monitor.web.health import Health

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
OTHER = "other"
_MOST_PANELS = 500
_MOST_CHANNELS = 100

OUTCOMES = frozenset(
    name
    for outcome in Outcome
    for name in (outcome.value, *(f"{outcome.value}/{r}" for r in REASONS.get(outcome, ())))
)

Rows = Iterable[tuple[tuple[str, ...], float]]


def exposition(health: Health) -> bytes:
    """The text that Prometheus reads."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Vitals(health))
    return generate_latest(registry)


class _Vitals(Collector):
    """One look, as metrics."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def describe(self) -> list[Any]:
        """Nothing: what there is depends on the look."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Every metric that the look allows."""
        health = self._health
        yield _one("store_up", "The store could be read and is up to date.", health.store_is_fine)
        yield _one("healthy", "What /health says: 1 ok, 0 failing.", not health.problems)
        if health.scheduler_alive is not None:
            yield _one(
                "scheduler_alive", "The scheduler hosted here lives.", health.scheduler_alive
            )
        if health.examination is not None:
            yield _one("look_seconds", "How long the store took to be read.", health.seconds)
            yield from _captures(health.examination)
            yield from _runs(health.examination)
            yield from _queues(health.examination)
            yield from _outbox(health.examination)
            yield _alerts(health.examination)
        yield from _schedules(health.schedules)


def _one(name: str, text: str, value: float) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"monitor_{name}", text)
    family.add_metric([], float(value))
    return family


def _many(name: str, text: str, labels: Sequence[str], rows: Rows) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"monitor_{name}", text, labels=labels)
    for values, number in sorted(rows):
        family.add_metric(values, float(number))
    return family


def _engine(name: str) -> str:
    return name if name in ENGINES else OTHER


def _queue(name: str) -> str:
    kind, _, engine = name.partition(":")
    if engine:
        return f"{kind}:{_engine(engine)}"
    return kind if kind in {PAGES, JUDGE, RUN} else OTHER


def _captures(seen: Examination) -> Iterator[GaugeMetricFamily]:
    """Captures and money over all runs."""
    outcomes: Counter[tuple[str, ...]] = Counter()
    planned: Counter[tuple[str, ...]] = Counter()
    calls: Counter[tuple[str, ...]] = Counter()
    micros: Counter[tuple[str, ...]] = Counter()
    month = month_of(seen.at)
    handed_in: Counter[tuple[str, ...]] = Counter()
    for one in seen.runs:
        for name, totals in one.totals.items():
            engine = _engine(name)
            if one.run.imported:
                handed_in[engine,] += totals.coverage.planned
                continue
            planned[engine,] += totals.coverage.planned
            for outcome, count in totals.coverage.outcomes.items():
                outcomes[engine, outcome if outcome in OUTCOMES else OTHER] += count
            spent = totals.spent.get(month)
            if spent is not None:
                calls[engine, month] += spent.calls
                micros[engine, month] += spent.micros
    yield _many("captures", "Stored captures of all runs.", ("engine", "outcome"), outcomes.items())
    yield _many("captures_planned", "Planned captures of all runs.", ("engine",), planned.items())
    told = "Captures that people handed in; they are in no other count."
    yield _many("captures_imported", told, ("engine",), handed_in.items())
    by_month = ("engine", "month")
    yield _many("calls", "Calls of this month (UTC).", by_month, calls.items())
    usd = {key: count / 1_000_000 for key, count in micros.items()}
    yield _many(
        "cost_usd", "Money of this month (UTC), estimated until known.", by_month, usd.items()
    )


def _runs(seen: Examination) -> Iterator[GaugeMetricFamily]:
    """The newest run of each panel, its alarms, and what last went well."""
    newest = dict(sorted(seen.newest.items())[:_MOST_PANELS])
    states = {
        (panel, state.value): float(one.run.state is state)
        for panel, one in newest.items()
        for state in RunState
    }
    yield _many(
        "last_run_state", "State of a panel's newest run.", ("panel", "state"), states.items()
    )
    parts: Counter[tuple[str, ...]] = Counter()
    for panel, one in newest.items():
        for name, totals in one.totals.items():
            for part in ("planned", "attempted", "heard", "answered"):
                parts[panel, _engine(name), part] += getattr(totals.coverage, part)
    yield _many(
        "last_run_captures",
        "Captures of a panel's newest run.",
        ("panel", "engine", "part"),
        parts.items(),
    )
    successes: dict[tuple[str, ...], float] = {}
    for (panel, name), at in seen.successes.items():
        if panel in newest:
            key = (panel, _engine(name))
            successes[key] = max(at.timestamp(), successes.get(key, 0.0))
    yield _many(
        "last_success_timestamp_seconds",
        "When a panel's last run was done in which the engine answered.",
        ("panel", "engine"),
        successes.items(),
    )
    alarms = {
        (panel, _engine(alarm.engine), alarm.kind.value): 1.0
        for panel in newest
        if panel in seen.checkups
        for alarm in seen.checkups[panel].alarms
    }
    yield _many(
        "alarm", "Alarms of a panel's last ended run.", ("panel", "engine", "kind"), alarms.items()
    )


def _queues(seen: Examination) -> Iterator[GaugeMetricFamily]:
    """Work that is left, and who does it."""
    depth: Counter[tuple[str, ...]] = Counter()
    ages: dict[tuple[str, ...], float] = {}
    for work in seen.open_work:
        key = (capture_queue(_engine(work.engine), work.access),)
        depth[key] += work.captures
        age = max((seen.at - work.since).total_seconds(), 0.0)
        ages[key] = max(age, ages.get(key, 0.0))
    for name, step in seen.steps.items():
        depth[name,] = step.jobs
        ages[name,] = max((seen.at - step.since).total_seconds(), 0.0)
    yield _many(
        "queue_depth",
        "Captures to be made in runs under way, and steps that wait for workers.",
        ("queue",),
        depth.items(),
    )
    yield _many(
        "queue_oldest_seconds",
        "Age of the oldest such run, or of the oldest step.",
        ("queue",),
        ages.items(),
    )
    given_up: Counter[tuple[str, ...]] = Counter()
    for queue, count in seen.jobs_given_up.items():
        given_up[_queue(queue),] += count
    told = "Jobs given up after too many failures."
    yield _many("jobs_given_up", told, ("queue",), given_up.items())
    yield _one("workers_alive", "Workers that were heard of lately.", len(seen.workers))


def _alerts(seen: Examination) -> GaugeMetricFamily:
    """Open alerts of the panels that have any."""
    rows = dict(sorted(seen.open_alerts.items())[: len(Severity) * _MOST_PANELS])
    return _many("alerts_open", "Alerts that are open.", ("panel", "severity"), rows.items())


def _outbox(seen: Examination) -> Iterator[GaugeMetricFamily]:
    """Messages to the outside."""
    boxes = {box.kind: box for box in seen.outbox if box.kind == "ping"}
    waiting = {(kind,): float(box.waiting) for kind, box in boxes.items()} or {("ping",): 0.0}
    given_up = {(kind,): float(box.given_up) for kind, box in boxes.items()} or {("ping",): 0.0}
    ages = {
        (kind,): max((seen.at - box.since).total_seconds(), 0.0)
        for kind, box in boxes.items()
        if box.since is not None
    }
    yield _many("outbox_waiting", "Messages not taken yet.", ("kind",), waiting.items())
    yield _many("outbox_oldest_seconds", "Age of the oldest such message.", ("kind",), ages.items())
    yield _many("outbox_given_up", "Messages given up.", ("kind",), given_up.items())
    yield from _channels(seen)


def _channels(seen: Examination) -> Iterator[GaugeMetricFamily]:
    """Digests of alerts that were not taken, by channel; names come from the settings."""
    boxes = [box for box in seen.outbox if box.channel is not None][:_MOST_CHANNELS]
    label = ("channel",)
    yield _many(
        "channel_waiting",
        "Digests of alerts not taken yet.",
        label,
        [((str(box.channel),), box.waiting) for box in boxes],
    )
    yield _many(
        "channel_oldest_seconds",
        "Age of the oldest such digest.",
        label,
        [
            ((str(box.channel),), max((seen.at - box.since).total_seconds(), 0.0))
            for box in boxes
            if box.since is not None
        ],
    )
    yield _many(
        "channel_given_up",
        "Digests of alerts given up.",
        label,
        [((str(box.channel),), box.given_up) for box in boxes],
    )


def _schedules(found: Sequence[PanelSchedule]) -> Iterator[GaugeMetricFamily]:
    """When panels were run last and are due next."""
    shown = [one for one in found if one.rule is not None][:_MOST_PANELS]
    yield _many(
        "schedule_next_timestamp_seconds",
        "When a panel is due next.",
        ("panel",),
        [((one.panel,), one.next.due.timestamp()) for one in shown if one.next],
    )
    yield _many(
        "schedule_last_timestamp_seconds",
        "When a panel's last slot was handed over.",
        ("panel",),
        [((one.panel,), one.last_fired_at.timestamp()) for one in shown if one.last_fired_at],
    )
    paused = [((one.panel,), float(one.paused_at is not None)) for one in shown]
    yield _many("schedule_paused", "Whether a panel's schedule is paused.", ("panel",), paused)
