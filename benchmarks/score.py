"""Assess, tally and score a stored run: whether ten times as many answers take ten times as long.

Every answer has statements nobody judged yet. The judge answers at once: what is measured is the
line around it, the book of verdicts and the store included.
"""

import os
import tempfile
from pathlib import Path

from benchmarks.answers import CITATIONS, keep_baseline, keep_pages, keep_payloads
from benchmarks.figures import Outcome, Ratio, busy_seconds
from benchmarks.stores import benched, local_settings, panel_of, planned
from monitor.cli.sandboxed import KEYS
from monitor.domain.claim import Support, Verdict
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.tallying import score_run

WARM, FEW, MANY = 200, 1_000, 10_000
BAR = 1.1
"""Linear growth is 1; the rest is noise."""


class Ready:
    """A judge that answers at once: full where the words stand on the page."""

    version = "bench@1"

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """The verdict of a text search."""
        found = any(claim in text for text in evidence)
        support = Support.FULL if found else Support.UNSUPPORTED
        return Verdict(support, (), score=float(found), judge=self.version)


def run() -> Outcome:
    """Growth from a thousand answers to ten thousand, each in a store of its own, once all code is loaded."""
    _took(WARM)
    before, large, after = _took(FEW), _took(MANY), _took(FEW)
    small = (before + after) / 2
    return Outcome(
        (
            f"answers with {CITATIONS} citations each: assessed, tallied, scored and stored",
            f"{FEW} answers: {small:.2f} s of CPU, {FEW / small:.0f} answers/s",
            f"{MANY} answers: {large:.2f} s of CPU, {MANY / large:.0f} answers/s",
        ),
        (Ratio(f"CPU time for {MANY} over {MANY // FEW} times that for {FEW}",
               large / (small * MANY / FEW), BAR),),
    )  # fmt: skip


def _took(number: int) -> float:
    """CPU seconds to score so many stored answers."""
    os.environ.update(KEYS)
    panel = panel_of(number, "openai")
    with (
        tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder,
        benched(local_settings(Path(folder))) as bench,
    ):
        run = planned(bench, panel, "bench")
        keep_payloads(bench, run)
        keep_pages(bench, run)
        keep_baseline(bench, panel)
        reparse_run(bench, run)
        return busy_seconds(lambda: score_run(bench, run, Ready()))
