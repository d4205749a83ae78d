"""Baseline sources -> checks: one guarded fetch each, robots.txt, the page, its best passages."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from monitor.capture.rendering import Loaded, Renderer
from monitor.domain.baseline import Baseline
from monitor.domain.claim import Judge
from monitor.domain.eligibility import Rendering, RobotsState, Ruling, SourceCheck
from monitor.domain.keys import sha256_hex
from monitor.domain.page import Fetched, FetchStatus
from monitor.domain.panel import Panel
from monitor.errors import BrowserError, MonitorError, PanelError
from monitor.pages.body import FetchStoppedError
from monitor.pages.eligibility import (
    ELIGIBILITY_VERSION,
    ReadSource,
    read_source,
    with_rendered,
)
from monitor.pages.eligibility_crawlers import load_crawlers
from monitor.pages.fetch import Fetcher
from monitor.pages.guard import check_url
from monitor.pages.robots import UNREACHABLE, Robots
from monitor.pipeline.bench import Bench
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.eligibility_passages import PromptClaim, claim_passages
from monitor.pipeline.eligibility_sources import (
    EngineStanding,
    ListedSource,
    engine_standing,
    listed_sources,
)
from monitor.pipeline.judges_at_hand import FALLBACK, free_judge
from monitor.pipeline.paging import guarded_fetcher
from monitor.store import eligibility as store

SCRIPTS = frozenset(
    {
        "text/javascript", "application/javascript", "application/x-javascript",
        "application/ecmascript", "application/json", "application/ld+json", "text/plain",
        "text/html", "application/xml", "text/xml",
    }
)  # fmt: skip
"""Media types that a page's scripts may load."""

_SILENT = frozenset({FetchStatus.UNREACHABLE, FetchStatus.TIMEOUT_TOTAL, FetchStatus.INCOMPLETE})


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The sources of a panel's baseline, their newest checks, and how they stand."""

    panel: Panel
    baseline: Baseline
    sources: tuple[ListedSource, ...]
    checks: Mapping[str, SourceCheck]
    """Page key -> its newest check."""
    engines: tuple[EngineStanding, ...]
    """Those of the panel, in its order; then all others for which a crawler decides."""
    checked: int
    """Pages that were looked at just now."""
    no_browser: str | None
    """Why no scripts were run, where there is no browser."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A page to look at, and the claims that it is to evidence."""

    url: str
    page_key: str
    claims: tuple[PromptClaim, ...]


def check_eligibility(
    bench: Bench, files: PanelFiles, *, limit: int | None = None, render: bool = True
) -> Eligibility:
    """Look at the baseline pages of a panel, or at `limit` of them, and keep what was seen.

    With a limit, pages that were never looked at come first, then those seen longest ago.
    PanelError where the panel has no baseline.
    """
    panel, baseline = files.panel, files.baseline
    if panel is None or baseline is None:
        raise PanelError(
            f"{files.path}: no baseline beside this panel, so there are no sources to look at; "
            "docs/panels.md says how to write one"
        )
    sources = listed_sources(baseline, bench.identify)
    known = bench.read(lambda c: store.load_checks(c, panel.name))
    todo = _todo(sources, known)[:limit]
    desk = _Desk(bench, baseline)
    no_browser = asyncio.run(desk.check(todo, render=render)) if todo else None
    checks = bench.read(lambda c: store.load_checks(c, panel.name))
    crawlers = load_crawlers()
    engines = tuple(
        engine_standing(name, panel, sources, checks=checks, crawlers=crawlers)
        for name in dict.fromkeys((*panel.engines, *crawlers.engines))
    )
    return Eligibility(panel, baseline, sources, checks, engines, len(todo), no_browser)


def _todo(sources: Sequence[ListedSource], known: Mapping[str, SourceCheck]) -> list[_Wanted]:
    """Pages with their claims: those never seen first, then the longest ago."""
    pages: dict[str, _Wanted] = {}
    for one in sources:
        if one.page_key is not None and one.clean_url is not None:
            fresh = _Wanted(one.clean_url, one.page_key, ())
            before = pages.get(one.page_key, fresh)
            claims = tuple(dict.fromkeys((*before.claims, *one.claims)))
            pages[one.page_key] = replace(before, claims=claims)
    seen = [w for w in pages.values() if w.page_key in known]
    seen.sort(key=lambda w: known[w.page_key].checked_at)
    return [w for w in pages.values() if w.page_key not in known] + seen


