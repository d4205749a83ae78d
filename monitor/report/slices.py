"""Segments of a run as small tables, and prompts by engines as tables with values in cells."""

from collections.abc import Iterable
from dataclasses import dataclass

from monitor.domain.panel import Prompt, Recall
from monitor.domain.score import Bounds, Measured, Rate, Scorecard, pooled
from monitor.report.figures import BOUNDED, Figure, figure_of
from monitor.report.numbers import between, counts, percent
from monitor.report.steps import current
from monitor.report.view import CaptureView, EngineView, ReportView
from monitor.report.words import reason_words

_CATEGORY = "claim_category"
LEADING = (
    "source_precision",
    "required_source_recall",
    "claim_evidence_recall",
    "claim_citation_precision",
)
"""Measures of a segment, and of a trend."""

_BY_CATEGORY = ("claim_evidence_recall", "required_claim_coverage")
_FIELDS = {
    _CATEGORY: "Claim category",
    "answer_format": "Answer format",
    "intent": "Intent",
    "topic": "Topic",
    "risk": "Topic risk",
    "locale": "Locale",
}
_RECALLS = {
    Recall.REQUIRED_SOURCE: "required_source_recall",
    Recall.CLAIM_EVIDENCE: "claim_evidence_recall",
    Recall.BOUNDED: "required_source_recall",
}
_STEPS = 5


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One value of a field for one engine."""

    engine: EngineView
    prompts: int
    """Prompts of the slice with something counted: what says how much it can carry."""
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class SliceGroup:
    """One value of a field, an engine a row."""

    value: str
    rows: tuple[SliceRow, ...]


@dataclass(frozen=True, slots=True)
class SliceTable:
    """One field: its values down, measures across."""

    title: str
    measures: tuple[str, ...]
    groups: tuple[SliceGroup, ...]


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One prompt on one engine: the value in words, its shade, and its captures."""

    text: str
    shade: int | None
    """0 to 5, darker is more; None where nothing was measured."""
    captures: tuple[CaptureView, ...]


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One prompt over all engines."""

    prompt: Prompt
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class Heatmap:
    """A measure, prompts down and engines across."""

    title: str
    rows: tuple[HeatRow, ...]


def slice_tables(view: ReportView) -> tuple[SliceTable, ...]:
    """One table per field that has segments; claim categories first."""
    found = (_slice_table(view, field, title) for field, title in _FIELDS.items())
    return tuple(table for table in found if table.groups)


def _slice_table(view: ReportView, field: str, title: str) -> SliceTable:
    """One field's segments, by value and then by engine in the view's order."""
    wanted = _BY_CATEGORY if field == _CATEGORY else LEADING
    measures = tuple(name for name in wanted if name in view.measures)
    grouped: dict[str, list[SliceRow]] = {}
    for engine in view.engines:
        for card in engine.segments:
            of, _, value = card.segment.partition("=")
            if of == field:
                grouped.setdefault(value, []).append(_slice_row(engine, card, measures))
    groups = (SliceGroup(value, tuple(rows)) for value, rows in sorted(grouped.items()))
    return SliceTable(title, measures, tuple(groups))


def _slice_row(engine: EngineView, card: Scorecard, measures: tuple[str, ...]) -> SliceRow:
    """One engine's numbers for one value."""
    return SliceRow(engine, _prompts(card, measures), _slice_figures(card, measures))


def _prompts(card: Scorecard, measures: tuple[str, ...]) -> int:
    """Most prompts behind any of the numbers shown."""
    shown = (card.measures.get(name) for name in measures)
    return max((measure.prompts for measure in shown if measure), default=0)


def _slice_figures(card: Scorecard, measures: tuple[str, ...]) -> tuple[Figure, ...]:
    """Numbers of a slice; counts only where it is thin."""
    return tuple(figure_of(card.measures.get(name), None, slice_of=True) for name in measures)


def heatmaps(view: ReportView) -> tuple[Heatmap, ...]:
    """Leading recall and source precision by prompt and engine."""
    return (
        Heatmap("Leading recall", _heat_rows(view, None)),
        Heatmap("Source precision", _heat_rows(view, "source_precision")),
    )


def leading_measure(prompt: Prompt) -> str:
    """The recall that leads for a prompt."""
    return _RECALLS[prompt.recall]


def _heat_rows(view: ReportView, name: str | None) -> tuple[HeatRow, ...]:
    """One row a prompt; without a measure's name the prompt's leading recall."""
    placed: dict[tuple[str, str], list[CaptureView]] = {}
    for capture in current(view):
        placed.setdefault((capture.prompt_id, capture.engine), []).append(capture)
    return tuple(
        HeatRow(
            prompt,
            tuple(
                _heat_cell(view, prompt, name, tuple(placed.get((prompt.id, engine.name), ())))
                for engine in view.engines
            ),
        )
        for prompt in view.panel.prompts
    )


def _heat_cell(
    view: ReportView, prompt: Prompt, name: str | None, captures: tuple[CaptureView, ...]
) -> HeatCell:
    """One prompt on one engine, its repeats pooled."""
    if not captures:
        return HeatCell("not asked", None, ())
    _, text, shade = heat_value(view, prompt, name, [one.id for one in captures])
    return HeatCell(text, shade, captures)


def heat_value(
    view: ReportView, prompt: Prompt, name: str | None, captures: Iterable[int]
) -> tuple[Measured, str, int | None]:
    """Counts of some captures of a prompt: pooled, in words, and the shade of 0 to 5.

    Without a measure's name those of the prompt's leading recall.
    """
    measure = name or leading_measure(prompt)
    parts = [view.tallies[one].measures.get(measure) for one in captures if one in view.tallies]
    rate = pooled(part for part in parts if part is not None)
    is_bounded = name is None and prompt.recall is Recall.BOUNDED
    text, value = _heat_text(rate, measure, is_bounded=is_bounded)
    return rate, text, None if value is None else min(_STEPS, int(value * (_STEPS + 1)))


def _heat_text(rate: Measured, measure: str, *, is_bounded: bool) -> tuple[str, float | None]:
    """A cell's words, and the value for its shade: a point, or the lower bound where none."""
    if not isinstance(rate, Rate):
        return f"not measured: {reason_words(rate.reason.value)}", None
    bounds, value = rate.bounds, rate.value
    if bounds is None:
        return "not measured: there was nothing to count", None
    is_open = bool(rate.unresolved)
    if value is None or (is_open and (is_bounded or _is_thin(rate, measure))):
        return _bounded_text(rate, bounds), bounds.low
    return f"{counts(rate)} ({percent(value)})", value


def _is_thin(rate: Rate, measure: str) -> bool:
    """Whether a bounded recall was assessed too little to name a point."""
    return measure in BOUNDED and (rate.assessed_share or 0.0) < 0.7


def _bounded_text(rate: Rate, bounds: Bounds) -> str:
    """Bounds in words, with how much was assessed."""
    return f"{between(bounds)}, {percent(rate.assessed_share)} assessed"
