"""What the answers of a store share: prompts, baselines, pages that count as others.

All of it is immutable, or known by a mark that changes with it, and is remembered: looking at one
answer then costs the same in a large panel and in a small one.
"""

from functools import lru_cache

from monitor.domain.baseline import Baseline
from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.bench import Bench
from monitor.pipeline.run_pages import Moved, moved_pages
from monitor.store import pages, panels, runs

_PANELS, _PROMPTS, _BASELINES, _RUNS = 8, 8_192, 16, 64
"""How many of each are remembered."""


class Shelf:
    """A bench with what many answers share; one of it for each application."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._panel = lru_cache(_PANELS)(self._load_panel)
        self._prompt = lru_cache(_PROMPTS)(self._load_prompt)
        self._baseline = lru_cache(_BASELINES)(self._load_baseline)
        self._moved = lru_cache(_RUNS)(self._load_moved)

    def prompt(self, run: runs.Run, version_id: int) -> Prompt:
        """Prompt of the id of its version, with the segments that a run's panel gives it."""
        return self._prompt(run.panel_id, version_id)

    def baseline(self, panel: str, version: str | None = None) -> Baseline | None:
        """Baseline of a panel; without a version the one saved last, None when there is none."""
        found = self.bench.read(lambda c: panels.load_baseline_id(c, panel, version))
        return None if found is None else self._baseline(found)

    def moved(self, run: runs.Run) -> Moved:
        """Which cited pages of a run count as another one each."""
        return self._moved(run.id, self.bench.read(lambda c: pages.fetch_mark(c, run.id)))

    def _load_prompt(self, panel_id: int, version_id: int) -> Prompt:
        panel = self._panel(panel_id)
        found = self.bench.read(lambda c: runs.load_prompts(c, {version_id}, panel))
        return found[version_id]

    def _load_panel(self, panel_id: int) -> Panel:
        return self.bench.read(lambda c: panels.load_panel_by_id(c, panel_id))

    def _load_baseline(self, baseline_id: int) -> Baseline:
        return self.bench.read(lambda c: panels.load_baseline_by_id(c, baseline_id))

    def _load_moved(self, run_id: int, mark: int) -> Moved:  # noqa: ARG002 - part of the key
        return moved_pages(self.bench, run_id)
