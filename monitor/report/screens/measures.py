"""Measures explained: meaning, formula in words, and a run's own counts filled into it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from monitor.domain.score import Concentration, Measure, Rate
from monitor.report.matrix import SECTIONS
from monitor.report.numbers import count, index, sources
from monitor.report.screens.formulas import FORMULAS, Formula
from monitor.report.screens.formulas_beside import BESIDE, RULES, Beside, Rule
from monitor.report.screens.links import family_address, measure_address, rows_address
from monitor.report.screens.measure_examples import NO_RUN, Aside, Example
from monitor.report.screens.numbers import number_of, number_of_share
from monitor.report.tables import Row, Table
from monitor.report.view import EngineView, MeasureNote, ReportView

_DIRECTIONS = {"up": "higher is better", "down": "lower is better", "neither": "neither way"}
_BESIDE = "Shares, concentration and agreement"
_STORED = ("citation_share", "hhi", "effective_sources")
"""Measures beside those of a scorecard that scorecards have all the same."""

Asides = Mapping[str, Aside]
"""Examples of measures that no scorecard has, by name."""
_NO_ASIDES: Asides = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MeasureEntry:
    """One measure with everything that explains it."""

    name: str
    href: str
    label: str
    meaning: str
    unit: str
    direction: str
    formula: Formula
    examples: tuple[Example, ...]
    without: str
    """Why there is no example; empty where there is one."""
    whose: str = "Engine"
    """Whose counts the examples are."""


@dataclass(frozen=True, slots=True)
class MeasureGroup:
    """Measures of one kind."""

    heading: str
    measures: tuple[MeasureEntry, ...]


@dataclass(frozen=True, slots=True)
class MeasuresScreen:
    """Every measure explained."""

    run: str
    """Whose counts the examples are; empty where no run ended yet."""
    groups: tuple[MeasureGroup, ...]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class SeedLine:
    """One statement of the example of four."""

    statement: str
    cites: str
    supported: str
    recall: str
    precision: str


SEED: tuple[SeedLine, ...] = (
    SeedLine("first", "page 1", "page 1 supports it", "entailed", "page 1 counts"),
    SeedLine(
        "second",
        "pages 2 and 3",
        "page 2 supports it alone, page 3 does not",
        "entailed",
        "page 2 counts, page 3 is irrelevant",
    ),
    SeedLine("third", "page 4", "page 4 does not support it", "missed", "page 4 does not count"),
    SeedLine("fourth", "nothing", "nothing is cited", "missed", "nothing to count"),
)
"""Four statements with four citations: recall 2 of 4, precision 2 of 4."""


@dataclass(frozen=True, slots=True)
class MeasureScreen:
    """One measure at length."""

    run: str
    heading: str
    measure: MeasureEntry
    seed: tuple[SeedLine, ...]
    """The example of four statements, where it applies."""
    rules: tuple[Rule, ...]


def measures_screen(
    view: ReportView | None, notes: dict[str, MeasureNote], asides: Asides = _NO_ASIDES
) -> MeasuresScreen:
    """All measures, with examples of a run where there is one."""
    return MeasuresScreen(view.run if view else "", tuple(_groups(view, notes, asides)), RULES)


def measure_screen(
    name: str,
    view: ReportView | None,
    notes: dict[str, MeasureNote],
    asides: Asides = _NO_ASIDES,
) -> MeasureScreen | None:
    """The measure of a name, or None."""
    for group in _groups(view, notes, asides):
        for one in group.measures:
            if one.name == name:
                seed = SEED if one.formula.is_seeded else ()
                return MeasureScreen(view.run if view else "", group.heading, one, seed, RULES)
    return None


def measure_names() -> tuple[str, ...]:
    """Every name that there is a page of."""
    return (*FORMULAS, *BESIDE)


def _groups(
    view: ReportView | None, notes: dict[str, MeasureNote], asides: Asides
) -> Iterator[MeasureGroup]:
    for kind in dict.fromkeys(note.section for note in notes.values()):
        yield MeasureGroup(
            SECTIONS.get(kind, kind),
            tuple(_entry(name, note, view) for name, note in notes.items() if note.section == kind),
        )
    beside = (_beside(name, one, view, asides) for name, one in BESIDE.items())
    yield MeasureGroup(_BESIDE, tuple(beside))


def _entry(name: str, note: MeasureNote, view: ReportView | None) -> MeasureEntry:
    formula = FORMULAS[name]
    return MeasureEntry(
        name,
        measure_address(name, run=view.run if view else None),
        note.label,
        note.meaning,
        note.unit,
        _DIRECTIONS[note.direction],
        formula,
        tuple(_example(view.run, one, name, formula) for one in view.engines) if view else (),
        "" if view and view.engines else NO_RUN,
    )


def _example(run: str, engine: EngineView, name: str, formula: Formula) -> Example:
    measure = engine.card.measures.get(name)
    number = number_of(measure, rows_address(run, engine.name, name))
    return Example(engine.name, engine.label, _counted(measure, formula), number)


def _counted(measure: Measure | None, formula: Formula) -> str:
    """A formula with counts in it; empty without a value."""
    rate = measure.rate if measure else None
    return _filled(rate, formula) if isinstance(rate, Rate) else ""


def _filled(rate: Rate, formula: Formula) -> str:
    if rate.value is None:
        return ""
    return (
        f"{count(rate.hits)} {formula.hits} / {count(rate.total)} {formula.total} = "
        f"{index(rate.value)}"
    )


def _beside(name: str, one: Beside, view: ReportView | None, asides: Asides) -> MeasureEntry:
    found = _stored(name, view) if name in _STORED else asides.get(name, Aside((), NO_RUN))
    return MeasureEntry(
        name,
        measure_address(name, run=view.run if view else None),
        one.label,
        one.meaning,
        one.unit,
        _DIRECTIONS["neither"],
        one.formula,
        found.examples,
        found.without,
        one.whose,
    )


def _stored(name: str, view: ReportView | None) -> Aside:
    """Examples of the scorecards of a view."""
    found = tuple(_of_card(name, view.run, engine) for engine in view.engines) if view else ()
    return Aside(found, "" if found else NO_RUN)


def _of_card(name: str, run: str, engine: EngineView) -> Example:
    """What a scorecard has of a number beside its measures."""
    if name == "citation_share":
        return _share(run, engine)
    return Example(engine.name, engine.label, _concentrated(name, engine.card.concentration), None)


def _share(run: str, engine: EngineView) -> Example:
    """The largest family's share."""
    largest = max(engine.card.families, key=lambda one: one.rate.hits, default=None)
    if largest is None:
        return Example(engine.name, engine.label, "", None)
    href = family_address(largest.family, run=run, engine=engine.name)
    return Example(
        engine.name,
        engine.label,
        f"{largest.family}: {_filled(largest.rate, BESIDE['citation_share'].formula)}",
        number_of_share(engine.card, largest.family, href),
    )


