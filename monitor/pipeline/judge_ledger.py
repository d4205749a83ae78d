"""The ledger of a judge that is paid: its calls are reserved in the store, as captures' are."""

import threading
from dataclasses import dataclass, field
from functools import partial

from monitor.config.settings import Settings
from monitor.domain.money import micros_of
from monitor.errors import BudgetError, RunCancelledError
from monitor.pipeline.bench import Bench
from monitor.pipeline.planning import month_caps
from monitor.store import spend
from monitor.store.judge_spend import IN_SETTINGS, JudgeAsk, over_own, reserve_judging
from monitor.store.runs import Caps


def judge_caps(settings: Settings) -> Caps:
    """Caps of the judge itself in one run, or in one command that works on no run."""
    usd = settings.judge.usd
    return Caps(settings.judge.calls, None if usd is None else micros_of(usd))


@dataclass(slots=True)
class _Taken:
    """What several ledgers of one command take together."""

    calls: int = 0
    micros: int = 0
    stopped: str | None = None
    """Why no further call is made."""
    reserved: dict[int, int] = field(default_factory=dict)
    """Reservation -> estimate, while its call is open."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class RunJudgeLedger:
    """Implements monitor.domain.ports.JudgeLedger over the store; several threads may ask it.

    Calls for a run count against its caps, those of the month and the judge's own. Calls for no
    run count against those of the month, and the judge's own are held by this value alone.
    """

    def __init__(
        self,
        bench: Bench,
        judge: str,
        *,
        run_id: int | None,
        caps: Caps | None = None,
        raised: str = IN_SETTINGS,
        taken: _Taken | None = None,
    ) -> None:
        """`judge` is its name and version; `caps` are those of the settings unless given.

        `raised` says how caps of no run are raised.
        """
        self._bench = bench
        self._judge = judge
        self._run_id = run_id
        self._caps = judge_caps(bench.settings) if caps is None else caps
        self._raised = raised
        self._month = month_caps(bench.settings)
        self._taken = taken or _Taken()

    def beside(self, judge: str) -> "RunJudgeLedger":
        """A ledger for calls under another name, which takes from the same caps."""
        return RunJudgeLedger(
            self._bench,
            judge,
            run_id=self._run_id,
            caps=self._caps,
            raised=self._raised,
            taken=self._taken,
        )

    def stop(self, reason: str) -> None:
        """Let no further call be made."""
        self._taken.stopped = reason

    @property
    def spent(self) -> Caps:
        """Calls and money that were taken through this value; open ones by their estimate."""
        return Caps(self._taken.calls, self._taken.micros)

    def reserve(self, micros: int) -> int:
        """Reserve one call at its estimated price; BudgetError when a cap would be passed."""
        ask = JudgeAsk(self._run_id, self._judge, micros, self._raised)
        self._take(ask)
        change = partial(
            reserve_judging,
            ask=ask,
            own=Caps() if self._run_id is None else self._caps,
            month=self._month,
            at=self._bench.clock.now(),
        )
        try:
            reservation = self._bench.write(change)
        except BaseException as error:
            self._add(-1, -micros)
            if isinstance(error, RunCancelledError):
                # To a judge both say the same: no further call is made.
                raise BudgetError(str(error)) from error
            raise
        with self._taken.lock:
            self._taken.reserved[reservation] = micros
        return reservation

    def settle(self, reservation: int, micros: int) -> None:
        """Replace the estimate by what the call cost; 0 when nothing was charged."""
        at = self._bench.clock.now()
        self._bench.write(partial(spend.settle, reservation_id=reservation, micros=micros, at=at))
        with self._taken.lock:
            self._taken.micros += micros - self._taken.reserved.pop(reservation, micros)

    def _take(self, ask: JudgeAsk) -> None:
        """Count a call of no run under the judge's own caps, or refuse it."""
        taken, caps = self._taken, self._caps
        with taken.lock:
            if taken.stopped is not None:
                raise BudgetError(taken.stopped)
            if self._run_id is None and (
                (caps.calls is not None and taken.calls + 1 > caps.calls)
                or (caps.micros is not None and taken.micros + ask.micros > caps.micros)
            ):
                raise over_own(ask, self.spent, caps)
            taken.calls += 1
            taken.micros += ask.micros

    def _add(self, calls: int, micros: int) -> None:
        with self._taken.lock:
            self._taken.calls += calls
            self._taken.micros += micros
