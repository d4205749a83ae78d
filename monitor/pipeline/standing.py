"""How far a run is: coverage by engine, spending, state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.score import Coverage
from monitor.pipeline.bench import Bench
from monitor.pipeline.spending import NOTHING, Capped, month_standing, spent_json
from monitor.store import captures, runs, spend
from monitor.store.months import Counted
from monitor.store.spend import Spent


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands now."""

    public_id: str
    state: str
    coverage: Mapping[str, Coverage]
    spent: Mapping[str, Spent]
    """Engine -> calls and money."""
    run: Capped
    """What counts towards the run's caps."""
    month: Capped
    """What all runs of this month count towards its caps."""

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "schema": 1,
            "run": self.public_id,
            "state": self.state,
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
            "spent": self.run.as_json(),
            "month": {"month": self.month.what, **self.month.as_json()},
        }


def run_standing(bench: Bench, run: runs.Run) -> Standing:
    """Standing of a run from the store."""
    coverage = bench.read(lambda c: captures.coverage(c, run.id))
    spent = bench.read(lambda c: spend.totals_by_engine(c, run.id))
    fresh = bench.read(lambda c: runs.load_run_by_id(c, run.id))
    used = sum(spent.values(), NOTHING)
    return Standing(
        run.public_id,
        fresh.state.value,
        coverage,
        spent,
        Capped("run", Counted(used.calls, used.micros), fresh.caps),
        month_standing(bench),
    )