def _concentrated(name: str, one: Concentration) -> str:
    if one.hhi is None:
        return ""
    said = f"{one.citations} citations of {one.families} families: "
    if name == "hhi":
        return f"{said}squared shares sum to {index(one.hhi)}"
    return f"{said}1 / {index(one.hhi)} = {sources(one.effective_sources)}"


MEASURES_HEADER = (
    "measure", "label", "meaning", "unit", "direction", "hits_are", "total_is", "left_out",
    "undefined", "bounds", "origin", "function", "run", "engine", "hits", "total", "value",
    "counted",
)  # fmt: skip


def measures_table(screen: MeasuresScreen) -> Table:
    """A row for each measure and engine."""
    every = [one for group in screen.groups for one in group.measures]
    return MEASURES_HEADER, [row for one in every for row in _rows(screen.run, one)]


def measure_table(screen: MeasureScreen) -> Table:
    """A row for each engine."""
    return MEASURES_HEADER, list(_rows(screen.run, screen.measure))


def _rows(run: str, one: MeasureEntry) -> Iterator[Row]:
    formula = one.formula
    head: Row = (
        one.name, one.label, one.meaning, one.unit, one.direction, formula.hits, formula.total,
        formula.left_out, formula.undefined, formula.bounds, formula.origin, formula.function, run,
    )  # fmt: skip
    for example in one.examples:
        n = example.number
        counts: Row = (n.hits, n.total, n.value) if n else (None, None, None)
        yield (*head, example.engine, *counts, example.counted)
    if not one.examples:
        yield (*head, None, None, None, None, "")
