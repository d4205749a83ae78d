"""Assess, tally and score a stored run: whether ten times as many answers take ten times as long.

Every answer has statements nobody judged yet. The judge answers at once: what is measured is the
line around it, the book of verdicts and the store included.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.answers import keep_baseline, keep_pages, keep_payloads
from benchmarks.figures import Outcome, busy_seconds
from benchmarks.growth import growth
from benchmarks.stores import benched, local_settings, panel_of, planned
from monitor.cli.sandboxed import KEYS
from monitor.domain.claim import Question, Support, Verdict
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.tallying import score_run


class Ready:
    """A judge that answers at once: full where the words stand on the page."""

    version = "bench@1"
    held = None

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """Verdicts one after another."""
        return (self.verdict(one.claim, one.evidence) for one in asked)

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """The verdict of a text search."""
        found = any(claim in text for text in evidence)
        support = Support.FULL if found else Support.UNSUPPORTED
        return Verdict(support, (), score=float(found), judge=self.version)


def run() -> Outcome:
    """Growth of the CPU time with the number of answers."""
    return growth("assessed, tallied, scored and stored", _took)


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
