"""Parts of a run: one field's values by engines, each number with a way to its rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.score import Scorecard
from monitor.report.screens.links import page_address, rows_address
from monitor.report.screens.numbers import NumberView, number_of, unassessed_of
from monitor.report.slices import LEADING
from monitor.report.tables import Table
from monitor.report.view import EngineView, ReportView

FIELDS: Mapping[str, str] = {
    "intent": "Intent",
    "topic": "Topic",
    "risk": "Topic risk",
    "claim_category": "Claim category",
    "locale": "Locale",
    "answer_format": "Answer format",
}
"""Field of a segment -> what it is called."""
_OF_ALL = "no_answer_rate"
"""The measure of every capture, answered or not."""
_OF_CATEGORY = ("claim_evidence_recall", "required_claim_coverage")


@dataclass(frozen=True, slots=True)
class SliceField:
    """A field by which a run can be cut into parts."""

    name: str
    label: str
    values: int
    href: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One engine in one part: numbers in the order of the table's measures."""

    engine: str
    label: str
    captures: int
    answered: int
    href: str | None
    """Rows of its captures with their outcomes; None where nothing was measured of it."""
    numbers: tuple[NumberView, ...]


@dataclass(frozen=True, slots=True)
class SlicePart:
    """One value of the field."""

    segment: str
    value: str
    href: str
    """Every measure of this part alone."""
    lines: tuple[SliceLine, ...]


@dataclass(frozen=True, slots=True)
class SlicesView:
    """The parts of a run by one field."""

    fields: tuple[SliceField, ...]
    chosen: str
    """Field; empty where the run has no parts."""
    measures: tuple[tuple[str, str], ...]
    """(measure, label), across."""
    parts: tuple[SlicePart, ...]


@dataclass(frozen=True, slots=True)
class SlicesScreen:
    """The parts of a run on a page of their own."""

    run: str
    engines: tuple[str, ...]
    """All engines of the run, in the order of their colours."""
    slices: SlicesView


def run_segment_address(run: str, segment: str | None) -> str:
    """First screen of a run, cut by a field, or narrowed to one part."""
    return page_address("runs", run, segment=segment) + "#segments"


def segments_of(view: ReportView) -> tuple[str, ...]:
    """Every part that any engine was scored for, as `field=value`."""
    return tuple(sorted({card.segment for one in view.engines for card in one.segments}))


def slices_view(view: ReportView, segment: str | None) -> SlicesView:
    """Parts by the field of a segment, `topic` or `topic=tax`; by the first field without one."""
    known = segments_of(view)
    values: dict[str, list[str]] = {}
    for one in known:
        values.setdefault(one.partition("=")[0], []).append(one)
    fields = [name for name in FIELDS if name in values]
    field, _, value = (segment or next(iter(fields), "")).partition("=")
    wanted = [one for one in values.get(field, []) if not value or one == segment]
    names = _OF_CATEGORY if field == "claim_category" else LEADING
    measures = tuple((name, view.measures[name].label) for name in names if name in view.measures)
    return SlicesView(
        fields=tuple(
            SliceField(
                name, FIELDS[name], len(values[name]), run_segment_address(view.run, name),
                name == field,
            )
            for name in fields
        ),
        chosen=field,
        measures=measures,
        parts=tuple(_part(view, one, measures) for one in wanted),
    )  # fmt: skip


def slices_screen(view: ReportView, segment: str | None) -> SlicesScreen:
    """The parts of a run by a field, on their own."""
    return SlicesScreen(
        view.run, tuple(one.name for one in view.engines), slices_view(view, segment)
    )


SLICES_HEADER = (
    "run", "segment", "engine", "measure", "hits", "total", "value", "low", "high",
    "not_assessable", "not_assessable_reasons", "assessed_share", "undefined", "planned",
    "answered",
)  # fmt: skip


def slices_table(screen: SlicesScreen) -> Table:
    """One row for each part, engine and measure."""
    return SLICES_HEADER, [
        (
            screen.run, part.segment, line.engine, name, n.hits, n.total, n.value, n.low, n.high,
            *unassessed_of(n), n.assessed_share, n.undefined, line.captures, line.answered,
        )
        for part in screen.slices.parts
        for line in part.lines
        for (name, _), n in zip(screen.slices.measures, line.numbers, strict=True)
    ]  # fmt: skip


def _part(view: ReportView, segment: str, measures: tuple[tuple[str, str], ...]) -> SlicePart:
    lines = (
        _line(view, engine, card, measures)
        for engine in view.engines
        for card in engine.segments
        if card.segment == segment
    )
    value = segment.partition("=")[2]
    return SlicePart(segment, value, run_segment_address(view.run, segment), tuple(lines))


def _captures_address(run: str, engine: EngineView, card: Scorecard) -> str | None:
    """Rows behind the measure that all captures of a part count in, else behind its first one."""
    names = [_OF_ALL] if _OF_ALL in card.measures else list(card.measures)[:1]
    return rows_address(run, engine.name, names[0], segment=card.segment) if names else None


def _line(
    view: ReportView, engine: EngineView, card: Scorecard, measures: tuple[tuple[str, str], ...]
) -> SliceLine:
    return SliceLine(
        engine.name,
        engine.label,
        card.coverage.planned,
        card.coverage.answered,
        _captures_address(view.run, engine, card),
        tuple(
            number_of(
                card.measures.get(name),
                rows_address(view.run, engine.name, name, segment=card.segment),
                slice_of=True,
            )
            for name, _ in measures
        ),
    )
