"""Source families of a run: who is cited how much, by which engine, and whether that moved."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.change import Change
from monitor.domain.score import Rate, Scorecard
from monitor.report.families import (
    concentration_lines,
    family_names,
    family_tags,
    uncompared,
)
from monitor.report.findings import findings, per_answer_text, verdict_of
from monitor.report.numbers import percent
from monitor.report.pane import spark_svg
from monitor.report.screens.change import ChangeView, change_view, not_compared
from monitor.report.screens.links import family_address, family_rows_address, page_address
from monitor.report.screens.numbers import (
    NumberView,
    not_measured,
    number_of_rate,
    number_of_share,
)
from monitor.report.screens.paging import Pager
from monitor.report.view import EngineView, ReportView, TrendPoint
from monitor.report.words import of_panel, whens

REQUIRED = "required"
"""Tag of a family of which the baseline requires a source."""

_LEAST_RUNS = 2


class Tag(StrEnum):
    """What a family may be to the panel."""

    CLIENT = "client"
    WATCHED = "watched"
    REQUIRED = REQUIRED


class FamilySort(StrEnum):
    """Order of the families of an engine."""

    SHARE = "share"
    CHANGE = "change"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class FamilyFilter:
    """Which families are shown, and in what order."""

    engine: str | None = None
    words: str = ""
    tag: Tag | None = None
    sort: FamilySort = FamilySort.SHARE

    def address(self, run: str | None, *, page: int | None = None) -> str:
        """Page of families under this filter."""
        sort = None if self.sort is FamilySort.SHARE else self.sort.value
        return page_address(
            "families",
            run=run,
            engine=self.engine,
            words=self.words,
            tag=self.tag.value if self.tag else None,
            sort=sort,
            page=page if page != 1 else None,
        )


@dataclass(frozen=True, slots=True)
class PastShare:
    """A family's share in one of the last runs, for a small drawing."""

    run: str
    name: str
    """The slot, as short as tells the runs apart."""
    value: float | None
    """None where the engine was not asked, or nothing was cited."""
    line: int
    """Neighbours with one number were scored by one recipe."""


@dataclass(frozen=True, slots=True)
class FamilyLine:
    """One family of one engine."""

    family: str
    href: str
    tags: tuple[str, ...]
    now: NumberView
    before: NumberView
    """On the matched prompts where the runs were compared, else over the whole earlier run."""
    per_answer: str
    """Mean per answer, before and now, where it is not close to the share."""
    change: ChangeView
    prompts: int
    """Prompts with at least one answer citing it."""
    independent: NumberView
    """The share with a copied text counted once per answer."""
    past: tuple[PastShare, ...]
    """Its share over the last runs; empty where there is but one."""

    def spark(self, colour: str) -> str:
        """Its past as a small drawing; empty where there is none."""
        if not self.past:
            return ""
        title = f"{self.family} over the last runs, from 0 to its highest: {self.past_text}"
        return spark_svg(title, [(one.value, one.line) for one in self.past], colour)

    @property
    def past_text(self) -> str:
        """Its past in words."""
        return ", ".join(f"{one.name} {percent(one.value)}" for one in self.past)


@dataclass(frozen=True, slots=True)
class ConcentrationView:
    """How far citations lie with few families: in words, and unrounded."""

    label: str
    before: str
    change: str
    hhi_text: str
    effective_text: str
    bounds_text: str
    estimate_text: str
    basis: str
    hhi: float | None
    effective_sources: float | None
    cross_prompt: float | None
    cross_prompt_low: float | None
    cross_prompt_high: float | None


