"""Sources for people to grade: stored ones, typed ones, and pages that engines cite, unnamed.

Pages are only ever asked for through the guarded fetcher. Engines stay hidden: a pool is in an
order drawn from a seed, and who cited what is kept aside.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from monitor.baseline.drawing import draw_annotators, position_of
from monitor.config.settings import Settings
from monitor.domain.baseline import BaselineSource, Match
from monitor.domain.drafted import Origin, PooledSource, PoolNote, whole_key
from monitor.domain.keys import content_key
from monitor.domain.page import Fetched, FetchStatus, PageText
from monitor.domain.source import UrlFlag
from monitor.errors import PanelError, UnfitError
from monitor.pages.fetch import Fetcher
from monitor.pages.text import read_fetched, status_after_reading
from monitor.pipeline.bench import Also, Bench
from monitor.pipeline.paging import guarded_fetcher
from monitor.report.words import reason_words
from monitor.store import Connection, drafts, panels, pools, runs
from monitor.store.drafts import Draft
from monitor.store.pools import CitedPage
from monitor.store.rows import page_hash

AT_ONCE = 50
"""Pages that are fetched for one form."""
PER_PROMPT = 12
"""Sources of a prompt that a pool takes from a run, unless somebody asks for another number."""

_REFUSED = frozenset(
    {
        FetchStatus.BLOCKED_ADDRESS,
        FetchStatus.BLOCKED_PORT,
        FetchStatus.INVALID_URL,
        FetchStatus.UNSUPPORTED_SCHEME,
        FetchStatus.NOT_FOUND,
    }
)
"""What a typed address is not taken for."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """What filling a pool came to."""

    added: int
    known: int
    """Sources that were in the pool already."""
    told: tuple[str, ...] = ()
    """What was not taken, or could not be read, and why."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source that may go into the pool of a prompt."""

    prompt: str
    url: str
    page_key: str
    family: str | None
    note: PoolNote
    title: str | None = None
    text_sha256: str | None = None


def pool_stored(bench: Bench, draft: Draft, version: str, *, also: Also | None = None) -> Pooled:
    """Put the sources of a stored baseline into the pool; `also` writes in the same transaction."""
    baseline = bench.read(lambda c: panels.load_baseline(c, draft.panel, version))
    if baseline is None:
        raise UnfitError(f"panel {draft.panel} has no baseline of version {version[:64]!r}")
    note = PoolNote((Origin("stored", version),))
    found: list[Candidate] = []
    told: list[str] = []
    for prompt_id, one in baseline.prompts.items():
        if draft.plan.panel.prompt(prompt_id) is None:
            told.append(f"prompt {prompt_id!r} is not in the panel any more")
            continue
        found += [_of_stored(bench, prompt_id, source, note) for source in one.sources]
    return _add(bench, draft, found, told, also=also)


def _of_stored(bench: Bench, prompt: str, source: BaselineSource, note: PoolNote) -> Candidate:
    """A graded source of a baseline as a candidate; its grade is not taken along."""
    if source.url is None:
        family = source.key if source.match is Match.FAMILY else None
        key = whole_key(source.match, source.key)
        return Candidate(prompt, source.key, key, family, note)
    place = bench.identify(source.url)
    url, key = place.clean_url or source.url, place.page_key or source.key
    return Candidate(prompt, url, key, place.family, note)


def pool_cited(
    bench: Bench, draft: Draft, run: runs.Run, *, per_prompt: int, also: Also | None = None
) -> Pooled:
    """Put pages into the pool that answers of a run cite: the most widely cited ones first.

    Only which pages go in depends on how many engines and answers cite them; their order does not.
    `also` writes in the same transaction.
    """
    if run.panel != draft.panel:
        raise UnfitError(f"{run.public_id} is a run of panel {run.panel}, not of {draft.panel}")
    cited = bench.read(lambda c: pools.cited_pages(c, run.id))
    by_prompt: dict[str, list[CitedPage]] = {}
    for one in cited:
        if UrlFlag.UNRESOLVED not in bench.identify(one.url).flags:
            by_prompt.setdefault(one.prompt, []).append(one)
    chosen: list[Candidate] = []
    told = []
    for prompt in draft.plan.panel.prompts:
        ranked = sorted(by_prompt.get(prompt.id, ()), key=_width)
        chosen += [_candidate(one, run) for one in ranked[:per_prompt]]
        if not ranked:
            told.append(f"prompt {prompt.id!r}: no answer of the run cites a page")
    return _add(bench, draft, chosen, told, also=also)


