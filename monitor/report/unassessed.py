"""What could not be assessed, why, and how often; never silently left out."""

from collections import Counter
from dataclasses import dataclass

from monitor.domain.score import Measured, Rate, Undefined, UndefinedReason
from monitor.report.figures import is_unasked
from monitor.report.numbers import count
from monitor.report.steps import current
from monitor.report.view import EngineView, ReportView
from monitor.report.words import reason_words, rows_anchor


@dataclass(frozen=True, slots=True)
class ReasonCell:
    """A count with a way to its rows; empty where there is none."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """One reason within one measure, over all engines."""

    measure: str
    reason: str
    cells: tuple[ReasonCell, ...]


@dataclass(frozen=True, slots=True)
class FetchRow:
    """One fetch status and the cited pages that have it."""

    state: str
    pages: int
    examples: tuple[str, ...]


def reason_rows(view: ReportView) -> tuple[ReasonRow, ...]:
    """Reasons with counts per measure and engine, for everything that was not assessed."""
    rows: list[ReasonRow] = []
    for name, note in view.measures.items():
        reasons = dict.fromkeys(
            reason
            for engine in view.engines
            for reason in _reasons(engine, name)
        )  # fmt: skip
        rows += [
            ReasonRow(note.label, reason_words(reason), _cells(view, name, reason))
            for reason in sorted(reasons)
        ]
    return (*rows, *_unasked(view))


def _unasked(view: ReportView) -> tuple[ReasonRow, ...]:
    """One row for all measures that nobody asked for, whichever engine lacks them."""
    named = [
        [
            note.label
            for name, note in view.measures.items()
            if is_unasked(e.card.measures.get(name))
        ]
        for e in view.engines
    ]
    if not any(named):
        return ()
    cells = tuple(ReasonCell(", ".join(labels) or "none", "") for labels in named)
    return (ReasonRow("The support matrix", reason_words(UndefinedReason.NOT_JUDGED.value), cells),)


def _cells(view: ReportView, name: str, reason: str) -> tuple[ReasonCell, ...]:
    """One cell an engine."""
    return tuple(
        ReasonCell(_reasons(engine, name).get(reason, "none"), f"#{rows_anchor(engine.name, name)}")
        for engine in view.engines
    )


def _reasons(engine: EngineView, name: str) -> dict[str, str]:
    """Reason -> count in words; the whole measure where it is undefined."""
    measure = engine.card.measures.get(name)
    return _measured_reasons(measure.rate) if measure and not is_unasked(measure) else {}


def _measured_reasons(rate: Measured) -> dict[str, str]:
    """Reasons of one measure."""
    if isinstance(rate, Undefined):
        return {rate.reason.value: "the whole measure"}
    return _rate_reasons(rate)


def _rate_reasons(rate: Rate) -> dict[str, str]:
    """Reasons of a rate with their counts beside what was assessed."""
    everything = rate.total + rate.unresolved
    return {
        reason: f"{count(n)} of {count(everything)}"
        for reason, n in rate.not_assessable.items()
        if n
    }


def fetch_rows(view: ReportView) -> tuple[FetchRow, ...]:
    """Distinct cited pages of this run by what became of their fetch, commonest first."""
    status = {page.page_key: page.fetch_status for c in current(view) for page in c.pages}
    counted = Counter(status.values())
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(
        FetchRow(reason_words(state), n, tuple([k for k, s in status.items() if s == state][:3]))
        for state, n in ordered
    )
