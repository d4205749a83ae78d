"""Visible citations -> fetched pages and their text."""

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from types import TracebackType
from typing import Self

from monitor.capture.clock import SystemClock
from monitor.config.logs import log
from monitor.config.settings import Settings
from monitor.domain.engine import VISIBLE
from monitor.domain.job import PAGES, Job
from monitor.domain.page import Fetched, FetchStatus, PageText
from monitor.domain.source import UrlFlag, UrlIdentity
from monitor.errors import LostBytesError
from monitor.pages.fetch import Caps, Fetcher
from monitor.pages.guard import SystemResolver
from monitor.pages.text import PAGES_VERSION, read_fetched, status_after_reading
from monitor.pipeline.bench import Bench
from monitor.pipeline.grouping import group_run
from monitor.pipeline.ledger import Ledger
from monitor.pipeline.removed import text_of
from monitor.store import Connection, captures, citations, jobs, pages, runs
from monitor.store.parts import parts_of

_AT_ONCE = 16
"""Texts that are looked at together."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page that a visible citation of this run points at."""

    page_key: str
    clean_url: str
    family: str | None


@dataclass(frozen=True, slots=True)
class _Kept:
    """A fetch about to be recorded; its bytes lie among the artifacts."""

    job: Job
    fetched: Fetched
    body_sha256: str | None = None
    text_sha256: str | None = None
    about: PageText | None = None


class _Readers:
    """Places to read pages at: side by side, but a page under suspicion is read alone.

    Several pages were being read when a process ended; only alone each answers for itself.
    """

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_READERS)
        self._alone = asyncio.Lock()

    @asynccontextmanager
    async def place(self, *, alone: bool) -> AsyncIterator[None]:
        """A place for one page."""
        async with AsyncExitStack() as stack:
            if alone:
                await stack.enter_async_context(self._alone)
            for _ in range(_READERS if alone else 1):
                await stack.enter_async_context(self._places)
            yield


_READERS = 8


async def fetch_run(bench: Bench, run: runs.Run, *, again: bool = False) -> int:
    """Fetch every visibly cited page of a run that has no fetch yet; returns how many."""
    if not bench.settings.pages.fetch:
        return 0
    async with PageDesk(bench) as desk:
        todo = await desk.plan(run, again=again)
        bench.progress("pages", 0, len(todo))
        done = count(1)

        async def one(job: Job, wanted: Wanted) -> None:
            await desk.fetch(job, wanted)
            bench.progress("pages", next(done), len(todo))

        async with asyncio.TaskGroup() as group:
            for job, wanted in todo.items():
                group.create_task(one(job, wanted))
    await asyncio.to_thread(group_run, bench, run)
    if todo:
        log("pages_fetched", run=run.public_id, total=len(todo), counts=dict(desk.outcomes))
    return len(todo)


class PageDesk:
    """Where cited pages are fetched, of any number of runs, through one guarded fetcher."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._fetcher = guarded_fetcher(bench.settings)
        self._ledger = Ledger(bench)
        self._readers = _Readers()
        self.outcomes: Counter[str] = Counter()
        """Status -> pages that were fetched here."""

    async def __aenter__(self) -> Self:
        """Open the fetcher."""
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the fetcher."""
        await self._fetcher.__aexit__(kind, error, trace)

    async def plan(self, run: runs.Run, *, again: bool = False) -> dict[Job, Wanted]:
        """The fetches that a run still needs, once opaque redirects were followed."""
        await _resolve(self._bench, run, self._fetcher)
        wanted = await asyncio.to_thread(_wanted, self._bench, run, again=again)
        if not wanted:
            return {}
        rows = [(w.page_key, w.clean_url, w.family) for w in wanted]
        at = self._bench.clock.now()
        ids = await self._bench.writer.do(lambda c: pages.save_pages(c, rows, seen_at=at))
        return {Job(run.id, PAGES, ids[one.page_key]): one for one in wanted}

    async def handle(self, job: Job) -> None:
        """Fetch one page of a run, unless that was done."""
        known = await asyncio.to_thread(
            self._bench.read, lambda c: pages.load_fetch(c, job.run_id, job.subject_id)
        )
        if known is not None and await asyncio.to_thread(_is_kept, self._bench, known):
            return
        page = await asyncio.to_thread(
            self._bench.read, lambda c: pages.load_page(c, job.subject_id)
        )
        await self.fetch(job, Wanted(page.page_key, page.url, page.family))

    async def fetch(self, job: Job, wanted: Wanted) -> None:
        """Fetch, keep the bytes, read the text and record it.

        Reading is counted: a page that ended the process that read it is not read once more.
        """
        fetched = await self._fetcher.fetch(wanted.clean_url)
        self.outcomes[fetched.status.value] += 1
        if fetched.status is not FetchStatus.OK:
            await self._bench.writer.do_along(self._save, _Kept(job, fetched))
            return
        async with self._readers.place(alone=await self._ledger.was_started(job)):
            await self._read(job, fetched)

    async def _read(self, job: Job, fetched: Fetched) -> None:
        """Keep the bytes of a page and read its text, unless that ended processes."""
        if await self._ledger.started(job, most=_READINGS):
            kept = await asyncio.to_thread(_keep, self._bench, job, fetched)
            await self._bench.writer.do_along(self._save, kept)
        else:
            unread = replace(fetched, status=FetchStatus.UNREADABLE, detail=_ENDED)
            await self._bench.writer.do_along(self._save, _Kept(job, unread))

    def _save(self, connection: Connection, kept: Sequence[_Kept]) -> Sequence[None]:
        """Record fetches, in one transaction."""
        for one in kept:
            pages.save_fetch(
                connection,
                one.job.run_id,
                one.job.subject_id,
                one.fetched,
                body_sha256=one.body_sha256,
                text_sha256=one.text_sha256,
                about=one.about,
                pages_version=PAGES_VERSION,
            )
        jobs.finish_jobs(connection, [one.job for one in kept])
        return [None] * len(kept)