def _width(one: CitedPage) -> tuple[int, int, str]:
    """Sorts pages that more engines and answers cite to the front, else by chance."""
    return -len(one.engines), -one.answers, content_key([one.prompt, one.page_key])


def _candidate(one: CitedPage, run: runs.Run) -> Candidate:
    note = PoolNote((Origin("cited", run.public_id, one.engines, one.answers),))
    return Candidate(one.prompt, one.url, one.page_key, one.family, note)


def pool_typed(
    bench: Bench,
    draft: Draft,
    prompts: Sequence[str],
    lines: str,
    *,
    by: str | None,
    also: Also | None = None,
) -> Pooled:
    """Put addresses and families that somebody typed, one a line, into the pools of prompts.

    `also` writes in the same transaction.
    """
    typed = list(dict.fromkeys(line.strip() for line in lines.splitlines() if line.strip()))
    if not typed:
        raise PanelError("sources: expected one address or family a line, got nothing")
    if len(typed) > AT_ONCE:
        raise PanelError(f"sources: got {len(typed)} lines; expected at most {AT_ONCE} at once")
    unknown = [one for one in prompts if draft.plan.panel.prompt(one) is None]
    if unknown or not prompts:
        raise PanelError(f"prompt: got {unknown[:3] or 'none'}; expected prompts of the panel")
    bench.read(lambda c: drafts.require_open(c, draft.id))
    note = PoolNote((Origin("typed", by or "somebody"),))
    found, told = _placed(bench, typed, note)
    fetched = fetch_texts(bench, found)
    kept = []
    for one in fetched:
        status = FetchStatus(one.note.status) if one.note.status else FetchStatus.OK
        if status in _REFUSED:
            told.append(f"{one.url[:300]}: not taken: {reason_words(status.value)}")
            continue
        if status is not FetchStatus.OK:
            told.append(f"{one.url[:300]}: taken without text: {reason_words(status.value)}")
        kept.append(one)
    every = [replace(one, prompt=prompt) for prompt in prompts for one in kept]
    return _add(bench, draft, every, told, also=also)


def _placed(
    bench: Bench, typed: Iterable[str], note: PoolNote
) -> tuple[list[Candidate], list[str]]:
    """What each line names, and the lines that name nothing."""
    found, told = [], []
    for line in typed:
        place = bench.identify(line)
        is_url = "://" in line
        if is_url and place.page_key is not None and place.clean_url is not None:
            found.append(Candidate("", place.clean_url, place.page_key, place.family, note))
        elif not is_url and place.family is not None and "/" not in line:
            key = whole_key(Match.FAMILY, place.family)
            found.append(Candidate("", place.family, key, place.family, note))
        else:
            told.append(
                f"{line[:300]!r}: no web address and no family; expected https://... or a host "
                "name such as example.org"
            )
    return found, told


def fetch_missing(bench: Bench, draft: Draft, *, also: Also | None = None) -> Pooled:
    """Fetch pages of the pool that have no text and were not asked for yet, some at a time.

    `also` writes in the same transaction.
    """
    pool = bench.read(lambda c: pools.load_pool(c, draft.id))
    lacking = [one for one in pool if one.is_page and not one.text_sha256 and not one.note.status]
    keys = list(dict.fromkeys(one.page_key for one in lacking))[:AT_ONCE]
    first = {one.page_key: one for one in reversed(lacking)}
    asked = [_asked(first[key]) for key in keys]
    got = {one.page_key: one for one in fetch_texts(bench, asked)}
    told = [
        f"{one.url[:300]}: {one.note.status}"
        for one in got.values()
        if one.note.status != FetchStatus.OK.value
    ]

    def save(connection: Connection) -> None:
        drafts.hold_open(connection, draft.id)
        for one in lacking:
            if one.page_key in got:
                found = got[one.page_key]
                note = replace(found.note, origins=one.note.origins)
                text = found.text_sha256
                fresh = replace(one, title=found.title, text_sha256=text, note=note)
                pools.set_fetched(connection, draft.id, fresh)
        if also is not None:
            also(connection)

    bench.write(save)
    left = len({one.page_key for one in lacking}) - len(got)
    if left:
        told.append(f"{left} more pages have no text yet; ask again for the next {AT_ONCE}")
    return Pooled(sum(1 for one in got.values() if one.text_sha256), 0, tuple(told))


