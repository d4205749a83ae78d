"""What one of each costs here: an answer, a verdict, a page, a job, a row.

`benchmarks.costs` holds these figures, rounded, and `benchmarks.scale` multiplies them.
"""

import asyncio
import os
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import zstandard

from benchmarks.answers import (
    CITATIONS,
    keep_baseline,
    keep_pages,
    keep_payloads,
    payload,
    sentence,
)
from benchmarks.figures import Outcome, busy_seconds, corpora, peak_mib
from benchmarks.history import KEYS_OF_ALL
from benchmarks.stores import benched, panel_of, planned
from monitor.config.parts import RunnerPart, StorePart
from monitor.config.settings import Settings
from monitor.domain.job import Job
from monitor.durable.pgqueuer import QueueWorker
from monitor.judge import make_judge
from monitor.pages.copies import find_copies
from monitor.pages.text import read_page
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.run_pages import load_pages
from monitor.pipeline.tallying import score_engines
from monitor.store import queue
from monitor.urls import identify
from tests.servers import PostgresServer, running_postgres

ANSWERS = 2_000
PAGES = 500
SENTENCES = 120
"""Of one page: some 6,000 characters, about a thousand words."""
_COPIED_PAGES = 4_000
_FAMILIES = 997
_WORDS = 1_000
_MANY_PAGES = 5_000
_JOBS = 4_000
_PLACES = 256
_TABLES = (
    "capture", "spend", "payload", "reading", "search_query", "citation", "retrieved_source",
    "claim_set", "statement", "claim", "verdict", "tally", "family_tally", "page", "page_fetch",
)  # fmt: skip


def run() -> Outcome:
    """Absolutes alone: there is nothing to hold them against."""
    os.environ.update(KEYS_OF_ALL)
    with running_postgres() as server, _on(server) as bench:
        lines = [*_answers(bench, server), *_queue(bench), *_known_pages(bench)]
    return Outcome((*_bytes(), *_pages(), *lines), ())


@contextmanager
def _on(server: PostgresServer) -> Iterator[Bench]:
    """A bench on PostgreSQL and a folder."""
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder:
        store = StorePart(database=server.new_database(), artifacts=f"{folder}/artifacts")
        runner = RunnerPart(name="pgqueuer")
        with benched(Settings(store=store, panels=folder, runner=runner)) as bench:
            yield bench


def _answers(bench: Bench, server: PostgresServer) -> Iterator[str]:
    """Reading, judging and scoring answers of one engine, and the rows they leave."""
    panel = panel_of(ANSWERS, "openai")
    run = planned(bench, panel, "units")
    keep_payloads(bench, run)
    keep_pages(bench, run, PAGES, sentences=SENTENCES)
    keep_baseline(bench, panel)
    each = 1000 / ANSWERS
    read = busy_seconds(lambda: reparse_run(bench, run))
    judge = make_judge("embedded")
    before = peak_mib()
    judged = busy_seconds(lambda: score_engines(bench, run, judge))
    held = peak_mib() - before
    scored = busy_seconds(lambda: score_engines(bench, run, judge))
    rows, sizes = _tables(bench, server)
    yield (
        f"{ANSWERS} answers with {CITATIONS} citations of {PAGES} pages of {SENTENCES} sentences: "
        f"parsed and stored {read * each:.1f} ms of CPU each; judged and scored "
        f"{judged * each:.1f} ms; scored with all verdicts known {scored * each:.1f} ms"
    )
    yield (
        f"  {rows['verdict'] / ANSWERS:.1f} verdicts an answer, "
        f"{(judged - scored) * 1000 / rows['verdict']:.2f} ms of CPU a verdict; scoring took "
        f"{held / ANSWERS * 10_000:.0f} MiB for 10,000 answers"
    )
    yield "  bytes in PostgreSQL, indexes included, an answer: " + ", ".join(
        f"{name} {sizes[name] / ANSWERS:.0f} ({rows[name] / ANSWERS:.1f} rows)"
        for name in _TABLES
        if rows[name] >= ANSWERS / 10
    )
    whole = sum(sizes.values())
    yield f"  {whole / ANSWERS / 1024:.1f} KiB an answer in all of these tables"


def _known_pages(bench: Bench) -> Iterator[str]:
    """What every judge has in memory of the pages of a run."""
    run = planned(bench, panel_of(ANSWERS, "openai"), "pages")
    keep_pages(bench, run, _MANY_PAGES, sentences=1)
    tracemalloc.start()
    known = load_pages(bench, run)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield (
        f"{len(known.fetches)} fetched pages in memory of whoever judges or scores: "
        f"{held / 2**20 / _MANY_PAGES * 10_000:.0f} MiB for 10,000, texts not among it"
    )


