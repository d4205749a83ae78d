"""Work on runs and daily chores, one at a time, in a thread: the scheduler goes on meanwhile."""

import asyncio
import contextlib
import queue
import threading
from collections import Counter
from dataclasses import replace

from monitor.config.logs import about, log
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.line import hand_over
from monitor.schedule.tidying import Tidying
from monitor.store import runs, schedules

_FAULTS = 3
"""Faults of ours in one run before it is left to a person."""


class Desk:
    """Where planned runs are handed over in order; a run that fails may be put here again."""

    def __init__(self, bench: Bench) -> None:
        self._bench = replace(bench, progress=self._progress)
        self._shown = bench.progress
        self._waiting: queue.SimpleQueue[runs.Run | Tidying | None] = queue.SimpleQueue()
        self._taken: set[int] = set()
        self._told: dict[int, str] = {}
        self._faults: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._closing = False
        self._tidying = Tidying(bench, lambda: self._closing)
        self._will_tidy = False
        self._task: tuple[asyncio.AbstractEventLoop, asyncio.Task[object]] | None = None
        # A daemon: a process that ends does not wait for a run of hours, `close` is its goodbye.
        self._thread = threading.Thread(target=self._loop, name="schedule-desk", daemon=True)
        self._thread.start()

    def add(self, run: runs.Run) -> None:
        """Queue a run, unless it is here already or was given up."""
        with self._lock:
            if self._closing or run.id in self._taken or self._faults[run.id] >= _FAULTS:
                return
            self._taken.add(run.id)
        self._waiting.put(run)

    def tidy(self) -> None:
        """Queue the removal of stored bytes past their time, where it is due."""
        with self._lock:
            if self._closing or self._will_tidy or not self._tidying.is_due():
                return
            self._will_tidy = True
        self._waiting.put(self._tidying)

    def close(self, patience: float) -> bool:
        """Stop the run under way where it stands; whether it let go within so many seconds.

        It stays resumable, as after any other end.
        """
        with self._lock:
            self._closing = True
            task = self._task
        self._waiting.put(None)
        if task is not None:
            # A loop that has ended meanwhile has nothing left to stop.
            with contextlib.suppress(RuntimeError):
                task[0].call_soon_threadsafe(task[1].cancel)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        while (one := self._waiting.get()) is not None and not self._closing:
            if isinstance(one, Tidying):
                one.work()
                with self._lock:
                    self._will_tidy = False
                continue
            with about(run=one.public_id):
                self._guarded(one)
            with self._lock:
                self._taken.discard(one.id)
                self._task = None

    def _guarded(self, run: runs.Run) -> None:
        """Work on a run; no fault in it ends the thread, or keeps the others from their turn."""
        try:
            self._work(run)
        except Exception as error:  # noqa: BLE001 - told, and tried again
            self._faults[run.id] += 1
            log("run_failed", level="error", error=error, attempt=self._faults[run.id])
            if self._faults[run.id] == _FAULTS:
                self._give_up(run, error)

    def _work(self, run: runs.Run) -> None:
        """Hand one run over and say what came of it."""
        try:
            run = self._bench.read(lambda c: runs.load_run_by_id(c, run.id))
            if run.state in runs.FINAL:
                return  # somebody else was quicker
            worked = hand_over(self._bench, run, judge_name=None)
        except asyncio.CancelledError:
            log("run_stopped", level="warning")
        except (MonitorError, OSError) as error:
            # Another process works on this store, or the place fails: the next round tries again.
            if self._told.get(run.id) != str(error):
                log("run_waits", level="warning", reason=str(error), error=error)
            self._told[run.id] = str(error)
        else:
            log("run_handed_over", state=worked.run.state.value, count=len(worked.failures))

    def _give_up(self, run: runs.Run, error: Exception) -> None:
        """Leave a run that fails again and again to a person."""
        why = (
            f"{run.public_id} failed {_FAULTS} times by a fault of the program "
            f"({type(error).__name__}); `monitor resume {run.public_id}` shows it"
        )
        with contextlib.suppress(MonitorError):
            self._bench.write(lambda c: schedules.refuse(c, run.panel, why))

    def _progress(self, stage: str, done: int, total: int) -> None:
        """Pass progress on, and note the task to cancel: stages report from the run's own."""
        with self._lock:
            if self._task is None:
                self._note_task()
        self._shown(stage, done, total)

    def _note_task(self) -> None:
        try:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
        except RuntimeError:
            return  # a stage in a thread of its own
        if task is not None:
            self._task = (loop, task)
            if self._closing:
                task.cancel()