def _asked(one: PooledSource) -> Candidate:
    return Candidate(one.prompt, one.url, one.page_key, one.family, one.note)


def fetch_texts(bench: Bench, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same candidates with what their own fetch gave; families are left as they are."""
    if not bench.settings.pages.fetch:
        return list(candidates)
    asked = [one for one in candidates if " " not in one.page_key]
    got = dict(zip([o.page_key for o in asked], asyncio.run(_fetch(bench, asked)), strict=True))
    return [
        _read(bench, one, got[one.page_key]) if one.page_key in got else one for one in candidates
    ]


async def _fetch(bench: Bench, asked: Sequence[Candidate]) -> list[Fetched]:
    async with _fetcher(bench.settings) as fetcher:
        return list(await asyncio.gather(*(fetcher.fetch(one.url) for one in asked)))


def _fetcher(settings: Settings) -> Fetcher:
    """The guarded fetcher; the sandbox of a demo that has ended took its certificates along."""
    try:
        return guarded_fetcher(settings)
    except FileNotFoundError:
        alone = settings.sandbox.model_copy(update={"ca_file": None})
        return guarded_fetcher(settings.model_copy(update={"sandbox": alone}))


def _read(bench: Bench, one: Candidate, fetched: Fetched) -> Candidate:
    """Title, text and dates of a page that came."""
    about: PageText | None = None
    status = fetched.status
    if status is FetchStatus.OK:
        try:
            about = read_fetched(fetched, bench.identify)
            status = status_after_reading(status, about)
        except Exception:  # noqa: BLE001 - whatever a hostile page does to a parser
            status = FetchStatus.UNREADABLE
    text = about.text if about and status is FetchStatus.OK else ""
    note = replace(
        one.note,
        status=status.value,
        published=about.published if about else None,
        updated=about.updated if about else None,
        fetched_at=fetched.fetched_at,
    )
    return replace(
        one,
        note=note,
        title=about.title if about else None,
        text_sha256=bench.artifacts.put(text.encode("utf-8", "replace")) if text else None,
    )


def _add(
    bench: Bench,
    draft: Draft,
    candidates: Sequence[Candidate],
    told: Sequence[str],
    *,
    also: Also | None,
) -> Pooled:
    """Draw order and annotators of what the pool lacks, and store it."""
    texts = bench.read(lambda c: pools.fetched_texts(c, {one.page_key for one in candidates}))
    at = bench.clock.now()

    def save(connection: Connection) -> int:
        drafts.hold_open(connection, draft.id)
        pool = pools.load_pool(connection, draft.id)
        known = {(one.prompt, one.page_hash) for one in pool}
        new: dict[tuple[str, str], Candidate] = {}
        for one in candidates:
            if (one.prompt, page_hash(one.page_key)) not in known:
                new.setdefault((one.prompt, one.page_key), one)
        doubled = sum(1 for one in pool if len(one.annotators) > 1)
        who = draw_annotators(
            tuple(new),
            draft.plan.annotators,
            double_share=draft.plan.double_share,
            seed=draft.plan.seed,
            known=(len(pool), doubled),
        )
        rows = [_pooled(draft, one, who[key], texts) for key, one in new.items()]
        if also is not None:
            also(connection)
        return pools.add_sources(connection, draft.id, rows, at=at)

    added = bench.write(save)
    distinct = {(one.prompt, one.page_key) for one in candidates}
    return Pooled(added, len(distinct) - added, tuple(told))


def _pooled(
    draft: Draft,
    one: Candidate,
    annotators: tuple[str, ...],
    texts: Mapping[str, pools.FetchedText],
) -> PooledSource:
    """A candidate as its pool has it, with the text of any earlier fetch where it has none."""
    known = None if one.text_sha256 else texts.get(one.page_key)
    title, text, note = one.title, one.text_sha256, one.note
    if known is not None:
        title, text = title or known.title, known.text_sha256
        note = replace(
            note,
            status=FetchStatus.OK.value,
            published=known.published,
            updated=known.updated,
            fetched_at=known.fetched_at,
        )
    return PooledSource(
        one.prompt,
        position_of(draft.plan.seed, one.prompt, one.page_key),
        one.url,
        one.page_key,
        page_hash(one.page_key),
        one.family,
        title,
        text,
        note,
        annotators,
    )
