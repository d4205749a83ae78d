"""Retention as a daily chore of the scheduler: when it is due, and what came of it."""

from collections.abc import Callable
from dataclasses import replace

from monitor.config.logs import log
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.retaining import retain

_DAY = 86_400.0
_AGAIN = 600.0
"""Seconds until what could not be done is tried again: a run may take hours."""


class _StoppedError(Exception):
    """The process ends; what is left is removed the next time."""


class Tidying:
    """Removal of stored bytes past their time: once when a scheduler starts, then once a day."""

    def __init__(self, bench: Bench, stopped: Callable[[], bool]) -> None:
        """`stopped` says whether to let go between two batches."""
        self._bench = replace(bench, progress=self._go_on)
        self._stopped = stopped
        self._due = bench.clock.monotonic()
        self._told: str | None = None

    def is_due(self) -> bool:
        """Whether anything has a limit at all, and a day has passed."""
        limits = self._bench.settings.retention.model_dump().values()
        return any(one is not None for one in limits) and self._now() >= self._due

    def work(self) -> None:
        """Remove what is past its time; never raises, and waits while runs are worked on."""
        pause = _DAY
        try:
            removed = retain(self._bench)
        except _StoppedError:
            log("retention_stopped")
        except (MonitorError, OSError) as error:
            self._wait(error)
            pause = _AGAIN
        except Exception as error:  # noqa: BLE001 - a fault here must not keep runs from their turn
            log("retention_failed", level="error", error=error)
        else:
            self._told = None
            log("retention_done", counts={kind.value: count for kind, count in removed.items()})
        self._due = self._now() + pause

    def _wait(self, error: Exception) -> None:
        """Say once why it waits; the text of a foreign error may hold anything."""
        why = str(error) if isinstance(error, MonitorError) else type(error).__name__
        if why != self._told:
            log("retention_waits", level="warning", reason=why, error=error)
        self._told = why

    def _go_on(self, stage: str, done: int, total: int) -> None:  # noqa: ARG002 - a Progress
        if self._stopped():
            raise _StoppedError

    def _now(self) -> float:
        return self._bench.clock.monotonic()
