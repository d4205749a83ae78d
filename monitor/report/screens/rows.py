"""The rows behind a number: the captures it was counted from, each with its own counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from monitor.domain.capture_line import CaptureLine
from monitor.domain.score import (
    Interval,
    Measured,
    Rate,
    Tally,
    Undefined,
    UndefinedReason,
    pooled,
)
from monitor.report.numbers import counts, interval, percent
from monitor.report.screens.links import capture_address, page_address, prompt_address
from monitor.report.screens.matrix import EVERYTHING, card_of
from monitor.report.screens.numbers import (
    NumberView,
    number_of,
    number_of_rate,
    number_of_share,
    unassessed_of,
)
from monitor.report.screens.paging import Pager
from monitor.report.tables import Table
from monitor.report.view import EngineView, ReportView
from monitor.report.words import outcome_words, plural, reason_words, reasons_words

CATEGORY = "claim_category"


class Only(StrEnum):
    """Which of the rows behind a number are shown."""

    ALL = "all"
    MISSES = "misses"
    HITS = "hits"
    UNASSESSED = "unassessed"


@dataclass(frozen=True, slots=True)
class Behind:
    """The number whose rows are asked for: of a measure, or of a family's share."""

    engine: str
    measure: str | None = None
    family: str | None = None
    segment: str = EVERYTHING
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """One capture and what it adds to the number."""

    capture: int
    tally: Tally
    part: Measured


@dataclass(frozen=True, slots=True)
class CitedPageView:
    """One page of the family, as the capture cites it."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class RowView:
    """One capture as a row."""

    capture: int
    href: str
    prompt: str
    prompt_href: str
    prompt_text: str
    repeat: int
    outcome: str
    number: NumberView
    pages: tuple[CitedPageView, ...] = ()


@dataclass(frozen=True, slots=True)
class OnlyView:
    """One choice of rows, and how many there are of them."""

    name: str
    label: str
    rows: int
    href: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class RowsScreen:
    """A number and everything it was counted from."""

    run: str
    engine: str
    engine_label: str
    measure: str | None
    family: str | None
    segment: str
    prompt: str | None
    label: str
    """What the number is called."""
    number: NumberView
    meaning: str
    """The formula in words."""
    working: tuple[str, ...]
    """How the number comes from its rows, in sentences."""
    summed: NumberView
    """What all rows add up to: the same counts."""
    captures: int
    """Captures behind the number."""
    choices: tuple[OnlyView, ...]
    part: str
    """Which captures are shown, and what the others add; empty where it is all of them."""
    part_summed: NumberView | None
    """What the part adds up to; None where it is all of them."""
    rows: tuple[RowView, ...]
    pager: Pager
    signature: str
    segments: tuple[tuple[str, str], ...] = ()
    """(segment, address) of the same number in parts of the run."""


def part_of(tally: Tally, behind: Behind) -> Measured:
    """What one capture adds to the number."""
    if behind.family is not None:
        return _family_part(tally, behind.family)
    name = behind.measure or ""
    field, _, value = behind.segment.partition("=")
    absent = UndefinedReason.NO_REQUIRED if tally.answered else UndefinedReason.NO_ANSWERED
    if field == CATEGORY:
        return tally.categories.get((name, value), Undefined(absent))
    return tally.measures.get(name, Undefined(absent))


def _family_part(tally: Tally, family: str) -> Measured:
    """A family's citations of all visible ones of a capture."""
    if not tally.answered:
        return Undefined(UndefinedReason.NO_ANSWERED)
    return Rate(tally.families.get(family, 0), sum(tally.families.values()))


def counted(view: ReportView, behind: Behind, captures: Sequence[int]) -> tuple[Counted, ...]:
    """Captures behind a number, in the order of the panel's prompts."""
    order = {prompt.id: place for place, prompt in enumerate(view.panel.prompts)}
    found = [
        Counted(one, tally, part_of(tally, behind))
        for one in captures
        if (tally := view.tallies.get(one)) is not None and behind.prompt in {None, tally.prompt_id}
    ]
    last = len(order)
    return tuple(
        sorted(
            found,
            key=lambda c: (
                order.get(c.tally.prompt_id, last), c.tally.prompt_id, c.tally.repeat, c.capture
            ),
        )
    )  # fmt: skip


