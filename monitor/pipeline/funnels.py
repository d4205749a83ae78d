"""A run's engines through four stages: eligible, retrieved, selected, visible."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.assessment import CitedPage
from monitor.domain.baseline import Baseline, PromptBaseline
from monitor.domain.eligibility import Funnel, SourceCheck, Told
from monitor.domain.engine import VISIBLE, Outcome, Role
from monitor.domain.locale import LocaleState
from monitor.domain.panel import Panel, Prompt
from monitor.domain.score import Measured, Scorecard, Undefined, UndefinedReason
from monitor.engines import ENGINES
from monitor.pages.eligibility_crawlers import load_crawlers
from monitor.pipeline.bench import Bench
from monitor.pipeline.cited import cited_pages
from monitor.pipeline.counting import mapped
from monitor.pipeline.eligibility_sources import (
    EngineStanding,
    ListedSource,
    engine_standing,
    listed_sources,
)
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.rates_json import rate_json
from monitor.pipeline.run_pages import RunPages, load_pages
from monitor.scoring.funnel import (
    VISIBILITY,
    Retrieval,
    log_recall,
    selection,
)
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.sources import NOT_EXPOSED
from monitor.store import captures, citations, eligibility, panels, retrieval_logs, runs
from monitor.store.parts import Part

LOG_MARGIN = timedelta(days=1)
"""A log counts for a run from so long before its first answer to so long after its last one."""

PromptKey = tuple[str, str]
"""A prompt's id and version key."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The answered captures of one engine: what each retrieved and showed."""

    prompts: Mapping[PromptKey, Prompt]
    retrievals: tuple[Retrieval, ...]
    """One for each answer whose payload tells of pages that were searched."""
    visible: Mapping[PromptKey, frozenset[str]]
    """Prompt -> keys of the pages that any of its answers cites visibly."""
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class _Run:
    """What the funnels of one run are made of."""

    run: runs.Run
    panel: Panel
    baseline: Baseline
    sources: tuple[ListedSource, ...]
    checks: Mapping[str, SourceCheck]
    pages: RunPages


def run_funnels(bench: Bench, run: runs.Run, cards: Sequence[Scorecard]) -> tuple[Funnel, ...]:
    """The funnel of every engine of a run for which sources were checked; none without a check."""
    checks = bench.read(lambda c: eligibility.load_checks(c, run.panel))
    baseline = bench.read(lambda c: panels.load_baseline(c, run.panel))
    if not checks or baseline is None:
        return ()
    panel = bench.read(lambda c: panels.load_panel_by_id(c, run.panel_id))
    sources = listed_sources(baseline, bench.identify)
    about = _Run(run, panel, baseline, sources, checks, load_pages(bench, run))
    whole = [card for card in cards if card.segment == EVERYTHING]
    made = (_funnel(bench, about, card) for card in whole)
    return tuple(one for one in made if one is not None)


def _funnel(bench: Bench, about: _Run, card: Scorecard) -> Funnel | None:
    """One engine; None where no crawler decides for it, or nothing was checked."""
    stood = engine_standing(
        card.engine, about.panel, about.sources, checks=about.checks, crawlers=load_crawlers()
    )
    if isinstance(stood.rate, Undefined):
        return None
    seen = _seen(bench, about, card.engine)
    told_by, retrieval, searches = _retrieval(bench, about, card, seen)
    return Funnel(
        engine=card.engine,
        eligibility=stood.rate,
        barred=stood.barred,
        retrieval=retrieval,
        selection=_selected(stood, searches),
        told_by=told_by,
        retrievals=len(searches),
        visibility={name: _of_card(card, name) for name in VISIBILITY},
    )


def _selected(stood: EngineStanding, searches: Sequence[Retrieval]) -> Measured:
    return selection(searches, stood.eligible_keys())


def _of_card(card: Scorecard, name: str) -> Measured:
    """A measure as the scorecard counts it."""
    found = card.measures.get(name)
    return found.rate if found else Undefined(UndefinedReason.NO_ANSWERED)


def _retrieval(
    bench: Bench, about: _Run, card: Scorecard, seen: _Seen
) -> tuple[Told, Measured, tuple[Retrieval, ...]]:
    """Who tells what was retrieved, the recall, and the searches themselves.

    Payloads go before logs: they belong to the very answers that are counted.
    """
    if seen.retrievals:
        return Told.PAYLOAD, _of_card(card, "retrieved_source_recall"), seen.retrievals
    logged = _logged(bench, about, card.engine, seen)
    if not logged:
        own = _of_card(card, "retrieved_source_recall")
        if exposes(card.engine):
            return Told.PAYLOAD, own, ()
        return Told.NOBODY, NOT_EXPOSED, ()
    graded = [
        (one, held)
        for prompt, one in logged
        if isinstance(held := baseline_for(about.baseline, prompt), PromptBaseline)
    ]
    answered = tuple(one for prompt, one in logged if _key(prompt) in seen.visible)
    return Told.LOG, log_recall(graded), answered


