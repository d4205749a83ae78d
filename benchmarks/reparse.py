"""Reading stored payloads again: answers a second, and whether ten times as many take ten times."""

import os
import tempfile
from pathlib import Path

from benchmarks.answers import CITATIONS, keep_payloads
from benchmarks.figures import Outcome, Ratio, busy_seconds
from benchmarks.stores import benched, local_settings, panel_of, planned
from monitor.cli.sandboxed import KEYS
from monitor.pipeline.capturing import reparse_run

WARM, FEW, MANY = 200, 1_000, 10_000
BAR = 1.1
"""Linear growth is 1; the rest is noise."""


def run() -> Outcome:
    """Growth from a thousand answers to ten thousand, each in a store of its own, once all code is loaded."""
    _took(WARM)
    before, large, after = _took(FEW), _took(MANY), _took(FEW)
    small = (before + after) / 2
    return Outcome(
        (
            f"answers with {CITATIONS} citations each, parsed, identified and stored",
            f"{FEW} answers: {small:.2f} s of CPU, {FEW / small:.0f} answers/s",
            f"{MANY} answers: {large:.2f} s of CPU, {MANY / large:.0f} answers/s",
        ),
        (Ratio(f"CPU time for {MANY} over {MANY // FEW} times that for {FEW}",
               large / (small * MANY / FEW), BAR),),
    )  # fmt: skip


def _took(number: int) -> float:
    """CPU seconds to read so many stored answers again."""
    os.environ.update(KEYS)
    with (
        tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder,
        benched(local_settings(Path(folder))) as bench,
    ):
        run = planned(bench, panel_of(number, "openai"), "bench")
        keep_payloads(bench, run)
        return busy_seconds(lambda: reparse_run(bench, run))
