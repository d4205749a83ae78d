"""Money of runs and months: what was spent, what the caps leave, and whether a plan fits."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from monitor.config.settings import Settings
from monitor.domain.engine import Surface
from monitor.domain.money import NOTHING, Spent
from monitor.engines import ENGINES
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.planning import EstimatedEngine, Plan, month_caps
from monitor.store import check, months, open_database, spend
from monitor.store.months import Counted
from monitor.store.runs import Caps

Name = TypeVar("Name", str, str | None)
_MONTH = re.compile(r"2\d{3}-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Capped:
    """What counts towards a pair of caps so far."""

    what: str
    """`run`, or the month."""
    used: Counted
    caps: Caps

    @property
    def calls_left(self) -> int | None:
        """Calls that may still be made; None without a cap."""
        return None if self.caps.calls is None else max(0, self.caps.calls - self.used.calls)

    @property
    def micros_left(self) -> int | None:
        """Money that may still be reserved; None without a cap."""
        return None if self.caps.micros is None else max(0, self.caps.micros - self.used.micros)

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "calls": self.used.calls,
            "micros": self.used.micros,
            "cap_calls": self.caps.calls,
            "cap_micros": self.caps.micros,
            "calls_left": self.calls_left,
            "micros_left": self.micros_left,
        }

    @property
    def shown(self) -> str:
        """The same in words."""
        of_calls = "" if self.caps.calls is None else f" of {self.caps.calls}"
        of_usd = "" if self.caps.micros is None else f" of {self.caps.micros / 1e6:.4f}"
        left = [f"{self.calls_left} calls"] if self.calls_left is not None else []
        left += [f"{self.micros_left / 1e6:.4f} USD"] if self.micros_left is not None else []
        rest = f"; {' and '.join(left)} left" if left else "; no cap"
        return f"{self.used.calls}{of_calls} calls, {self.used.micros / 1e6:.4f}{of_usd} USD{rest}"


def month_so_far(bench: Bench) -> Capped:
    """The running month of a bench against the caps of its settings."""
    month = months.month_of(bench.clock.now())
    used = bench.read(lambda c: months.load_month(c, month))
    return Capped(month, used, month_caps(bench.settings))


def month_before_run(settings: Settings, now: datetime) -> Capped | None:
    """The running month as far as a store is there to tell; None where it is of another version.

    Nothing is made and nothing migrated.
    """
    month, caps = months.month_of(now), month_caps(settings)
    url = settings.store.database
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        return Capped(month, Counted(0, 0), caps)
    database = open_database(url)
    try:
        if check(database) is not None:
            return None
        with database.read() as connection:
            return Capped(month, months.load_month(connection, month), caps)
    finally:
        database.close()


def misfits(plan: Plan, *caps: Capped, judging: Counted | None = None) -> tuple[str, ...]:
    """Every cap that a plan would or could pass, in words; empty when it fits.

    `judging` is what the judge may come to.
    """
    judged = judging or Counted(0, 0)
    least = _calls(plan.estimate, together=False) + judged.calls
    most = _calls(plan.estimate, together=True) + judged.calls
    price = plan.micros + judged.micros
    found = []
    for one in caps:
        calls, micros = one.calls_left, one.micros_left
        name = "the run" if one.what == "run" else f"the month {one.what}"
        if calls is not None and most > calls:
            does = "needs" if least > calls else "may need"
            asked = f"{least}" if least == most else f"{least} to {most}"
            found.append(f"{does} {asked} calls, {calls} are left for {name}")
        if micros is not None and price > micros:
            found.append(
                f"costs about {price / 1e6:.2f} USD, {micros / 1e6:.2f} USD are left for {name}"
            )
    return tuple(found)


def _calls(parts: Iterable[EstimatedEngine], *, together: bool) -> int:
    """Paid calls of a plan: a call a capture, or all the continuations too; browsers pay none."""
    paid = [one for one in parts if ENGINES[one.engine].surface is Surface.HTTP]
    return sum(one.max_calls if together else one.captures for one in paid)


@dataclass(frozen=True, slots=True)
class MonthSpend:
    """What was spent in a month, by run and engine, and the caps of the settings."""

    month: str
    caps: Caps
    parts: Mapping[tuple[str | None, str], Spent]
    """(Public run id, engine) -> calls and money; no run where a judge was asked for none."""

    @property
    def total(self) -> Spent:
        """All of it."""
        return sum(self.parts.values(), NOTHING)

    @property
    def engines(self) -> dict[str, Spent]:
        """Engine -> calls and money of all runs."""
        return _grouped((engine, one) for (_, engine), one in self.parts.items())

    @property
    def runs(self) -> dict[str | None, Spent]:
        """Public run id -> calls and money of all engines, and of the judge."""
        return _grouped((name, one) for (name, _), one in self.parts.items())

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "schema": 1,
            "month": self.month,
            "currency": "USD",
            **spent_json(self.total),
            "cap_calls": self.caps.calls,
            "cap_micros": self.caps.micros,
            "engines": [{"engine": e, **spent_json(one)} for e, one in self.engines.items()],
            "runs": [
                {
                    "run": name,
                    **spent_json(one),
                    "engines": [
                        {"engine": engine, **spent_json(part)}
                        for (of_run, engine), part in self.parts.items()
                        if of_run == name
                    ],
                }
                for name, one in self.runs.items()
            ],
        }


def _grouped(parts: Iterable[tuple[Name, Spent]]) -> dict[Name, Spent]:
    found: dict[Name, Spent] = {}
    for name, one in parts:
        found[name] = found.get(name, NOTHING) + one
    return found


def spent_json(one: Spent) -> dict[str, int]:
    """Calls and money as JSON values."""
    return {"calls": one.calls, "micros": one.micros, "unsettled": one.unsettled}


def month_name(bench: Bench, month: str | None) -> str:
    """A month as `2026-11`, the running one without a name; MonitorError for anything else."""
    name = months.month_of(bench.clock.now()) if month is None else month
    if not _MONTH.fullmatch(name):
        raise MonitorError(f"month {name[:40]!r}: expected a year and a month such as 2026-11")
    return name


def month_spend(bench: Bench, month: str | None) -> MonthSpend:
    """What was spent in a month, the running one without a name."""
    name = month_name(bench, month)
    since, until = months.bounds(name)
    parts = bench.read(lambda c: spend.totals_between(c, since, until))
    return MonthSpend(name, month_caps(bench.settings), parts)
