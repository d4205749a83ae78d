"""Whether pages cost the same over a million citations as over ten thousand.

Held to the CPU time of this process, as other growth is on a machine in use; what a visitor waits is
printed beside it.

Both stores hold the same panel, asked day after day: 13 days and 1,250 of them. Pages are found by
following links from the first one, and asked in turns, so that noise meets both stores alike; one
request in ten goes to an application that remembers nothing.
"""

import asyncio
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
from fastapi import FastAPI

from benchmarks.figures import Outcome, Ratio
from benchmarks.stores import benched, local_settings
from benchmarks.web_store import days_of
from monitor.pipeline.bench import Bench
from monitor.web.app import make_app
from monitor.web.health import HealthWatch
from tests.crawled import crawled, named

SIZES = (10_000, 1_000_000)
LARGEST = "MONITOR_BENCH_CITATIONS"
"""Variable that names a smaller largest store."""
KEPT = "MONITOR_BENCH_STORES"
"""Variable that names a folder in which stores are kept for the next time."""
ROUNDS, COLD_EACH = 60, 10
SAMPLES = 2
"""Addresses of each page."""
BAR = 1.5
HEARD = 0.95


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one request."""

    wall: float
    busy: float


Times = dict[str, list[Took]]


def run() -> Outcome:
    """p50 and p95 of every page on both stores, and the ratio of the p95s."""
    most = int(os.environ.get(LARGEST, SIZES[-1]))
    sizes = (SIZES[0], most)
    with _folder() as folder, ExitStack() as stack:
        benches = [stack.enter_context(_store(folder, size)) for size in sizes]
        small, large = asyncio.run(_asked(benches))
    return _outcome(sizes, small, large)


@contextmanager
def _folder() -> Iterator[Path]:
    """Where stores lie: a folder that is kept, or one that goes with this process."""
    kept = os.environ.get(KEPT)
    if kept is not None:
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder:
        yield Path(folder)


@contextmanager
def _store(folder: Path, citations: int) -> Iterator[Bench]:
    """A bench over a store of so many citations, made unless it is there."""
    place = folder / f"store{citations}"
    made = place / "made"
    place.mkdir(parents=True, exist_ok=True)
    with benched(local_settings(place)) as bench:
        if not made.exists():
            started = time.perf_counter()
            days = days_of(bench, citations)
            print(f"  {citations:,} citations, {len(days)} runs: made in "
                  f"{time.perf_counter() - started:.0f} s", flush=True)  # fmt: skip
            made.touch()
        yield bench


@dataclass(frozen=True, slots=True)
class Known:
    """What following links found in one store."""

    addresses: Mapping[str, list[str]]
    """Route of a page -> some addresses of it."""
    cookies: httpx.Cookies
    """Of a visitor who gave a name."""


async def _asked(benches: Sequence[Bench]) -> list[Times]:
    """Page -> seconds of each request, for each store."""
    found = [await _known(_app(bench)) for bench in benches]
    shared = [page for page in found[0].addresses if page in found[1].addresses]
    times: list[Times] = [defaultdict(list) for _ in benches]
    apps = [_app(bench) for bench in benches]
    for number in range(ROUNDS):
        for page in shared:
            if number % COLD_EACH == 0:
                apps = [_app(bench) for bench in benches]
            for app, known, took in zip(apps, found, times, strict=True):
                address = known.addresses[page][number % len(known.addresses[page])]
                took[page].append(await _seconds(app, known.cookies, address))
    return times


def _app(bench: Bench) -> FastAPI:
    return make_app(HealthWatch(bench, holds=0.0, patience=60))


def _client(app: FastAPI, cookies: httpx.Cookies | None = None) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", timeout=120, cookies=cookies
    )


async def _known(app: FastAPI) -> Known:
    async with _client(app) as client:
        await named(client)
        found = await crawled(client, app, each=SAMPLES, most=1_000)
        cookies = client.cookies
    by_route: dict[str, list[str]] = defaultdict(list)
    for one in found.visits.values():
        if one.answer.status_code == 200 and one.is_page:
            by_route[one.route].append(one.address)
    return Known(by_route, cookies)


async def _seconds(app: FastAPI, cookies: httpx.Cookies, address: str) -> Took:
    async with _client(app, cookies) as client:
        started, busy = time.perf_counter(), time.process_time()
        answer = await client.get(address)
        took = Took(time.perf_counter() - started, time.process_time() - busy)
    if answer.status_code != 200:
        raise RuntimeError(f"{address}: {answer.status_code}: {answer.text[:200]}")
    return took


def _outcome(sizes: Sequence[int], small: Times, large: Times) -> Outcome:
    head = f"{'page':42}" + "".join(f"{f'{size:,} citations':>30}" for size in sizes)
    lines = [head, f"{'waited, and CPU':42}" + f"{'p50':>10}{'p95':>10}{'CPU p95':>10}" * 2]
    ratios = []
    for page in sorted(small):
        cells, busy = [], []
        for of in (small, large):
            walls, cpu = [one.wall for one in of[page]], [one.busy for one in of[page]]
            cells += [_at(walls, 0.5), _at(walls, HEARD), _at(cpu, HEARD)]
            busy.append(_at(cpu, HEARD))
        lines.append(f"{page:42}" + "".join(f"{1000 * one:>7.1f} ms" for one in cells))
        ratios.append(Ratio(f"p95 of {page}", busy[1] / busy[0], BAR))
    return Outcome(tuple(lines), tuple(ratios))


def _at(times: Sequence[float], part: float) -> float:
    return float(np.quantile(times, part))