_READINGS = 2
_ENDED = f"reading it ended the process {_READINGS} times"


def guarded_fetcher(settings: Settings) -> Fetcher:
    """The guarded fetcher as this installation sets it up."""
    part, sandbox = settings.pages, settings.sandbox
    context: ssl.SSLContext | bool = True
    if sandbox.ca_file:
        context = ssl.create_default_context(cafile=sandbox.ca_file)
    return Fetcher(
        resolver=SystemResolver(),
        hosts=sandbox.hosts,
        caps=Caps(
            max_bytes=part.max_bytes,
            total_seconds=part.deadline_seconds,
            concurrency=part.concurrency,
        ),
        verify=context,
        clock=SystemClock(),
        respect_robots=part.respect_robots,
        user_agent=part.user_agent,
    )


async def _resolve(bench: Bench, run: runs.Run, fetcher: Fetcher) -> None:
    """Follow opaque redirects once, at capture time: such links expire."""
    opaque = await asyncio.to_thread(_opaque, bench, run)
    if not opaque:
        return

    async def one(page_key: str, url: str) -> tuple[str, UrlIdentity | None]:
        target = await fetcher.resolve_redirect(url)
        found = bench.identify(target) if target else None
        return page_key, found if found is not None and found.family else None

    found = dict(await asyncio.gather(*(one(key, url) for key, url in opaque.items())))
    resolved = {key: identity for key, identity in found.items() if identity is not None}
    if resolved:
        await bench.writer.do(lambda c: citations.resolve_citations(c, run.id, resolved))


def _opaque(bench: Bench, run: runs.Run) -> dict[str, str]:
    """Page key -> address of every redirect of a run that was not followed yet."""
    return {
        identity.page_key: identity.clean_url
        for stored in _readings(bench, run)
        for identity in stored.identities
        if UrlFlag.UNRESOLVED in identity.flags and identity.page_key and identity.clean_url
    }


def _readings(bench: Bench, run: runs.Run) -> Iterator[citations.StoredReading]:
    """Every reading of a run, a part of it in memory at a time."""
    planned = bench.read(lambda c: captures.count_planned(c, run.id))
    for part in parts_of(planned, _READINGS_A_PART):
        yield from bench.read(partial(citations.load_readings, run_id=run.id, part=part)).values()


_READINGS_A_PART = 5_000


def _wanted(bench: Bench, run: runs.Run, *, again: bool) -> tuple[Wanted, ...]:
    """Distinct visible pages of a run that still need a fetch."""
    known = set() if again else _kept_pages(bench, run)
    wanted: dict[str, Wanted] = {}
    for stored in _readings(bench, run):
        for citation, identity in zip(stored.reading.citations, stored.identities, strict=True):
            if citation.role not in VISIBLE or identity.page_key is None:
                continue
            unresolved = UrlFlag.UNRESOLVED in identity.flags
            if identity.page_key in known or identity.clean_url is None or unresolved:
                continue
            wanted.setdefault(
                identity.page_key,
                Wanted(identity.page_key, identity.clean_url, identity.family),
            )
    return tuple(wanted.values())


def _kept_pages(bench: Bench, run: runs.Run) -> set[str]:
    """Keys of the pages of a run that were fetched and whose text is still to be had."""
    known = bench.read(lambda c: pages.load_fetches(c, run.id))
    # Side by side: a bucket takes its time to answer.
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        kept = threads.map(partial(_is_kept, bench), known.values())
        return {page_key for page_key, there in zip(known, kept, strict=True) if there}


def _is_kept(bench: Bench, fetch: pages.StoredFetch) -> bool:
    """Whether a fetch need not be made again: a power cut may have taken the text it gave."""
    try:
        if fetch.text_sha256 is not None:
            text_of(bench, fetch.text_sha256)
    except LostBytesError:
        return False
    return True


def _keep(bench: Bench, job: Job, fetched: Fetched) -> _Kept:
    """Bytes first, then the text made from them; a page without text says so."""
    body_sha = bench.artifacts.put(fetched.body)
    try:
        about = read_fetched(fetched, bench.identify)
    except Exception as error:  # noqa: BLE001 - whatever a hostile page does to a parser
        detail = f"reading it failed: {type(error).__name__}"
        unread = replace(fetched, status=FetchStatus.UNREADABLE, detail=detail)
        return _Kept(job, unread, body_sha)
    fetched = replace(fetched, status=status_after_reading(fetched.status, about))
    text = about.text if fetched.status is FetchStatus.OK else ""
    text_sha = bench.artifacts.put(text.encode("utf-8")) if text else None
    return _Kept(job, fetched, body_sha, text_sha, about)