class _Desk:
    """Where pages are looked at: one fetcher, one browser, one judge."""

    def __init__(self, bench: Bench, baseline: Baseline) -> None:
        self._bench = bench
        self._baseline = baseline
        self._fetcher: Fetcher = guarded_fetcher(bench.settings)
        self._renderer: Renderer | None = None
        self._missing = Rendering.NOT_WANTED
        self._judge: Judge = free_judge(FALLBACK, bench.settings)
        self._judging = asyncio.Lock()
        self._tokens = tuple(one.token for one in load_crawlers().every)
        self._robots: dict[str, asyncio.Task[Robots | None]] = {}

    async def check(self, todo: Sequence[_Wanted], *, render: bool) -> str | None:
        """Look at every page and keep each check; why there is no browser, where there is none."""
        problem = None
        done = count(1)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._fetcher)
            if render:
                problem = await self._open_browser(stack)
            self._bench.progress("sources", 0, len(todo))

            async def one(wanted: _Wanted) -> None:
                await self._keep(await self._look(wanted))
                self._bench.progress("sources", next(done), len(todo))

            async with asyncio.TaskGroup() as group:
                for wanted in todo:
                    group.create_task(one(wanted))
        return problem

    async def _open_browser(self, stack: AsyncExitStack) -> str | None:
        settings = self._bench.settings
        if not settings.browser.enabled:
            self._missing = Rendering.NO_BROWSER
            return "browser.enabled is false"
        renderer = Renderer(settings.browser, user_agent=settings.pages.user_agent)
        try:
            self._renderer = await stack.enter_async_context(renderer)
        except BrowserError as error:
            self._missing = Rendering.NO_BROWSER
            return str(error)
        return None

    async def _keep(self, check: SourceCheck) -> None:
        panel, label = self._baseline.panel, self._baseline.label
        await self._bench.writer.do(
            lambda c: store.save_checks(
                c, panel, [check], baseline=label, version=ELIGIBILITY_VERSION
            )
        )

    async def _look(self, wanted: _Wanted) -> SourceCheck:
        """One page: fetched, ruled on, read, rendered, and searched for its claims."""
        fetched = await self._fetcher.fetch(wanted.url)
        robots, rulings = await self._rulings(fetched.hops or (wanted.url,))
        check = SourceCheck(
            url=wanted.url,
            page_key=wanted.page_key,
            checked_at=fetched.fetched_at or self._bench.clock.now(),
            own_agent=self._bench.settings.pages.user_agent,
            fetch_status=fetched.status,
            http_status=fetched.http_status,
            hops=fetched.hops,
            detail=fetched.detail,
            robots=robots,
            rulings=rulings,
            page=None,
            crawlers_seen_on=load_crawlers().seen_on,
        )
        if fetched.status is not FetchStatus.OK:
            return check
        try:
            return await self._read(check, fetched, wanted.claims)
        except Exception as error:  # noqa: BLE001 - whatever a hostile page does to a parser
            detail = f"reading it failed: {type(error).__name__}"
            return replace(check, fetch_status=FetchStatus.UNREADABLE, detail=detail)

    async def _read(
        self, check: SourceCheck, fetched: Fetched, claims: tuple[PromptClaim, ...]
    ) -> SourceCheck:
        identify = self._bench.identify
        source = await asyncio.to_thread(
            read_source, fetched, identify=identify, tokens=self._tokens
        )
        source = await self._rendered(source, fetched.final_url or fetched.url)
        sent = source.sent if source.facts.rendering is Rendering.DONE else None
        async with self._judging:
            found = await asyncio.to_thread(
                claim_passages, source.text, claims, self._judge, sent=sent
            )
        return replace(
            check,
            fetch_status=source.status,
            page=source.facts,
            body_sha256=sha256_hex(fetched.body),
            passages=found,
        )

    async def _rendered(self, source: ReadSource, url: str) -> ReadSource:
        """The page once its scripts ran, where that is wanted and can be."""
        if source.markup is None:
            return source
        if self._renderer is None:
            return replace(source, facts=replace(source.facts, rendering=self._missing))
        markup = await self._renderer.render(url, source.markup, partial(self._load, url))
        if markup is None:
            facts = replace(source.facts, rendering=Rendering.NOT_FINISHED)
            return replace(source, facts=facts)
        return await asyncio.to_thread(with_rendered, source, url, markup, self._bench.identify)

    async def _load(self, page: str, url: str) -> Loaded | None:
        """What the scripts of a page load: from its own host or publisher, through the guard."""
        own, place = self._bench.identify(page), self._bench.identify(url)
        try:
            is_own = check_url(page).host == check_url(url).host
        except MonitorError:
            return None
        if not is_own and (own.family is None or own.family != place.family):
            return None
        got = await self._fetcher.fetch(url, types=SCRIPTS)
        if got.status is not FetchStatus.OK:
            return None
        return Loaded(got.http_status or 200, got.media_type or "text/plain", got.body)

    async def _rulings(self, hops: Sequence[str]) -> tuple[RobotsState | None, tuple[Ruling, ...]]:
        """State of the first hop's robots.txt, and for each crawler what decides on the way."""
        rules = [(hop, robots) for hop in hops if (robots := await self._rules(hop)) is not None]
        if not rules:
            return None, ()
        return rules[0][1].state, tuple(ruling_on_the_way(token, rules) for token in self._tokens)

    async def _rules(self, hop: str) -> Robots | None:
        """The robots.txt of a hop's origin, asked for once; None for what may not be asked."""
        try:
            origin = check_url(hop).origin
        except MonitorError:
            return None
        if origin not in self._robots:
            self._robots[origin] = asyncio.create_task(self._ask_rules(hop))
        return await self._robots[origin]

    async def _ask_rules(self, hop: str) -> Robots | None:
        try:
            return await self._fetcher.robots(hop)
        except FetchStoppedError as stop:
            return UNREACHABLE if stop.status in _SILENT else None


def ruling_on_the_way(token: str, rules: Sequence[tuple[str, Robots]]) -> Ruling:
    """The first hop that is forbidden to a crawler, else the last hop."""
    found = [robots.ruling(token, check_url(hop).target, url=hop) for hop, robots in rules]
    return next((one for one in found if not one.allowed), found[-1])
