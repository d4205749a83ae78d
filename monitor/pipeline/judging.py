"""The judge's work on a run in parts, each a job; what all of them need is read once a process."""

import math
import threading
from dataclasses import dataclass

from monitor.domain.baseline import Baseline
from monitor.pipeline.assessing import judge_part
from monitor.pipeline.bench import Bench
from monitor.pipeline.judges import JudgeChoice, judge_choice, opened_judge
from monitor.pipeline.run_pages import RunPages, load_pages
from monitor.store import captures, panels, runs
from monitor.store.parts import Part

_CAPTURES_A_PART = 250
_MOST_PARTS = 512
_HOLDS_SECONDS = 300.0


def count_parts(bench: Bench, run: runs.Run) -> int:
    """Parts that the judge's work on a run is cut into; the same until more of it is answered."""
    coverage = bench.read(lambda c: captures.coverage(c, run.id))
    answered = sum(one.answered for one in coverage.values())
    return min(_MOST_PARTS, math.ceil(answered / _CAPTURES_A_PART))


@dataclass(frozen=True, slots=True)
class _Kit:
    """What the parts of one run share."""

    run_id: int
    read_at: float
    parts: int
    judge: JudgeChoice
    baseline: Baseline | None
    pages: RunPages


class JudgeDesk:
    """Where parts of runs are judged; remembers what the parts of the last run share.

    It is read again every few minutes. What changes meanwhile (a page fetched again, another
    baseline) is seen when the run is scored: scoring gives the verdicts that are missing.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._kit: _Kit | None = None
        self._lock = threading.Lock()

    def judge(self, run: runs.Run, number: int) -> str | None:
        """Give and store the verdicts of one part of a run; which cap ended that, where one did."""
        kit = self._kit_of(run)
        if number >= kit.parts:
            return None
        part = Part(number, kit.parts, together=True)
        with opened_judge(self._bench, kit.judge, run_id=run.id) as judge:
            judge_part(self._bench, run, judge, kit.baseline, part=part, pages=kit.pages)
            return judge.held

    def forget(self) -> None:
        """Let go of what is remembered: another stage begins."""
        self._kit = None

    def _kit_of(self, run: runs.Run) -> _Kit:
        with self._lock:
            kit = self._kit
            now = self._bench.clock.monotonic()
            if kit is None or kit.run_id != run.id or now - kit.read_at > _HOLDS_SECONDS:
                bench = self._bench
                kit = self._kit = _Kit(
                    run.id,
                    now,
                    count_parts(bench, run),
                    judge_choice(bench, run),
                    bench.read(lambda c: panels.load_baseline(c, run.panel)),
                    load_pages(bench, run),
                )
            return kit
