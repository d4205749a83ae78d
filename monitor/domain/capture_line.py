"""A capture as lists show it: what was asked of whom, and what came of it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CaptureLine:
    """One capture of a run in one line, without its evidence."""

    id: int
    engine: str
    prompt_id: str
    prompt_text: str
    locale: str
    repeat: int
    """The k-th time within its run, from 1."""
    outcome: str
    """`answered`, `no_answer/declined`, ...; `planned` or `asked` while nothing is stored."""
    asked_at: datetime | None
    served_model: str | None
    cost_micros: int | None
    """Of all its calls, an open one by its estimate; None where nothing was paid."""
    locale_state: str | None
    """What canaries said of its locale; None where none was asked."""
