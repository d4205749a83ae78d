"""Reading stored payloads again: answers a second, and whether ten times as many take ten times."""

import os
import tempfile
from pathlib import Path

from benchmarks.answers import keep_payloads
from benchmarks.figures import Outcome, busy_seconds
from benchmarks.growth import growth
from benchmarks.stores import benched, local_settings, panel_of, planned
from monitor.cli.sandboxed import KEYS
from monitor.pipeline.capturing import reparse_run


def run() -> Outcome:
    """Growth of the CPU time with the number of answers."""
    return growth("parsed, identified and stored", _took)


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
