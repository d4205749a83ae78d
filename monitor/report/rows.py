"""The rows behind every number: per prompt, the counts of each repeat, each with its answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from monitor.domain.score import Measured, Rate, Tally, Undefined
from monitor.report.families import family_names
from monitor.report.figures import Figure, figure_of, is_unasked
from monitor.report.numbers import count, counts
from monitor.report.view import CaptureView, EngineView, ReportView
from monitor.report.words import (
    cites_anchor,
    outcome_words,
    plural,
    reason_words,
    rows_anchor,
    when,
)


@dataclass(frozen=True, slots=True)
class RowCell:
    """One capture's counts and where its answer stands."""

    text: str
    capture: int


@dataclass(frozen=True, slots=True)
class RowLine:
    """One prompt: its repeats now, and in the run before."""

    prompt_id: str
    prompt_text: str
    now: tuple[RowCell, ...]
    before: tuple[RowCell, ...]


@dataclass(frozen=True, slots=True)
class RowSection:
    """Everything behind one number, capture by capture."""

    anchor: str
    engine: EngineView
    title: str
    meaning: str
    figure: Figure | None
    lines: tuple[RowLine, ...]
    sums: tuple[str, ...] = ()
    """What the rows add up to, one line a run; empty where a figure says it."""


@dataclass(frozen=True, slots=True)
class EngineRows:
    """Rows of one engine: a section per measure, then one per family."""

    engine: EngineView
    measures: tuple[RowSection, ...]
    families: tuple[RowSection, ...]


def engine_rows(view: ReportView) -> tuple[EngineRows, ...]:
    """Rows of every engine, in the view's order."""
    return tuple(
        EngineRows(engine, tuple(_measures(view, engine)), tuple(_families(view, engine)))
        for engine in view.engines
    )


def _measures(view: ReportView, engine: EngineView) -> Iterator[RowSection]:
    """One section per measure; none for what nobody asked for."""
    captures = [c for c in view.captures if c.engine == engine.name]
    for name in view.measures:
        if not is_unasked(engine.card.measures.get(name)):
            yield _measure_section(view, engine, name, captures)


def _measure_section(
    view: ReportView, engine: EngineView, name: str, captures: Sequence[CaptureView]
) -> RowSection:
    """Counts of one measure, capture by capture."""
    note = view.measures[name]
    cells = [(c, RowCell(_measure_cell(view.tallies.get(c.id), c, name), c.id)) for c in captures]
    return RowSection(
        rows_anchor(engine.name, name),
        engine,
        note.label,
        f"{note.meaning} Counted in {note.unit}.",
        figure_of(engine.card.measures.get(name), None),
        _lines(view, cells),
    )


def _measure_cell(tally: Tally | None, capture: CaptureView, name: str) -> str:
    """One capture's counts in few words."""
    part = tally.measures.get(name) if tally else None
    if part is None:
        return outcome_words(capture.outcome)
    return _part_words(part, capture)


def _part_words(part: Measured, capture: CaptureView) -> str:
    """Counts, or why there are none; another outcome than answered says itself."""
    if isinstance(part, Undefined):
        is_answered = capture.outcome == "answered"
        return reason_words(part.reason.value) if is_answered else outcome_words(capture.outcome)
    if not part.total and not part.unresolved:
        return "nothing to count"
    return _rate_words(part)


def _rate_words(part: Rate) -> str:
    """Counts with what could not be assessed beside them."""
    if not part.unresolved:
        return counts(part)
    if not part.total:
        return f"{count(part.unresolved)} not assessable"
    return f"{counts(part)}, {count(part.unresolved)} not assessable"


def _families(view: ReportView, engine: EngineView) -> Iterator[RowSection]:
    """One section per family: the captures that cite it, and what they add up to."""
    counted = [
        (c, view.tallies[c.id])
        for c in view.captures
        if c.engine == engine.name and c.id in view.tallies
    ]
    for family in family_names(engine):
        cells = [
            (c, RowCell(f"{n} of {plural(sum(tally.families.values()), 'citation')}", c.id))
            for c, tally in counted
            if (n := tally.families.get(family, 0))
        ]
        yield RowSection(
            cites_anchor(engine.name, family),
            engine,
            family,
            "Answers that cite the family visibly, and how many of their citations it has.",
            None,
            _lines(view, cells),
            (*_sums(view, counted, family), *_matched(engine, family)),
        )


def _sums(
    view: ReportView, counted: Sequence[tuple[CaptureView, Tally]], family: str
) -> Iterator[str]:
    """A family's citations and all others over the answers of each run, this run first."""
    slots = (view.slot,) if view.before_slot is None else (view.slot, view.before_slot)
    for slot in slots:
        answers = [tally.families for c, tally in counted if c.slot == slot and tally.answered]
        citing = sum(1 for families in answers if families.get(family))
        hits = sum(families.get(family, 0) for families in answers)
        total = sum(sum(families.values()) for families in answers)
        other = next((s for s in slots if s != slot), None)
        yield (
            f"{when(slot, other)}: cited in {citing} of {plural(len(answers), 'answer')}; "
            f"{hits} of {plural(total, 'citation')}."
        )


def _matched(engine: EngineView, family: str) -> Iterator[str]:
    """The sums that a change compares, where prompts stand in one of the two runs alone."""
    comparison = engine.comparison
    if comparison is None or comparison.gates.matched == comparison.gates.panel:
        return
    for change in (c for c in comparison.families if c.name == family):
        yield (
            f"The change compares the {plural(comparison.gates.matched, 'matched prompt')} alone: "
            f"{counts(change.after.pooled)} citations, from {counts(change.before.pooled)}."
        )


def _lines(view: ReportView, cells: Sequence[tuple[CaptureView, RowCell]]) -> tuple[RowLine, ...]:
    """Cells by prompt, in the panel's order; prompts no longer in the panel follow."""
    order = {prompt.id: place for place, prompt in enumerate(view.panel.prompts)}
    texts: dict[str, str] = {}
    now: dict[str, list[RowCell]] = {}
    before: dict[str, list[RowCell]] = {}
    for capture, cell in cells:
        texts.setdefault(capture.prompt_id, capture.prompt_text)
        side = now if capture.slot == view.slot else before
        side.setdefault(capture.prompt_id, []).append(cell)
    return tuple(
        RowLine(prompt, texts[prompt], tuple(now.get(prompt, ())), tuple(before.get(prompt, ())))
        for prompt in sorted(texts, key=lambda p: (order.get(p, len(order)), p))
    )
