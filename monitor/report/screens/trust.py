"""How far the judge behind a run's numbers may be trusted, and what people's labels correct."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from monitor.domain.trust import NEEDED, CorrectedMeasure, JudgeTrust
from monitor.report.screens.links import measure_address, page_address, rows_address
from monitor.report.screens.numbers import NumberView, number_of_rate
from monitor.report.tables import Row, Table
from monitor.report.trust import TrustRow, corrected_text, judge_line, trust_section
from monitor.report.view import ReportView


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    """A judged rate of one engine beside what labels make of it."""

    engine: str
    label: str
    measure: str
    measure_label: str
    measure_href: str
    judged: NumberView
    corrected_text: str
    """The corrected rate with its interval; how many labels there are where they are too few."""
    value: float | None
    low: float | None
    high: float | None
    labels: int
    labels_needed: int
    pairs: int
    """Pairs of this engine that could be drawn."""


@dataclass(frozen=True, slots=True)
class TrustScreen:
    """The judge of a run: who it is, how far it agrees with people, what labels correct."""

    run: str
    panel: str
    engines: tuple[str, ...]
    """All engines of the run, in the order of their colours."""
    counting: bool
    """Whether this is being counted still; then nothing else is told."""
    judge: str | None
    """None while no scorecard names one."""
    line: str
    labelled: int
    """Pairs of the panel with a label of anyone."""
    disputed: int
    """Pairs at a tie that nobody decided."""
    rows: tuple[TrustRow, ...]
    corrected: tuple[CorrectedLine, ...]
    notes: tuple[str, ...]
    signatures: tuple[str, ...]
    """Of each engine whose rates labels correct, with their number."""
    withheld: str
    """Why nothing is told of what people say; empty where it is told."""
    href: str
    label_href: str


def trust_screen(
    view: ReportView,
    trust: JudgeTrust | None,
    *,
    signatures: Sequence[str] = (),
    counting: bool = False,
    withheld: str = "",
) -> TrustScreen:
    """What is known of a run's judge; nothing yet where it is being counted.

    With a reason to withhold what people say, only what ships with the judge is told.
    """
    if trust and withheld:
        trust, signatures = replace(trust, here=None, corrected=(), notes=()), ()
    section = trust_section(replace(view, trust=trust)) if trust else None
    here = trust.here if trust else None
    corrected = trust.corrected if trust else ()
    return TrustScreen(
        run=view.run,
        panel=view.panel.name,
        engines=tuple(one.name for one in view.engines),
        counting=counting,
        judge=trust.judge if trust else None,
        line=judge_line(trust) if trust else "",
        labelled=here.labelled if here else 0,
        disputed=here.disputed if here else 0,
        rows=section.rows if section else (),
        corrected=tuple(_line(view, one) for one in corrected),
        notes=section.notes if section else (),
        signatures=tuple(signatures),
        withheld=withheld,
        href=page_address("runs", view.run, "trust"),
        label_href=page_address("label"),
    )


def _line(view: ReportView, one: CorrectedMeasure) -> CorrectedLine:
    note = view.measures.get(one.measure)
    labels = {engine.name: engine.label for engine in view.engines}
    return CorrectedLine(
        engine=one.engine,
        label=labels.get(one.engine, one.engine),
        measure=one.measure,
        measure_label=note.label if note else one.measure,
        measure_href=measure_address(one.measure, run=view.run),
        judged=number_of_rate(
            one.judged, one.judged_interval, rows_address(view.run, one.engine, one.measure)
        ),
        corrected_text=corrected_text(one),
        value=one.value,
        low=one.interval.low if one.interval else None,
        high=one.interval.high if one.interval else None,
        labels=one.labelled,
        labels_needed=NEEDED,
        pairs=one.pairs,
    )


def trust_table(screen: TrustScreen) -> Table:
    """One row an engine and measure, judged and corrected, unrounded."""
    header = (
        "run", "engine", "measure", "judged_hits", "judged_total", "judged_value", "judged_low",
        "judged_high", "corrected_value", "corrected_low", "corrected_high", "labels",
        "labels_needed", "pairs", "judge",
    )  # fmt: skip
    rows: list[Row] = [
        (
            screen.run, one.engine, one.measure, one.judged.hits, one.judged.total,
            one.judged.value, one.judged.low, one.judged.high, one.value, one.low, one.high,
            one.labels, one.labels_needed, one.pairs, screen.judge,
        )
        for one in screen.corrected
    ]  # fmt: skip
    return header, rows
