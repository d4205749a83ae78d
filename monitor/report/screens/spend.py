"""What a month cost, by engine and by run."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.money import Spent
from monitor.report.screens.links import page_address, run_address
from monitor.report.tables import Table, usd_text


@dataclass(frozen=True, slots=True)
class SpendLine:
    """Calls and money by a name."""

    name: str
    href: str | None
    calls: int
    unsettled: int
    """Calls whose cost nobody told: their reservation stands for it."""
    micros: int
    """Millionths of a USD."""


@dataclass(frozen=True, slots=True)
class EngineOfRun:
    """One engine's part of one run's cost."""

    run: str
    engine: str
    calls: int
    unsettled: int
    micros: int


@dataclass(frozen=True, slots=True)
class SpendScreen:
    """Calls and money of one calendar month in UTC."""

    month: str
    total: SpendLine
    capped_text: str
    """What was used and what the caps leave, in words."""
    engines: tuple[SpendLine, ...]
    runs: tuple[SpendLine, ...]
    parts: tuple[EngineOfRun, ...]
    earlier: str | None
    """Page of the month before; None where there is none."""
    later: str | None


NO_RUN = "no run"
"""What calls of a judge are called that belong to no run."""


def spend_screen(
    month: str, parts: Mapping[tuple[str | None, str], Spent], *, total: Spent, capped: str
) -> SpendScreen:
    """A month by (run, engine), and by each of the two."""
    engines: dict[str, list[Spent]] = {}
    runs: dict[str | None, list[Spent]] = {}
    for (run, engine), one in parts.items():
        engines.setdefault(engine, []).append(one)
        runs.setdefault(run, []).append(one)
    return SpendScreen(
        month=month,
        total=_line("all", None, [total]),
        capped_text=capped,
        engines=tuple(_line(name, None, several) for name, several in sorted(engines.items())),
        runs=tuple(
            _line(name or NO_RUN, run_address(name) if name else None, several)
            for name, several in sorted(runs.items(), key=lambda pair: pair[0] or "")
        ),
        parts=tuple(
            EngineOfRun(run or NO_RUN, engine, one.calls, one.unsettled, one.micros)
            for (run, engine), one in parts.items()
        ),
        earlier=_address(month, -1),
        later=_address(month, 1),
    )


def _line(name: str, href: str | None, several: list[Spent]) -> SpendLine:
    return SpendLine(
        name,
        href,
        sum(one.calls for one in several),
        sum(one.unsettled for one in several),
        sum(one.micros for one in several),
    )


def _address(month: str, by: int) -> str | None:
    """Page of the month so many months later; None out of this millennium."""
    year, number = (int(part) for part in month.split("-"))
    place = 12 * year + number - 1 + by
    if not 2000 <= place // 12 <= 2999:
        return None
    return page_address("spend", month=f"{place // 12}-{place % 12 + 1:02}")


SPEND_HEADER = ("month", "run", "engine", "calls", "unsettled", "usd")


def spend_table(screen: SpendScreen) -> Table:
    """A row for each run and engine."""
    return SPEND_HEADER, [
        (screen.month, one.run, one.engine, one.calls, one.unsettled, usd_text(one.micros))
        for one in screen.parts
    ]
