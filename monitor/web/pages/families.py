"""Source families of a run."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, Query

from monitor.domain.baseline import Baseline
from monitor.domain.score import Scorecard
from monitor.domain.source import Grade
from monitor.report.screens.families import (
    FamiliesScreen,
    FamilyFilter,
    FamilySort,
    Tag,
    chosen_families,
    families_screen,
    no_families,
)
from monitor.report.tables import family_rows
from monitor.report.view import ReportView
from monitor.store import panels
from monitor.web.desk import Desk
from monitor.web.pages.finding import ChosenRun, DeskOf, WindowOf, Words
from monitor.web.problems import not_found
from monitor.web.screens import Screen

EngineQuery = Annotated[str | None, Query(max_length=80, description="One engine.")]


def family_filter(
    engine: EngineQuery = None,
    words: Words = "",
    tag: Annotated[Tag | None, Query(description="What a family is to the panel.")] = None,
    sort: Annotated[FamilySort, Query(description="Order.")] = FamilySort.SHARE,
) -> FamilyFilter:
    """Which families are asked for."""
    return FamilyFilter(engine or None, words.strip(), tag, sort)


FilterOf = Annotated[FamilyFilter, Depends(family_filter)]


def load_families(
    desk: DeskOf, run: ChosenRun, asked: FilterOf, window: WindowOf
) -> FamiliesScreen:
    """Source families of a run by engine: shares, changes, concentration."""
    if run is None:
        return no_families(asked)
    view = desk.view(run)
    require_engine(view, asked.engine)
    required = required_families(desk, run.panel)
    found = chosen_families(view, asked, required)
    pager = window.pager(len(found), lambda page: asked.address(run.public_id, page=page))
    shown = found[window.offset : window.offset + window.size]
    return families_screen(view, asked, shown, required=required, pager=pager)


def load_cards(desk: DeskOf, run: ChosenRun, asked: FilterOf) -> Sequence[Scorecard]:
    """Scorecards of the engines asked for, with all of their families."""
    engines = desk.view(run).engines if run is not None else ()
    return [one.card for one in engines if asked.engine in {None, one.name}]


def require_engine(view: ReportView, engine: str | None) -> None:
    """404 for an engine of which the run has no numbers."""
    known = [one.name for one in view.engines]
    if engine is not None and engine not in known:
        has = f"there are {', '.join(known)}" if known else "nothing of it was scored yet"
        raise not_found(f"no numbers of the engine {engine!r} in {view.run}; {has}")


def required_families(desk: Desk, panel: str) -> frozenset[str]:
    """Families of which the baseline of a panel requires a source for any prompt."""
    baseline = desk.bench.read(lambda c: panels.load_baseline(c, panel))
    every = required_by_prompt(desk, baseline)
    return frozenset(name for families in every.values() for name in families)


def required_by_prompt(desk: Desk, baseline: Baseline | None) -> dict[str, frozenset[str]]:
    """Prompt -> families of the sources that its baseline requires."""
    if baseline is None:
        return {}
    identify = desk.bench.identify
    return {
        prompt: frozenset(
            family
            for source in one.sources
            if source.grade is Grade.REQUIRED
            for family in (identify(source.url).family if source.url else source.key,)
            if family is not None
        )
        for prompt, one in baseline.prompts.items()
    }


SCREENS = (
    Screen(
        "/families",
        load_families,
        FamiliesScreen,
        "families.html.j2",
        table=family_rows,
        whole=load_cards,
    ),
)
