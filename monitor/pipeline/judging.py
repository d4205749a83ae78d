"""The judge's work on a run in parts, each a job; what all of them need is read once a process."""

import math
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from monitor.domain.baseline import Baseline
from monitor.pipeline.assessing import judge_part
from monitor.pipeline.bench import Bench
from monitor.pipeline.judge_choice import judge_choice
from monitor.pipeline.judges import opened_judge
from monitor.pipeline.run_judge import RunJudge
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


@dataclass(slots=True)
class _Kit:
    """What the parts of one run share; it is put away when the last of them is done with it."""

    run_id: int
    read_at: float
    parts: int
    judge: RunJudge
    opened: ExitStack
    baseline: Baseline | None
    pages: RunPages
    parts_at_it: int = 0
    is_old: bool = False

    def close(self) -> None:
        """Let go of the judge's connections once nobody needs them."""
        if self.is_old and self.parts_at_it == 0:
            self.opened.close()


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
        with self._kit_of(run) as kit:
            if number >= kit.parts:
                return None
            part = Part(number, kit.parts, together=True)
            judge_part(self._bench, run, kit.judge, kit.baseline, part=part, pages=kit.pages)
            held = kit.judge.held
        if held is not None:
            self.forget()  # whoever resumes the run may have raised that cap
        return held

    def forget(self) -> None:
        """Let go of what is remembered: another stage begins."""
        with self._lock:
            self._put_away()

    def _put_away(self) -> None:
        kit, self._kit = self._kit, None
        if kit is not None:
            kit.is_old = True
            kit.close()

    @contextmanager
    def _kit_of(self, run: runs.Run) -> Iterator[_Kit]:
        with self._lock:
            kit = self._kit
            now = self._bench.clock.monotonic()
            if kit is None or kit.run_id != run.id or now - kit.read_at > _HOLDS_SECONDS:
                self._put_away()
                kit = self._kit = self._read(run, now)
            kit.parts_at_it += 1
        try:
            yield kit
        finally:
            with self._lock:
                kit.parts_at_it -= 1
                kit.close()

    def _read(self, run: runs.Run, now: float) -> _Kit:
        """What the parts of a run share, with its judge opened: all parts ask by one pace."""
        bench = self._bench
        with ExitStack() as stack:
            judge = stack.enter_context(
                opened_judge(bench, judge_choice(bench, run), run_id=run.id)
            )
            return _Kit(
                run.id,
                now,
                count_parts(bench, run),
                judge,
                stack.pop_all(),
                bench.read(lambda c: panels.load_baseline(c, run.panel)),
                load_pages(bench, run),
            )
