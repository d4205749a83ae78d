"""Visible citations -> fetched pages, their text, and which of them are copies of one another."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace

from monitor.capture.clock import SystemClock
from monitor.config.settings import Settings
from monitor.domain.engine import VISIBLE
from monitor.domain.page import Copy, Fetched, FetchStatus, PageText
from monitor.domain.source import UrlFlag, UrlIdentity
from monitor.pages.copies import GroupMember, evidence_groups, find_copies, known_original
from monitor.pages.fetch import Caps, Fetcher
from monitor.pages.guard import SystemResolver
from monitor.pages.text import PAGES_VERSION, read_page, status_after_reading
from monitor.pipeline.bench import Bench
from monitor.pipeline.counting import counted_page
from monitor.store import citations, pages, runs


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page that a visible citation of this run points at."""

    page_key: str
    clean_url: str
    family: str | None


async def fetch_run(bench: Bench, run: runs.Run, *, again: bool = False) -> int:
    """Fetch every visibly cited page of a run that has no fetch yet; returns how many."""
    if not bench.settings.pages.fetch:
        return 0
    async with guarded_fetcher(bench.settings) as fetcher:
        await _resolve(bench, run, fetcher)
        todo = await asyncio.to_thread(_wanted, bench, run, again=again)
        bench.progress("pages", 0, len(todo))
        if todo:
            ids = await bench.writer.do(
                lambda c: pages.save_pages(
                    c,
                    [(w.page_key, w.clean_url, w.family) for w in todo],
                    seen_at=bench.clock.now(),
                )
            )
            await _fetch_all(bench, run, fetcher, todo, ids)
    await asyncio.to_thread(group_run, bench, run)
    return len(todo)


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
    readings = await asyncio.to_thread(bench.read, lambda c: citations.load_readings(c, run.id))
    opaque = {
        identity.page_key: identity.clean_url
        for stored in readings.values()
        for identity in stored.identities
        if UrlFlag.UNRESOLVED in identity.flags and identity.page_key and identity.clean_url
    }
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


def _wanted(bench: Bench, run: runs.Run, *, again: bool) -> tuple[Wanted, ...]:
    """Distinct visible pages of a run that still need a fetch."""
    readings = bench.read(lambda c: citations.load_readings(c, run.id))
    known = {} if again else bench.read(lambda c: pages.load_fetches(c, run.id))
    wanted: dict[str, Wanted] = {}
    for stored in readings.values():
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


async def _fetch_all(
    bench: Bench,
    run: runs.Run,
    fetcher: Fetcher,
    todo: tuple[Wanted, ...],
    ids: Mapping[str, int],
) -> None:
    """Fetch, keep the bytes, read the text and record it, page by page."""
    done = 0

    async def one(wanted: Wanted) -> None:
        nonlocal done
        fetched = await fetcher.fetch(wanted.clean_url)
        fetched, about, body_sha, text_sha = await asyncio.to_thread(_keep, bench, fetched)
        await bench.writer.do(
            lambda c: pages.save_fetch(
                c,
                run.id,
                ids[wanted.page_key],
                fetched,
                body_sha256=body_sha,
                text_sha256=text_sha,
                about=about,
                pages_version=PAGES_VERSION,
            )
        )
        done += 1
        bench.progress("pages", done, len(todo))

    async with asyncio.TaskGroup() as group:
        for wanted in todo:
            group.create_task(one(wanted))


def _keep(
    bench: Bench, fetched: Fetched
) -> tuple[Fetched, PageText | None, str | None, str | None]:
    """Bytes first, then the text made from them; a page without text says so."""
    if fetched.status is not FetchStatus.OK:
        return fetched, None, None, None
    body_sha = bench.artifacts.put(fetched.body)
    about = read_page(
        fetched.body,
        url=fetched.final_url or fetched.url,
        media_type=fetched.media_type,
        charset=fetched.charset,
        identify=bench.identify,
    )
    fetched = replace(fetched, status=status_after_reading(fetched.status, about))
    text = about.text if fetched.status is FetchStatus.OK else ""
    text_sha = bench.artifacts.put(text.encode("utf-8")) if text else None
    return fetched, about, body_sha, text_sha


def group_run(bench: Bench, run: runs.Run) -> int:
    """Find copied pages among a run's fetches and store the evidence groups."""
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id))
    texts: dict[str, tuple[str, str]] = {}
    about: dict[str, PageText] = {}
    for page_key in sorted(fetches):
        stored = fetches[page_key]
        if stored.text_sha256 is None or stored.about is None:
            continue
        place = counted_page(bench, page_key, stored)
        key = place.page_key if place and place.page_key else page_key
        family = bench.identify(key).family or key
        texts.setdefault(key, (family, bench.artifacts.get(stored.text_sha256).decode("utf-8")))
        about.setdefault(key, stored.about)
    copies: tuple[Copy, ...] = find_copies(texts)
    groups: dict[str, list[str]] = {}
    for key, group in evidence_groups(tuple(texts), copies).items():
        groups.setdefault(group, []).append(key)
    stored_groups = tuple(
        pages.EvidenceGroup(
            key=group,
            pages=tuple(sorted(members)),
            original=known_original(_member(bench, key, about[key]) for key in members),
        )
        for group, members in sorted(groups.items())
        if len(members) > 1
    )
    bench.write(
        lambda c: pages.save_groups(c, run.id, stored_groups, copies, version=PAGES_VERSION)
    )
    return len(stored_groups)


def _member(bench: Bench, key: str, about: PageText) -> GroupMember:
    """What a page says about where its text comes from."""
    source = bench.identify(about.syndicated_from).page_key if about.syndicated_from else None
    return GroupMember(key, about.published, source)