def only(rows: Sequence[Counted], which: Only) -> tuple[Counted, ...]:
    """Rows of one kind; what is undefined is neither hit nor miss."""
    if which is Only.ALL:
        return tuple(rows)
    return tuple(row for row in rows if isinstance(row.part, Rate) and _is(row.part, which))


def _is(part: Rate, which: Only) -> bool:
    """Whether a capture's counts have something of the kind."""
    if which is Only.MISSES:
        return part.hits < part.total
    return bool(part.hits if which is Only.HITS else part.unresolved)


def number_behind(engine: EngineView, behind: Behind, rows: Sequence[Counted]) -> NumberView:
    """The very number of the scorecard; for one prompt, the sum of its rows."""
    if behind.prompt is not None:
        return number_of_rate(_sum(rows), None, None)
    card = card_of(engine, behind.segment)
    if card is not None and behind.family is not None:
        return number_of_share(card, behind.family, None)
    measure = card.measures.get(behind.measure or "") if card else None
    return number_of(measure, None, slice_of=behind.segment != EVERYTHING)


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows of one page, and what the store has to say of them."""

    rows: tuple[Counted, ...]
    pager: Pager
    lines: Mapping[int, CaptureLine]
    pages: Mapping[int, tuple[CitedPageView, ...]]


def rows_screen(
    view: ReportView,
    behind: Behind,
    rows: Sequence[Counted],
    *,
    which: Only,
    placed: Placed,
) -> RowsScreen:
    """The page of a number: what it is, how it comes about, and one page of its rows."""
    engine = next(one for one in view.engines if one.name == behind.engine)
    note = view.measures.get(behind.measure or "")
    unit = note.unit if note else "visible citations"
    return RowsScreen(
        run=view.run,
        engine=engine.name,
        engine_label=engine.label,
        measure=behind.measure,
        family=behind.family,
        segment=behind.segment,
        prompt=behind.prompt,
        label=note.label if note else f"Citation share of {behind.family}",
        number=number_behind(engine, behind, rows),
        meaning=_meaning(note.meaning if note else _SHARE, unit),
        working=tuple(_working(engine, behind, rows, unit)),
        summed=number_of_rate(_sum(rows), None, None),
        captures=len(rows),
        choices=_choices(view, behind, rows, which),
        part=_part_words(behind, rows, which, unit=unit),
        part_summed=_part_summed(rows, which),
        rows=tuple(_row(view, row, placed) for row in placed.rows),
        pager=placed.pager,
        signature=engine.card.signature,
        segments=_segments(view, engine, behind),
    )


def _sum(rows: Sequence[Counted]) -> Measured:
    """What rows add up to, in the order of scoring: fractions come out the same to the last bit."""
    return pooled(row.part for row in sorted(rows, key=lambda row: row.capture))


_SHARE = "Visible citations that lead to a page of this source family."


def _meaning(meaning: str, unit: str) -> str:
    return f"{meaning} Counted in {unit}, summed over captures: a rate of sums, no mean of rates."


def _working(engine: EngineView, behind: Behind, rows: Sequence[Counted], unit: str) -> list[str]:
    """Sentences from the rows to the number."""
    total = _sum(rows)
    if not isinstance(total, Rate):
        return [f"Not measured: {reason_words(total.reason.value)}."]
    adding = sum(isinstance(row.part, Rate) for row in rows)
    share = "" if total.value is None else f": {percent(total.value)}"
    said = [f"{plural(adding, 'capture')} of {len(rows)} add {counts(total)} {unit}{share}."]
    if total.unresolved:
        said.append(
            f"Not assessable, and in no total: {reasons_words(total.not_assessable)}; were they "
            f"all misses or all hits, it would be {interval(total.bounds)} %."
        )
    if (between := _interval(engine, behind)) is not None:
        said.append(_interval_words(between))
    return said


def _interval(engine: EngineView, behind: Behind) -> Interval | None:
    """Interval of the scorecard's number, where it has one and no prompt narrows it."""
    card = card_of(engine, behind.segment)
    if card is None or behind.prompt is not None:
        return None
    if behind.family is not None:
        share = next((one for one in card.families if one.family == behind.family), None)
        return share.interval if share else None
    measure = card.measures.get(behind.measure or "")
    return measure.interval if measure else None


