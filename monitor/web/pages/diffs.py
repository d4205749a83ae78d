"""Two answers beside each other."""

from typing import Annotated

from fastapi import Path

from monitor.report.screens.diff import DiffScreen, diff_screen, diff_table
from monitor.web.access.visiting import VisitorOf
from monitor.web.pages.answers import answer_named
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.seeing import note_seen
from monitor.web.screens import Screen

_Before = Annotated[int, Path(ge=1, le=2**63 - 1, description="Id of the capture before.")]
_After = Annotated[int, Path(ge=1, le=2**63 - 1, description="Id of the capture after.")]


def load_diff(desk: DeskOf, who: VisitorOf, before: _Before, after: _After) -> DiffScreen:
    """What is another in one answer than in another one."""
    pair = answer_named(desk, before), answer_named(desk, after)
    for one in pair:
        note_seen(desk, one.capture.id, who)
    return diff_screen(pair[0].view, pair[1].view)


SCREENS = (
    Screen(
        "/captures/{before}/diff/{after}",
        load_diff,
        DiffScreen,
        "capture_diff.html.j2",
        table=diff_table,
    ),
)
