"""The four stages of each engine side by side, never made into one figure."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.eligibility import Funnel, Told
from monitor.domain.score import Measured, Undefined
from monitor.report.numbers import NOT_MEASURED, count, rate_text
from monitor.report.view import EngineView, ReportView
from monitor.report.words import reason_words

_BARRED = {
    "robots": "robots.txt keeps its crawler out",
    "robots_server_error": "robots.txt answers with an error of the server",
    "not_found": "page not found",
    "paywalled": "says that it is behind a paywall",
    "noindex": "asks not to be indexed",
    "nosnippet": "asks that no text of it be shown",
    "canonical_elsewhere": "names another page as the real one",
    "needs_scripts": "text comes by scripts that its crawler is not known to run",
}
"""Why a source is not eligible, in a reader's words."""

_TOLD = {
    Told.PAYLOAD: "the engine's own answers",
    Told.LOG: "an imported log",
    Told.NOBODY: "nobody",
}


@dataclass(frozen=True, slots=True)
class StageCell:
    """A stage in counts, and beside them what was not assessed or why there is no figure."""

    text: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One engine's four stages."""

    engine: EngineView
    eligible: StageCell
    barred: str
    """What keeps sources out, commonest first; empty where nothing does."""
    retrieved: StageCell
    selected: StageCell
    told_by: str
    visible: tuple[tuple[str, StageCell], ...]
    """Label of each measure of the last stage, and its counts."""


def funnel_rows(view: ReportView) -> tuple[FunnelRow, ...]:
    """Engines for which sources were checked, in the order of the report."""
    engines = {one.name: one for one in view.engines}
    return tuple(
        _row(engines[one.engine], one, view) for one in view.funnels if one.engine in engines
    )


def _row(engine: EngineView, one: Funnel, view: ReportView) -> FunnelRow:
    searches = f", {count(one.retrievals)} searches" if one.retrievals else ""
    return FunnelRow(
        engine=engine,
        eligible=_cell(one.eligibility),
        barred=_barred(one.barred),
        retrieved=_cell(one.retrieval),
        selected=_cell(one.selection),
        told_by=f"{_TOLD[one.told_by]}{searches}",
        visible=tuple(
            (view.measures[name].label, _cell(rate)) for name, rate in one.visibility.items()
        ),
    )


def _cell(rate: Measured) -> StageCell:
    """Counts of a stage; in words where it has none."""
    if isinstance(rate, Undefined):
        return StageCell(NOT_MEASURED, reason_words(rate.reason.value))
    reasons = ", ".join(
        f"{count(n)} {reason_words(r)}" for r, n in rate.not_assessable.items() if n
    )
    if rate.value is None and not reasons:
        return StageCell(NOT_MEASURED, "nothing of it came up")
    return StageCell(rate_text(rate), f"not assessable: {reasons}" if reasons else "")


def _barred(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {_BARRED.get(reason, reason)}" for reason, n in reasons.items())