def _interval_words(one: Interval) -> str:
    method = f" ({one.method.replace('_', ' ')})" if one.method else ""
    return (
        f"{percent(one.level)} interval {interval(one)} %{method}: answers to one prompt are "
        "alike, so that prompts, not captures, are what it counts."
    )


_LABELS = {
    Only.ALL: "all",
    Only.MISSES: "with something counted that is no hit",
    Only.HITS: "with a hit",
    Only.UNASSESSED: "with something not assessable",
}


_OF_FAMILY = _LABELS | {Only.MISSES: "citing others, too", Only.HITS: "citing it"}


def _part_words(behind: Behind, rows: Sequence[Counted], which: Only, *, unit: str) -> str:
    """The captures shown with what they add, then the others: together they make the number."""
    shown = only(rows, which)
    if len(shown) == len(rows):
        return ""
    seen = {row.capture for row in shown}
    rest = [row for row in rows if row.capture not in seen]
    those = f"Shown: {len(shown)} of {plural(len(rows), 'capture')}"
    labelled = f"{those}, {_labels(behind)[which]}: {_added(shown)} {unit}"
    return f"{labelled}. The other {len(rest)} add {_added(rest)}."


def _added(rows: Sequence[Counted]) -> str:
    total = _sum(rows)
    return counts(total) if isinstance(total, Rate) else "nothing"


def _part_summed(rows: Sequence[Counted], which: Only) -> NumberView | None:
    shown = only(rows, which)
    return None if len(shown) == len(rows) else number_of_rate(_sum(shown), None, None)


def _labels(behind: Behind) -> Mapping[Only, str]:
    return _LABELS if behind.family is None else _OF_FAMILY


def _choices(
    view: ReportView, behind: Behind, rows: Sequence[Counted], which: Only
) -> tuple[OnlyView, ...]:
    labels = _labels(behind)
    return tuple(
        OnlyView(
            one.value, labels[one], len(only(rows, one)),
            behind_address(view.run, behind, which=one), one is which,
        )
        for one in Only
    )  # fmt: skip


def behind_address(
    run: str, behind: Behind, *, which: Only | None = None, page: int | None = None
) -> str:
    """Address of the rows behind a number, in full."""
    segment = None if behind.segment == EVERYTHING else behind.segment
    return page_address(
        "runs", run, "rows", engine=behind.engine, measure=behind.measure, family=behind.family,
        segment=segment, prompt=behind.prompt, only=which.value if which else None, page=page,
    )  # fmt: skip


def _segments(view: ReportView, engine: EngineView, behind: Behind) -> tuple[tuple[str, str], ...]:
    """The same number in parts of the run, over all of their prompts: one may be in few of them."""
    return tuple(
        (
            card.segment,
            behind_address(view.run, replace(behind, segment=card.segment, prompt=None)),
        )
        for card in engine.segments
        if (behind.measure in card.measures if behind.measure else card.families)
    )


def _row(view: ReportView, row: Counted, placed: Placed) -> RowView:
    line = placed.lines[row.capture]
    return RowView(
        capture=row.capture,
        href=capture_address(row.capture),
        prompt=line.prompt_id,
        prompt_href=prompt_address(line.prompt_id, run=view.run),
        prompt_text=line.prompt_text,
        repeat=line.repeat,
        outcome=outcome_words(line.outcome),
        number=number_of_rate(row.part, None, None),
        pages=placed.pages.get(row.capture, ()),
    )


_HEADER = (
    "run", "engine", "measure", "family", "segment", "capture", "prompt", "repeat", "outcome",
    "hits", "total", "not_assessable", "not_assessable_reasons", "undefined", "pages",
)  # fmt: skip


def rows_table(screen: RowsScreen) -> Table:
    """The rows as they add up."""
    start = (screen.run, screen.engine, screen.measure, screen.family, screen.segment)
    return _HEADER, [
        (
            *start, row.capture, row.prompt, row.repeat, row.outcome, row.number.hits,
            row.number.total, *unassessed_of(row.number), row.number.undefined,
            " ".join(page.url for page in row.pages),
        )
        for row in screen.rows
    ]  # fmt: skip
