"""Health: one look at the store for everybody who asks within some seconds.

Looks are made one at a time in a thread. The longer one took, the longer it holds, so that however
often somebody asks, looking takes a tenth of the time at most.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from monitor.config.logs import log
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.examining import Examination, Examiner, problems_of, warnings_of
from monitor.schedule import KnownRules, PanelSchedule, panel_schedules

HOLDS_SECONDS = 5.0
_SHARE = 10.0
PATIENCE_SECONDS = 5.0
"""How long somebody who asks waits for a look."""
_OVERDUE = timedelta(minutes=10)
"""After this a slot that is due was noticed by no scheduler."""


@dataclass(frozen=True, slots=True)
class Health:
    """How the monitor is, as one look found it."""

    examination: Examination | None
    """None where the store could not be read."""
    schedules: tuple[PanelSchedule, ...] = ()
    scheduler_alive: bool | None = None
    """Whether the scheduler hosted here lives; None where none is hosted."""
    problems: tuple[str, ...] = ()
    """What keeps the monitor from its work."""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    """How long the look took."""

    @property
    def store_is_fine(self) -> bool:
        """Whether the store was read and is up to date."""
        return self.examination is not None and self.examination.stale is None


class HealthWatch:
    """Health on demand: looks at the store when somebody asks and the last look is too old."""

    def __init__(
        self,
        bench: Bench,
        *,
        scheduler: Callable[[], bool] | None = None,
        holds: float = HOLDS_SECONDS,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self.bench = self._bench = bench
        self._examiner = Examiner(bench)
        self._rules = KnownRules(bench.settings)
        self._scheduler = scheduler
        self._holds, self._patience = holds, patience
        self._health: Health | None = None
        self._until = 0.0
        self._task: asyncio.Task[Health] | None = None
        self._glancing: asyncio.Task[Health] | None = None

    async def glance(self) -> Health:
        """Health as it is now, of the runs that say how things stand; nothing of it is kept.

        Its cost grows with no past, so that pages may ask for it each time.
        """
        if self._glancing is None or self._glancing.done():
            self._glancing = asyncio.create_task(self._seen(self._examiner.glance))
        return await self._awaited(self._glancing)

    def scheduled(self) -> tuple[str, ...]:
        """Panels of the files and of the store's schedules, by name."""
        return tuple(one.panel for one in panel_schedules(self._bench, self._rules.read()))

    async def look(self) -> Health:
        """Health of the last look, or of a new one; what hangs is told and not waited for."""
        if self._health is not None and self._bench.clock.monotonic() < self._until:
            return self._health
        if self._task is None:
            self._task = asyncio.create_task(self._look())
        return await self._awaited(self._task)

    async def _awaited(self, task: asyncio.Task[Health]) -> Health:
        """What a task finds; what hangs is told and not waited for."""
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        if done:
            return task.result()
        return self._failed(f"the store did not answer within {self._patience:g} seconds")

    async def _look(self) -> Health:
        """One look, kept for as long as it holds."""
        started = self._bench.clock.monotonic()
        health = await self._seen(self._examiner.look)
        ended = self._bench.clock.monotonic()
        self._health, self._task = health, None
        self._until = ended + max(self._holds, _SHARE * (ended - started))
        return health

    async def _seen(self, examine: Callable[[], Examination]) -> Health:
        """What there is to see, or why nothing is."""
        try:
            return await asyncio.to_thread(self._look_now, examine)
        except MonitorError as error:
            log("store_unreadable", level="error", reason=str(error), error=error)
            return self._failed("the store cannot be read; the log says why")
        except Exception as error:  # noqa: BLE001 - whoever asks is told, and the server goes on
            log("look_failed", level="error", error=error)
            return self._failed(
                f"looking failed by a fault of the program ({type(error).__name__})"
            )

    def _look_now(self, examine: Callable[[], Examination]) -> Health:
        """Everything there is to see, in a thread."""
        started = self._bench.clock.monotonic()
        found = examine()
        schedules = panel_schedules(self._bench, self._rules.read()) if found.stale is None else ()
        needs_workers = self._bench.settings.runner.name == "pgqueuer"
        return Health(
            found,
            schedules,
            self._scheduler() if self._scheduler else None,
            (
                *problems_of(found, needs_workers=needs_workers),
                *self._scheduler_problems(),
                *(problem for one in schedules if (problem := _overdue(one, found))),
            ),
            (*warnings_of(found), *(why for one in schedules for why in _troubles(one))),
            self._bench.clock.monotonic() - started,
        )

    def _failed(self, problem: str) -> Health:
        alive = self._scheduler() if self._scheduler else None
        return Health(None, (), alive, (problem, *self._scheduler_problems()))

    def _scheduler_problems(self) -> tuple[str, ...]:
        if self._scheduler is None or self._scheduler():
            return ()
        return ("the scheduler hosted here has died: start this process again",)


def _overdue(one: PanelSchedule, found: Examination) -> str | None:
    """A slot that no scheduler takes, in words."""
    if one.waiting is None or found.at - one.waiting.due < _OVERDUE or one.refused:
        return None
    return (
        f"{one.panel}: slot {one.waiting.name} is due and no scheduler takes it: start "
        "`monitor schedule`, or `monitor serve --with-schedule`"
    )


def _troubles(one: PanelSchedule) -> tuple[str, ...]:
    """What is in the way of a panel's schedule."""
    return tuple(f"{one.panel}: {why}" for why in (one.refused, one.broken) if why)