def exposes(engine: str) -> bool:
    """Whether an engine's payloads tell what was searched."""
    return engine in ENGINES and ENGINES[engine].exposes_retrieved


def _logged(
    bench: Bench, about: _Run, engine: str, seen: _Seen
) -> tuple[tuple[Prompt, Retrieval], ...]:
    """Searches of an imported log around a run: pages logged for one prompt at one moment."""
    if seen.first is None or seen.last is None:
        return ()
    since, until = seen.first - LOG_MARGIN, seen.last + LOG_MARGIN
    rows = bench.read(
        lambda c: retrieval_logs.load_log(c, about.run.panel, since=since, until=until)
    )
    found: dict[tuple[PromptKey, datetime], dict[str, CitedPage]] = defaultdict(dict)
    for row in rows:
        key = (row.prompt_id, row.version_key)
        if row.engine == engine and key in seen.prompts:
            found[key, row.asked_at].setdefault(row.page_key, _logged_page(bench, row.page_key))
    return tuple(
        (
            seen.prompts[key],
            Retrieval(tuple(pages.values()), seen.visible.get(key, frozenset())),
        )
        for (key, _), pages in found.items()
    )


def _logged_page(bench: Bench, page_key: str) -> CitedPage:
    """A page of a log as pages are counted."""
    place = bench.identify(page_key)
    return CitedPage(
        page_key, place.clean_url, place.family, place.unit, Role.RETRIEVED, 0, (), False, page_key
    )  # fmt: skip


def _key(prompt: Prompt) -> PromptKey:
    return prompt.id, prompt.version_key


def _seen(bench: Bench, about: _Run, engine: str) -> _Seen:
    """What the answers of one engine searched and showed, as scoring counts pages."""
    part = Part(engine=engine)
    readings = bench.read(lambda c: citations.load_readings(c, about.run.id, part))
    prompts: dict[PromptKey, Prompt] = {}
    visible: dict[PromptKey, frozenset[str]] = {}
    searches: list[Retrieval] = []
    times: list[datetime] = []
    for capture in bench.read(lambda c: captures.load_captures(c, about.run.id, part)):
        key = _key(capture.prompt)
        prompts[key] = capture.prompt
        stored = readings.get(capture.id)
        if stored is None or capture.locale_state is LocaleState.CONTRADICTED:
            continue
        if stored.reading.outcome is not Outcome.ANSWERED:
            continue
        times += [at for at in (capture.asked_at or capture.stored_at,) if at is not None]
        shown, searched = _pages(bench, stored, about.pages)
        keys = frozenset(page.page_key for page in shown)
        visible[key] = visible.get(key, frozenset()) | keys
        if searched and exposes(engine):
            searches.append(Retrieval(searched, keys))
    first, last = min(times, default=None), max(times, default=None)
    return _Seen(prompts, tuple(searches), visible, first, last)


def _pages(
    bench: Bench, stored: citations.StoredReading, pages: RunPages
) -> tuple[tuple[CitedPage, ...], tuple[CitedPage, ...]]:
    """Visible and searched pages of one answer."""
    cited = zip(stored.reading.citations, mapped(bench, stored.identities), strict=True)
    visible = [
        (index, citation.role, citation.marks, bool(citation.spans), identity)
        for index, (citation, identity) in enumerate(cited)
        if citation.role in VISIBLE
    ]
    places = enumerate(mapped(bench, stored.retrieved_identities))
    searched = [(index, Role.RETRIEVED, 0, False, identity) for index, identity in places]
    return cited_pages(visible, pages), cited_pages(searched, pages)


def funnel_json(one: Funnel) -> dict[str, Any]:
    """The four stages of one engine, counts first."""
    return {
        "engine": one.engine,
        "eligibility": rate_json(one.eligibility),
        "not_eligible": dict(one.barred),
        "retrieval": rate_json(one.retrieval),
        "selection": rate_json(one.selection),
        "told_by": one.told_by.value,
        "searches": one.retrievals,
        "visibility": {name: rate_json(rate) for name, rate in one.visibility.items()},
    }
