"""A folder with panels, a clock that a test sets, and benches on one store."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from monitor.config.parts import EnginePart, PagesPart, StorePart
from monitor.config.settings import Settings
from monitor.pipeline.bench import open_bench
from monitor.schedule.firing import start_due
from monitor.schedule.rules import keep_rules, read_rules
from monitor.store import runs, schedules

PANEL = """\
panel: {name}
version: 1
locale: en-GB
repeats: 1
engines: [openai]
{schedule}
prompts:
  - {{id: black, text: "How hot?"}}
"""
MONTHLY = 'schedule: {cron: "0 6 1 * *", timezone: Europe/London}'
START = datetime(2026, 1, 15, tzinfo=UTC)


class SetClock:
    """Time as the test says."""

    def __init__(self, at=START):
        self.at = at

    def now(self):
        return self.at

    def monotonic(self):
        return self.at.timestamp()


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class Installation:
    """Panels and a store in one folder; nobody answers where its engine lives."""

    def __init__(self, folder, url):
        self.folder = folder
        self.panels = folder / "panels"
        self.panels.mkdir()
        self.clock = SetClock()
        self.settings = Settings(
            store=StorePart(database=url, artifacts=f"{folder}/artifacts"),
            panels=str(self.panels),
            pages=PagesPart(fetch=False),
            engines={"openai": EnginePart(base_url="http://127.0.0.1:9", attempts=1)},
        )

    def write(self, name="tea", schedule=MONTHLY, text=PANEL):
        path = self.panels / f"{name}.yaml"
        path.write_text(text.format(name=name, schedule=schedule), "utf-8")
        return path

    @contextmanager
    def bench(self):
        """A bench as a process of its own would have it, on this folder's clock."""
        with open_bench(self.settings) as bench:
            yield replace(bench, clock=self.clock)

    def look(self, bench, moment=None):
        """One look of a scheduler at all panels; the runs it starts."""
        if moment is not None:
            self.clock.at = at(moment)
        rules = keep_rules(bench, read_rules(bench.settings), self.clock.now())
        found = [start_due(bench, panel, self.clock.now()) for panel in rules]
        return [one.public_id for one in found if one is not None]


def kept(bench, panel="tea"):
    return bench.read(lambda c: schedules.load(c, panel))


def run_ids(bench):
    """Every run of the store, oldest first."""
    return [one.public_id for one in reversed(bench.read(runs.list_runs))]


def end(bench, run_id, state=runs.RunState.DONE):
    """Bring a run to its end without asking anybody."""

    def save(connection):
        found = runs.one_run(connection, run_id)
        runs.set_run_state(connection, found.id, state, at=bench.clock.now())

    bench.write(save)


def missed(bench, cron, *, days, panel="tea"):
    """A rule that was known for so many days before now, so that its newest slot is due."""
    rule = read_rules(bench.settings).panels[panel]
    assert rule is not None
    assert rule.cron == cron
    since = bench.clock.now() - timedelta(days=days)
    bench.write(lambda c: schedules.keep_rule(c, panel, rule, at=since))
