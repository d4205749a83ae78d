"""Source families of a run."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Path, Query

from monitor.domain.baseline import Baseline, PromptBaseline
from monitor.domain.score import Scorecard
from monitor.domain.source import Grade
from monitor.pipeline.family_pages import FamilyPage, family_pages
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.stored_view import view_baseline
from monitor.report.screens.families import (
    FamiliesScreen,
    FamilyFilter,
    FamilySort,
    Tag,
    chosen_families,
    families_screen,
    no_families,
)
from monitor.report.screens.family import (
    Cited,
    FamilyScreen,
    SeenPage,
    citing_captures,
    family_screen,
    family_table,
    is_known,
)
from monitor.report.tables import family_rows
from monitor.report.view import ReportView
from monitor.report.words import of_panel, reason_words
from monitor.scoring.sources import grade_of
from monitor.store import run_captures
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk
from monitor.web.pages.finding import (
    ChosenRun,
    DeskOf,
    EngineQuery,
    PanelQuery,
    WindowOf,
    Words,
    require_engine,
)
from monitor.web.pages.seeing import note_cited
from monitor.web.problems import not_found
from monitor.web.screens import Screen


def family_filter(
    engine: EngineQuery = None,
    words: Words = "",
    tag: Annotated[
        Tag | Literal[""] | None, Query(description="What a family is to the panel; empty for any.")
    ] = None,
    sort: Annotated[FamilySort, Query(description="Order.")] = FamilySort.SHARE,
) -> FamilyFilter:
    """Which families are asked for."""
    return FamilyFilter(engine or None, words.strip(), tag or None, sort)


FilterOf = Annotated[FamilyFilter, Depends(family_filter)]


def load_families(
    desk: DeskOf, run: ChosenRun, asked: FilterOf, *, window: WindowOf, panel: PanelQuery = None
) -> FamiliesScreen:
    """Source families of a run by engine: shares, changes, concentration."""
    if run is None:
        return no_families(asked, panel or None)
    view = desk.view(run)
    require_engine(view, asked.engine)
    required = required_families(desk, view)
    found = chosen_families(view, asked, required)
    pager = window.pager(len(found), lambda page: asked.address(run.public_id, page=page))
    shown = found[window.offset : window.offset + window.size]
    return families_screen(view, asked, shown, required=required, pager=pager)


def load_cards(desk: DeskOf, run: ChosenRun, asked: FilterOf) -> Sequence[Scorecard]:
    """Scorecards of the engines asked for, with all of their families."""
    engines = desk.view(run).engines if run is not None else ()
    return [one.card for one in engines if asked.engine in {None, one.name}]


def required_families(desk: Desk, view: ReportView) -> frozenset[str]:
    """Families of which the baseline of a run requires a source for any prompt."""
    baseline = desk.bench.read(lambda c: view_baseline(c, view))
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


_READ = 400
"""Citing answers whose pages are listed: the cost of a page is that of so many."""

FamilyKey = Annotated[str, Path(max_length=300, description="Source family.")]


def load_family(
    desk: DeskOf, run: ChosenRun, family: FamilyKey, *, who: VisitorOf, panel: PanelQuery = None
) -> FamilyScreen:
    """One source family: shares, trend, prompts that cite it or should, and its pages."""
    if run is None:
        raise not_found(f"no family {family!r}: no run{of_panel(panel)} has ended yet")
    view = desk.view(run)
    baseline = desk.bench.read(lambda c: view_baseline(c, view))
    required = required_by_prompt(desk, baseline)
    if not is_known(view, family) and not any(family in one for one in required.values()):
        raise not_found(f"no family {family!r} in {view.run}, nor in the runs before it")
    captures = {
        one.name: tuple(
            desk.bench.read(partial(run_captures.counted_captures, run_id=run.id, engine=one.name))
        )
        for one in view.engines
    }
    read = _spread([citing_captures(view, family, one) for one in captures.values()])
    found = family_pages(desk.bench, run, read, family)
    pages = {one: _seen(view, baseline, one, found[one]) for one in read if one in found}
    told = [one for every in captures.values() for one in every if one in view.tallies]
    note_cited(desk, run.panel, {one: view.tallies[one].prompt_id for one in told}, who)
    return family_screen(view, family, Cited(captures, required, pages))


def _spread(every: Sequence[Sequence[int]]) -> list[int]:
    """Some captures of each engine, as many of one as of another, where there are too many."""
    each = max(1, _READ // max(1, len(every)))
    return [one for captures in every for one in captures[:each]]


def _seen(
    view: ReportView, baseline: Baseline | None, capture: int, pages: Sequence[FamilyPage]
) -> tuple[SeenPage, ...]:
    """Pages as one capture cites them, with their grade for its prompt."""
    prompt = view.panel.prompt(view.tallies[capture].prompt_id)
    own = baseline_for(baseline, prompt) if prompt else None
    sources = own.sources if isinstance(own, PromptBaseline) else ()
    return tuple(
        SeenPage(
            one.url,
            one.title,
            grade_of(one.cited, sources).value.replace("_", " "),
            reason_words(one.cited.fetch_status.value) if one.cited.fetch_status else "not fetched",
        )
        for one in pages
    )


SCREENS = (
    Screen(
        "/families",
        load_families,
        FamiliesScreen,
        "families.html.j2",
        table=family_rows,
        whole=load_cards,
    ),
    Screen(
        "/families/{family:path}",
        load_family,
        FamilyScreen,
        "family.html.j2",
        table=family_table,
    ),
)
