"""Runs in a store of their own, for benchmarks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from monitor.config.parts import StorePart
from monitor.config.settings import Settings
from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.line import start_run
from monitor.pipeline.planning import make_plan
from monitor.store import runs

NO_CAPS = runs.Caps()


def local_settings(folder: Path) -> Settings:
    """Settings of a store in a folder, asking nobody."""
    store = StorePart(
        database=f"sqlite:///{folder / 'monitor.db'}", artifacts=str(folder / "artifacts")
    )
    return Settings(store=store, panels=str(folder))


@contextmanager
def benched(settings: Settings) -> Iterator[Bench]:
    """A bench that draws nothing."""
    with open_bench(settings) as bench:
        yield bench


def panel_of(number: int, *engines: str) -> Panel:
    """A panel of so many questions that the sandbox has no script for."""
    prompts = tuple(
        Prompt(f"bench-{n}", f"What is there to know about e-bikes, part {n}?", "en-GB")
        for n in range(number)
    )
    return Panel("bench", 1, 1, "en-GB", engines, prompts)


def planned(bench: Bench, panel: Panel, slot: str) -> runs.Run:
    """The run of a slot, planned in full."""
    files = PanelFiles(Path("bench.yaml"), panel, None, None, None, ())
    plan = make_plan(panel, bench.settings)
    return start_run(bench, files, plan, slot=slot, caps=NO_CAPS)