@dataclass(frozen=True, slots=True)
class EngineFamilies:
    """One engine: concentration, and those of its families that stand on this page."""

    name: str
    label: str
    href: str
    """Families of this engine alone."""
    verdict: str
    before_href: str | None
    """Families of this engine in the run before; None without one."""
    cited: int
    """Families that it cites in this run."""
    concentration: tuple[ConcentrationView, ...]
    lines: tuple[FamilyLine, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class FamiliesScreen:
    """Source families of a run, engine by engine; a page of them."""

    headline: str
    panel: str | None
    run: str | None
    """None while no run has ended."""
    slot: str
    before_slot: str | None
    fictional: bool
    asked: FamilyFilter
    choices: tuple[tuple[str, str], ...]
    """(name, label) of the engines of the run."""
    engines: tuple[EngineFamilies, ...]
    pager: Pager | None


Named = tuple[EngineView, str]
"""A family of an engine."""


def no_families(asked: FamilyFilter, panel: str | None) -> FamiliesScreen:
    """The page of a panel, or of a store, in which nothing has ended yet."""
    told = f"No run{of_panel(panel)} has ended yet"
    return FamiliesScreen(told, panel, None, "", None, False, asked, (), (), None)


def chosen_families(
    view: ReportView, asked: FamilyFilter, required: Collection[str]
) -> tuple[Named, ...]:
    """Families that a filter leaves, engine by engine, in its order."""
    return tuple(
        (engine, name)
        for engine in view.engines
        if asked.engine in {None, engine.name}
        for name in _ordered(engine, asked.sort)
        if asked.words.casefold() in name.casefold()
        and (asked.tag is None or asked.tag.value in tags_of(view, name, required))
    )


def tags_of(view: ReportView, name: str, required: Collection[str]) -> tuple[str, ...]:
    """What a family is to the panel: its client's own, watched, required."""
    return (*family_tags(view, name), *([REQUIRED] if name in required else []))


def families_screen(
    view: ReportView,
    asked: FamilyFilter,
    shown: Collection[Named],
    *,
    required: Collection[str],
    pager: Pager,
) -> FamiliesScreen:
    """A page of the families of a run."""
    engines = [e for e in view.engines if asked.engine in {None, e.name}]
    return FamiliesScreen(
        headline=_headline(view, asked),
        panel=view.panel.name,
        run=view.run,
        slot=view.slot,
        before_slot=view.before_slot,
        fictional=view.fictional,
        asked=asked,
        choices=tuple((engine.name, engine.label) for engine in view.engines),
        engines=tuple(
            _engine(view, engine, [n for one, n in shown if one is engine], required)
            for engine in engines
        ),
        pager=pager,
    )


def _headline(view: ReportView, asked: FamilyFilter) -> str:
    """The largest finding about a family; without one, what the page is."""
    said = (f for f in findings(view) if f.is_family and asked.engine in {None, f.engine})
    return next((f.sentence for f in said), f"Source families of {view.panel.name}, {view.slot}")


def _ordered(engine: EngineView, sort: FamilySort) -> list[str]:
    """Families of an engine; largest share first unless the sort says otherwise."""
    names = list(family_names(engine))
    if sort is FamilySort.NAME:
        return sorted(names)
    if sort is FamilySort.CHANGE:
        moved = {name: abs(one.difference or 0.0) for name, one in _changes(engine).items()}
        return sorted(names, key=lambda name: -moved.get(name, -1.0))
    return names


def _changes(engine: EngineView) -> Mapping[str, Change]:
    """Changes of an engine's families by name."""
    return {c.name: c for c in engine.comparison.families} if engine.comparison else {}


def _engine(
    view: ReportView, engine: EngineView, names: Collection[str], required: Collection[str]
) -> EngineFamilies:
    """One engine with some of its families."""
    past = _past(view, engine, names)
    return EngineFamilies(
        name=engine.name,
        label=engine.label,
        href=FamilyFilter(engine=engine.name).address(view.run),
        verdict=verdict_of(engine),
        before_href=_before_address(view, engine),
        cited=len(engine.card.families),
        concentration=tuple(_concentrations(engine)),
        lines=tuple(
            family_line(view, engine, name, required=required, past=past.get(name, ()))
            for name in names
        ),
        signature=engine.card.signature,
    )


def _before_address(view: ReportView, engine: EngineView) -> str | None:
    """Shares of the engine in the run before, which its concentration then was made of."""
    if view.before_run is None or engine.before is None:
        return None
    return FamilyFilter(engine=engine.name).address(view.before_run)


def _concentrations(engine: EngineView) -> Iterator[ConcentrationView]:
    """By pages, then by independent texts."""
    card = engine.card
    values = (card.concentration, card.independent_concentration)
    for line, value in zip(concentration_lines(engine), values, strict=True):
        between = value.cross_prompt_interval
        yield ConcentrationView(
            label=line.label,
            before=line.before,
            change=line.change,
            hhi_text=line.hhi,
            effective_text=line.effective,
            bounds_text=line.bounds,
            estimate_text=line.estimate,
            basis=line.basis,
            hhi=value.hhi,
            effective_sources=value.effective_sources,
            cross_prompt=value.cross_prompt,
            cross_prompt_low=between.low if between else None,
            cross_prompt_high=between.high if between else None,
        )


def family_line(
    view: ReportView,
    engine: EngineView,
    name: str,
    *,
    required: Collection[str],
    past: tuple[PastShare, ...] = (),
) -> FamilyLine:
    """One family of an engine: how much, how much before, and whether that is noise."""
    card = engine.card
    share = next((one for one in card.families if one.family == name), None)
    change = _changes(engine).get(name)
    independent = share.independent if share else Rate(0, card.independent_concentration.citations)
    return FamilyLine(
        family=name,
        href=family_address(name, run=view.run),
        tags=tags_of(view, name, required),
        now=number_of_share(card, name, family_rows_address(view.run, engine.name, name)),
        before=_before(view, engine, name, change),
        per_answer=_per_answer(change),
        change=change_view(change) if change else not_compared(uncompared(engine)),
        prompts=share.prompts if share else 0,
        independent=number_of_rate(
            independent, None, family_rows_address(view.run, engine.name, name)
        ),
        past=past,
    )


def _before(view: ReportView, engine: EngineView, name: str, change: Change | None) -> NumberView:
    """The share before, with the rows of the earlier run behind it."""
    href = family_rows_address(view.before_run, engine.name, name) if view.before_run else None
    if change is not None:
        return number_of_rate(change.before.pooled, None, href)
    if engine.before is None:
        return not_measured(engine.skipped_before or "no earlier run")
    return number_of_share(engine.before, name, href)


def _per_answer(change: Change | None) -> str:
    """Means per answer, which are what is compared, where they are not close to the shares."""
    if change is None:
        return ""
    before, after = per_answer_text(change.before), per_answer_text(change.after)
    return "; ".join(
        f"{told} {when}" for when, told in (("before", before), ("now", after)) if told
    )


def _past(
    view: ReportView, engine: EngineView, names: Collection[str]
) -> dict[str, tuple[PastShare, ...]]:
    """Families over the last runs; empty where there is but one run."""
    trend = next((one for one in view.trends if one.engine == engine.name), None)
    points = trend.points if trend else ()
    if len(points) < _LEAST_RUNS:
        return {}
    called = whens([point.slot for point in points])
    cited = [_shares(point.card) for point in points]
    lines = _recipe_lines(points)
    return {
        name: tuple(
            PastShare(point.run, slot, shares.get(name, 0.0) if shares else None, line)
            for point, slot, shares, line in zip(points, called, cited, lines, strict=True)
        )
        for name in names
    }


def _shares(card: Scorecard | None) -> Mapping[str, float | None]:
    """Family -> share in one run; empty where nothing is cited."""
    return {one.family: one.rate.value for one in card.families} if card else {}


def _recipe_lines(points: Sequence[TrendPoint]) -> list[int]:
    """A number for each run, another one wherever the recipe is another."""
    found: list[int] = []
    for before, point in zip((None, *points), points, strict=False):
        is_same = before is not None and _recipe(before) == _recipe(point)
        found.append((found[-1] if found else 0) + (not is_same))
    return found


def _recipe(point: TrendPoint) -> str | None:
    return point.card.recipe if point.card else None
