"""How far a run is: coverage by engine, spending, state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.score import Coverage
from monitor.pipeline.bench import Bench
from monitor.store import captures, runs, spend


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands now."""

    public_id: str
    state: str
    coverage: Mapping[str, Coverage]
    spent: Mapping[str, int]
    """Engine -> millionths of a USD."""

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
                    "micros": self.spent.get(engine, 0),
                }
                for engine, c in self.coverage.items()
            },
        }


def run_standing(bench: Bench, run: runs.Run) -> Standing:
    """Standing of a run from the store."""
    coverage = bench.read(lambda c: captures.coverage(c, run.id))
    spent = bench.read(lambda c: spend.totals_by_engine(c, run.id))
    fresh = bench.read(lambda c: runs.load_run_by_id(c, run.id))
    return Standing(
        run.public_id,
        fresh.state.value,
        coverage,
        {engine: one.micros for engine, one in spent.items()},
    )
