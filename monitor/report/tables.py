"""Scorecards and changes as plain rows for exports: counts first, values unrounded."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from monitor.domain.change import Change, Comparison
from monitor.domain.score import (
    Bounds,
    Concentration,
    FamilyShare,
    Interval,
    Measure,
    Rate,
    Scorecard,
    Undefined,
)

Cell = str | int | float | None
Row = tuple[Cell, ...]
Table = tuple[tuple[str, ...], list[Row]]

_SAMPLE = ("panel", "run", "engine", "segment")
_RATE = (
    "hits", "total", "value", "low", "high", "level", "interval_method", "not_assessable",
    "not_assessable_reasons", "assessed_share", "bound_low", "bound_high",
)  # fmt: skip
_COVERAGE = ("planned", "attempted", "heard", "answered")

SCORECARD_HEADER = (
    *_SAMPLE, "measure", *_RATE, "undefined", "prompts", *_COVERAGE, "signature",
)  # fmt: skip
FAMILY_HEADER = (
    *_SAMPLE, "family", *_RATE, "prompts", "independent_hits", "independent_total",
    "independent_value", "signature",
)  # fmt: skip
CHANGE_HEADER = (
    "engine", "panel", "before_run", "after_run", "subject", "name", "verdict", "because",
    "appearance", "before_share", "after_share", "difference", "low", "high", "level",
    "p", "p_adjusted", "smallest_detectable", "before_hits", "before_total", "after_hits",
    "after_total", "before_prompts", "after_prompts", "prompts", "counted", "matched_prompts",
    "panel_prompts", "seed",
)  # fmt: skip


def scorecard_rows(cards: Sequence[Scorecard]) -> Table:
    """One row per scorecard and measure, then one per concentration number.

    A concentration row has no hits: its value is the index, its total the citations behind it.
    """
    rows: list[Row] = []
    for card in cards:
        tail = (*_coverage(card), card.signature)
        rows += [
            (*_sample(card), name, *_measure(measure), *tail)
            for name, measure in card.measures.items()
        ]
        rows += [(*_sample(card), *cells, *tail) for cells in _concentrations(card)]
    return SCORECARD_HEADER, rows


def family_rows(cards: Sequence[Scorecard]) -> Table:
    """One row per scorecard and source family, in the scorecard's order."""
    return FAMILY_HEADER, [
        (*_sample(card), *_family(family), card.signature)
        for card in cards
        for family in card.families
    ]


def change_rows(comparisons: Sequence[Comparison]) -> Table:
    """One row per engine and subject of change; families first, then measures."""
    return CHANGE_HEADER, [
        _change(comparison, change)
        for comparison in comparisons
        for change in (*comparison.families, *comparison.measures)
    ]


def reasons_text(reasons: Mapping[str, float]) -> str:
    """Reasons with their counts as `pending:3|robots:1`, commonest first."""
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return "|".join(f"{reason}:{number:g}" for reason, number in ordered if number)


def unassessed_cells(reasons: Mapping[str, float], total: float | None) -> tuple[Cell, Cell]:
    """How many could not be assessed, and why; both empty where there is no rate."""
    return (None, None) if total is None else (sum(reasons.values()), reasons_text(reasons))


def usd_text(micros: int | None) -> str | None:
    """Millionths of a USD as a plain decimal number of USD."""
    return None if micros is None else f"{Decimal(micros).scaleb(-6):f}"


def _sample(card: Scorecard) -> Row:
    """Whose numbers these are."""
    return card.panel, card.run, card.engine, card.segment


def _coverage(card: Scorecard) -> Row:
    """Captures behind a scorecard."""
    coverage = card.coverage
    return coverage.planned, coverage.attempted, coverage.heard, coverage.answered


def _measure(measure: Measure) -> Row:
    """Cells of one measure, with the reason where it is undefined."""
    if isinstance(measure.rate, Undefined):
        return (*_rate(None, None, None), measure.rate.reason.value, measure.prompts)
    rate = measure.rate
    return (*_rate(rate, measure.interval, rate.bounds), None, measure.prompts)


def _rate(rate: Rate | None, interval: Interval | None, bounds: Bounds | None) -> Row:
    """Cells of a rate; all empty where there is none."""
    if rate is None:
        return (None,) * len(_RATE)
    return (
        rate.hits,
        rate.total,
        rate.value,
        *_interval(interval),
        interval.method if interval else None,
        rate.unresolved,
        reasons_text(rate.not_assessable),
        rate.assessed_share,
        *_bounds(bounds),
    )


def _interval(interval: Interval | None) -> Row:
    """Low, high and level."""
    return (interval.low, interval.high, interval.level) if interval else (None, None, None)


def _bounds(bounds: Bounds | None) -> Row:
    """Low and high."""
    return (bounds.low, bounds.high) if bounds else (None, None)


def _family(family: FamilyShare) -> Row:
    """Cells of one family's share."""
    own = family.independent
    return (
        family.family,
        *_rate(family.rate, family.interval, family.bounds),
        family.prompts,
        own.hits,
        own.total,
        own.value,
    )


def _concentrations(card: Scorecard) -> Iterator[Row]:
    """Index, effective sources and the cross-prompt estimate, by pages and by groups."""
    yield from _concentration("hhi", card.concentration)
    yield from _concentration("hhi_independent", card.independent_concentration)


def _concentration(name: str, value: Concentration) -> Iterator[Row]:
    """Rows of one concentration: the plug-in, its reciprocal and the cross-prompt estimate."""
    reciprocal = f"effective_sources{name.removeprefix('hhi')}"
    yield _index(name, value.hhi, value, _bounds(value.bounds))
    yield _index(reciprocal, value.effective_sources, value, (None, None))
    if value.cross_prompt is not None:
        yield (
            f"{name}_cross_prompt", None, value.citations, value.cross_prompt,
            *_interval(value.cross_prompt_interval),
            value.cross_prompt_interval.method if value.cross_prompt_interval else None,
            None, None, None, None, None, None, None,
        )  # fmt: skip


def _index(name: str, value: float | None, source: Concentration, bounds: Row) -> Row:
    """One index as a row; without citations it has a reason and no value."""
    undefined = None if value is not None else "no_visible"
    return (
        name, None, source.citations, value, None, None, None, None, None, None, None,
        *bounds, undefined, None,
    )  # fmt: skip


def _change(comparison: Comparison, change: Change) -> Row:
    """Cells of one change."""
    test = change.test
    return (
        comparison.engine,
        comparison.panel_version,
        comparison.before_id,
        comparison.after_id,
        change.subject.value,
        change.name,
        change.verdict.value,
        change.because,
        change.appearance.value if change.appearance else None,
        change.before.share,
        change.after.share,
        change.difference,
        *_interval(test.interval if test else None),
        test.p_value if test else None,
        test.adjusted if test else None,
        test.smallest_detectable if test else None,
        change.before.pooled.hits,
        change.before.pooled.total,
        change.after.pooled.hits,
        change.after.pooled.total,
        change.before.prompts,
        change.after.prompts,
        change.prompts,
        change.counted,
        comparison.gates.matched,
        comparison.gates.panel,
        comparison.seed,
    )
