"""From the sources wanted to those shown: four stages of each engine, never made into one."""

from dataclasses import dataclass

from monitor.domain.eligibility import Funnel, Told
from monitor.report.funnel import funnel_rows
from monitor.report.screens.links import baseline_address, captures_address, rows_address
from monitor.report.screens.numbers import NumberView, number_of_rate, unassessed_of
from monitor.report.tables import Table
from monitor.report.view import ReportView


@dataclass(frozen=True, slots=True)
class StageNumber:
    """One measure of the last stage."""

    measure: str
    label: str
    number: NumberView


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One engine's four stages."""

    engine: str
    label: str
    eligible: NumberView
    sources_href: str | None
    """The baseline's sources, which eligible ones and those kept out are counted from."""
    barred: str
    """What keeps sources out, commonest first; empty where nothing does."""
    retrieved: NumberView
    selected: NumberView
    told_by: str
    visible: tuple[StageNumber, ...]


@dataclass(frozen=True, slots=True)
class FunnelScreen:
    """The funnels of a run, and the engines of which nothing was checked."""

    run: str
    panel: str
    lines: tuple[FunnelLine, ...]
    unchecked: tuple[str, ...]
    """Labels of scored engines without a funnel."""
    command: str
    """What checks the sources."""
    signatures: tuple[str, ...]


def funnel_screen(view: ReportView) -> FunnelScreen:
    """Four stages of every engine for which sources were checked."""
    funnels = {one.engine: one for one in view.funnels}
    lines = tuple(
        _line(view, funnels[row.engine.name], row.engine.label, row.barred, told_by=row.told_by)
        for row in funnel_rows(view)
    )
    return FunnelScreen(
        run=view.run,
        panel=view.panel.name,
        lines=lines,
        unchecked=tuple(one.label for one in view.engines if one.name not in funnels),
        command=f"monitor eligibility {view.panel.name}",
        signatures=tuple(one.card.signature for one in view.engines if one.name in funnels),
    )


def _line(view: ReportView, one: Funnel, label: str, barred: str, *, told_by: str) -> FunnelLine:
    sources = baseline_address(view.panel.name, view.baseline) if view.baseline else None
    is_told = one.told_by is Told.PAYLOAD
    retrieved = rows_address(view.run, one.engine, "retrieved_source_recall")
    captures = captures_address(view.run, engine=one.engine)
    return FunnelLine(
        engine=one.engine,
        label=label,
        eligible=number_of_rate(one.eligibility, None, sources),
        sources_href=sources,
        barred=barred,
        retrieved=number_of_rate(one.retrieval, None, retrieved if is_told else None),
        selected=number_of_rate(one.selection, None, captures if is_told else None),
        told_by=told_by,
        visible=tuple(
            StageNumber(
                name,
                view.measures[name].label,
                number_of_rate(rate, None, rows_address(view.run, one.engine, name)),
            )
            for name, rate in one.visibility.items()
        ),
    )


_HEADER = (
    "run", "engine", "stage", "measure", "hits", "total", "value", "not_assessable",
    "not_assessable_reasons", "undefined",
)  # fmt: skip


def funnel_table(screen: FunnelScreen) -> Table:
    """One row for each engine, stage and measure."""
    return _HEADER, [
        (
            screen.run, line.engine, stage, measure, n.hits, n.total, n.value, *unassessed_of(n),
            n.undefined,
        )
        for line in screen.lines
        for stage, measure, n in (
            ("eligible", None, line.eligible),
            ("retrieved", None, line.retrieved),
            ("selected", None, line.selected),
            *(("visible", one.measure, one.number) for one in line.visible),
        )
    ]  # fmt: skip