def _tables(bench: Bench, server: PostgresServer) -> tuple[dict[str, int], dict[str, int]]:
    """Rows and bytes of every table that grows with the answers."""
    name = bench.settings.store.database.split("?", maxsplit=1)[0].rpartition("/")[2]
    rows, sizes = {}, {}
    for table in _TABLES:
        query = f"SELECT count(*), pg_total_relation_size('{table}') FROM {table}"
        ((rows[table], sizes[table]),) = server.execute(query, name)
    return rows, sizes


def _queue(bench: Bench) -> Iterator[str]:
    """Jobs that do nothing, through the queue and one worker."""
    todo = [Job(1, "engine:openai", number) for number in range(_JOBS)]
    put = busy_seconds(lambda: bench.write(lambda c: queue.enqueue(c, todo)))
    done = busy_seconds(lambda: asyncio.run(_worked_off(bench)))
    yield (
        f"{_JOBS} jobs of PgQueuer that do nothing: {put * 1000 / _JOBS:.2f} ms of CPU to queue "
        f"one, {done * 1000 / _JOBS:.2f} ms to take and end it"
    )


async def _worked_off(bench: Bench) -> None:
    """One worker, until it has done every job."""
    stop, left = asyncio.Event(), _JOBS

    async def work(_: Job) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            stop.set()

    worker = QueueWorker(
        bench.database.conninfo,
        {"engine:openai": _PLACES},
        work,
        settings=queue.queue_settings(),
        takeover_seconds=15,
    )
    await asyncio.wait_for(worker.serve(stop), 120)


def _bytes() -> Iterator[str]:
    """Bytes of payloads as they are kept."""
    packed = zstandard.ZstdCompressor(level=3).compress
    made = [payload(number) for number in range(100)]
    yield f"a synthetic payload: {_mean(map(len, made)):.0f} bytes, {_packed(made, packed)} kept"
    for folder in ("openai_responses", "anthropic", "gemini", "perplexity", "serpapi_ai_overview"):
        found = _recorded(corpora() / "engines" / "recordings" / folder)
        if found:
            yield (
                f"{len(found)} recorded payloads, {folder}: {_mean(map(len, found)):.0f} bytes, "
                f"{_packed(found, packed)} kept"
            )


def _recorded(folder: Path) -> list[bytes]:
    """Bytes of the recorded payloads of a folder; none without the outside truth."""
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


def _packed(bodies: list[bytes], packed: Callable[[bytes], bytes]) -> str:
    return f"{_mean(len(packed(body)) for body in bodies):.0f}"


def _mean(numbers: Iterator[int]) -> float:
    found = list(numbers)
    return sum(found) / len(found)


def _pages() -> Iterator[str]:
    """Reading pages, and looking for copies among them."""
    bodies = [_html(number) for number in range(100)]
    known = partial(identify, families=None)

    def read_all() -> None:
        for number, body in enumerate(bodies):
            url = f"https://example.org/{number}"
            read_page(body, url=url, media_type="text/html", charset="utf-8", identify=known)

    read_all()
    took = busy_seconds(read_all)
    yield (
        f"a page of {len(bodies[0]) // 1024} KiB and {SENTENCES} sentences: "
        f"{took * 1000 / len(bodies):.1f} ms of CPU to read its text"
    )
    texts = {f"page-{n}": (f"family-{n % _FAMILIES}", _text(n)) for n in range(_COPIED_PAGES)}
    took = busy_seconds(lambda: find_copies(texts))
    tracemalloc.start()
    find_copies(texts)
    _, held = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield (
        f"copies among {_COPIED_PAGES} pages of {_WORDS} words: {took * 1000 / _COPIED_PAGES:.1f} "
        f"ms of CPU a page, {held / 2**20 / _COPIED_PAGES * 10_000:.0f} MiB for 10,000 pages"
    )


def _text(number: int) -> str:
    """A text of its own, and a tenth that it shares with the pages of its family."""
    own = [f"word{number}of{n}" for n in range(_WORDS * 9 // 10)]
    return " ".join([*own, *(f"menu{number % _FAMILIES}of{n}" for n in range(_WORDS // 10))])


def _html(number: int) -> bytes:
    """A page with a text, and some markup around it."""
    said = "".join(
        f'<p class="body text-{n}">{sentence(number + n)}</p>'
        f'<div class="ad"><a href="/a/{n}">{n}</a><span></span></div>'
        for n in range(SENTENCES)
    )
    menu = "".join(f'<li><a href="/menu/{n}">entry {n}</a></li>' for n in range(200))
    return (
        f"<html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>"
        f"<article><h1>Page {number}</h1>{said}</article></body></html>"
    ).encode()
