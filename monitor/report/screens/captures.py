"""All captures of a run, by what came of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from monitor.domain.capture_line import CaptureLine
from monitor.report.screens.links import capture_address, page_address, prompt_address
from monitor.report.screens.overview import OutcomeCount
from monitor.report.screens.paging import Pager
from monitor.report.tables import Table, usd_text
from monitor.report.words import outcome_words


@dataclass(frozen=True, slots=True)
class CaptureFilter:
    """Which captures of a run are shown; empty means every one."""

    engine: str = ""
    prompts: tuple[str, ...] = ()
    outcome: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """One capture as a row of the list."""

    capture: int
    href: str
    engine: str
    label: str
    prompt: str
    prompt_href: str
    prompt_text: str
    locale: str
    locale_state: str | None
    repeat: int
    outcome: str
    outcome_label: str
    asked_at: datetime | None
    served_model: str | None
    cost_micros: int | None


@dataclass(frozen=True, slots=True)
class CapturesScreen:
    """Captures of a run: how many came to what, and a page of those sought."""

    run: str
    planned: int
    """Captures of the whole run."""
    sought: CaptureFilter
    engines: tuple[tuple[str, str], ...]
    """(engine, label) of those asked."""
    outcomes: tuple[OutcomeCount, ...]
    """Every outcome of the run, commonest first."""
    rows: tuple[CaptureRow, ...]
    pager: Pager


def captures_screen(
    run: str,
    sought: CaptureFilter,
    lines: Sequence[CaptureLine],
    *,
    labels: Mapping[str, str],
    outcomes: Mapping[str, int],
    planned: int,
    pager: Pager,
) -> CapturesScreen:
    """One page of captures; `outcomes` counts the whole run, `labels` names its engines."""
    ordered = sorted(outcomes.items(), key=lambda pair: (-pair[1], pair[0]))
    return CapturesScreen(
        run=run,
        planned=planned,
        sought=sought,
        engines=tuple(labels.items()),
        outcomes=tuple(
            OutcomeCount(name, outcome_words(name), n, found_address(run, _with(sought, name)))
            for name, n in ordered
            if n
        ),
        rows=tuple(_row(run, line, labels) for line in lines),
        pager=pager,
    )


def found_address(run: str, sought: CaptureFilter, page: int | None = None) -> str:
    """Address of captures that are sought."""
    return page_address(
        "runs", run, "captures", engine=sought.engine, outcome=sought.outcome, words=sought.words,
        prompt=sought.prompts, page=page,
    )  # fmt: skip


def _with(sought: CaptureFilter, outcome: str) -> CaptureFilter:
    return replace(sought, outcome=outcome)


def _row(run: str, line: CaptureLine, labels: Mapping[str, str]) -> CaptureRow:
    return CaptureRow(
        capture=line.id,
        href=capture_address(line.id),
        engine=line.engine,
        label=labels.get(line.engine, line.engine),
        prompt=line.prompt_id,
        prompt_href=prompt_address(line.prompt_id, run=run),
        prompt_text=line.prompt_text,
        locale=line.locale,
        locale_state=line.locale_state,
        repeat=line.repeat,
        outcome=line.outcome,
        outcome_label=outcome_words(line.outcome),
        asked_at=line.asked_at,
        served_model=line.served_model,
        cost_micros=line.cost_micros,
    )


_HEADER = (
    "run", "capture", "engine", "prompt", "repeat", "locale", "locale_state", "outcome",
    "asked_at", "served_model", "usd",
)  # fmt: skip


def captures_table(screen: CapturesScreen) -> Table:
    """Captures, a row each."""
    return _HEADER, [
        (
            screen.run, row.capture, row.engine, row.prompt, row.repeat, row.locale,
            row.locale_state, row.outcome, row.asked_at.isoformat() if row.asked_at else None,
            row.served_model, usd_text(row.cost_micros),
        )
        for row in screen.rows
    ]  # fmt: skip
