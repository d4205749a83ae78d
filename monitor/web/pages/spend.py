"""What a month cost."""

from functools import partial
from typing import Annotated

from fastapi import Query

from monitor.pipeline.spending import Capped, month_name, month_spend
from monitor.report.screens.spend import SpendScreen, spend_screen, spend_table
from monitor.store import months
from monitor.store.months import Counted
from monitor.web.pages.finding import DeskOf
from monitor.web.screens import Screen

_Month = Annotated[
    str, Query(max_length=20, description="Month in UTC, such as 2026-11; default: this one.")
]


def load_spend(desk: DeskOf, month: _Month = "") -> SpendScreen:
    """Calls and money of a month, by engine and by run."""
    name = month_name(desk.bench, month or None)
    # Every call moves the count of its month, so what was summed up holds until it moves again.
    moved = desk.bench.read(partial(months.load_month, month=name))
    found = desk.counting.get(("spend", name, moved), lambda: month_spend(desk.bench, name))
    total = found.total
    used = Counted(total.calls, total.micros)
    return spend_screen(name, found.parts, total=total, capped=Capped(name, used, found.caps).shown)


SCREENS = (Screen("/spend", load_spend, SpendScreen, "spend.html.j2", table=spend_table),)
