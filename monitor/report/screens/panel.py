"""One panel: its newest run, its runs, its schedule, what it asks and what it is held against."""

from dataclasses import dataclass
from datetime import datetime

from monitor.report.screens.overview import AlertCount, PlanView, RunRow
from monitor.report.screens.paging import Pager


@dataclass(frozen=True, slots=True)
class PanelFacts:
    """What a panel asks, in its newest version."""

    version: int
    prompts: int
    repeats: int
    locales: tuple[str, ...]
    engines: tuple[str, ...]
    """Names that a reader sees."""
    watch: tuple[str, ...]
    client_domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BaselineFacts:
    """The newest baseline of a panel."""

    version: str
    drawn_blind: bool
    frozen_at: datetime | None
    """None for a draft."""
    annotators: int
    prompts: int
    """Prompts it was written for."""


@dataclass(frozen=True, slots=True)
class PanelScreen:
    """Everything of the page of a panel."""

    panel: str
    facts: PanelFacts | None
    """None where no version of it was ever stored: its file was not run yet."""
    baseline: BaselineFacts | None
    newest: RunRow | None
    plan: PlanView
    alerts: tuple[AlertCount, ...]
    broken: tuple[str, ...]
    """What looks broken about the measuring of its newest run that ended."""
    runs: tuple[RunRow, ...]
    pager: Pager
