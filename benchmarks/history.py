"""Ten months of a panel in one store: captures, money, readings, pages and scores, asking nobody."""

import os
from datetime import UTC, datetime
from functools import partial

from benchmarks.answers import CITATIONS, MADE_AT, keep_baseline, keep_pages, payload
from benchmarks.score import Ready
from benchmarks.stores import panel_of, planned
from monitor.cli.sandboxed import KEYS
from monitor.domain.engine import Exchange, Reading
from monitor.engines import ENGINES
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import save_readings
from monitor.pipeline.reading import read_exchanges
from monitor.pipeline.tallying import score_run
from monitor.store import Connection, captures, jobs, runs, spend

MONTHS = 10
SCORED = 2
"""The last months, which have pages and scores too."""
NAMES = ("openai", "perplexity", "anthropic", "gemini", "mistral")
MOST_PAGES = 20_000
KEYS_OF_ALL = KEYS | dict.fromkeys(("GEMINI_API_KEY", "MISTRAL_API_KEY"), "no-key")
_BATCH = 1_000
_MICROS = 12_000


def months_of(bench: Bench, citations: int) -> list[runs.Run]:
    """Runs of ten months that hold so many citations in all; each month has as many as any."""
    os.environ.update(KEYS_OF_ALL)
    prompts = citations // CITATIONS // MONTHS // len(NAMES)
    pages = min(MOST_PAGES, max(100, citations // 50))
    panel = panel_of(prompts, *NAMES)
    keep_baseline(bench, panel)
    answers = [_reading(number, pages) for number in range(prompts)]
    made = []
    for month in range(1, MONTHS + 1):
        run = planned(bench, panel, f"2026-{month:02}")
        at = datetime(2026, month, 1, 6, tzinfo=UTC)
        _keep_captures(bench, run, answers, at)
        if month > MONTHS - SCORED:
            keep_pages(bench, run, pages)
            score_run(bench, run, Ready())
        stock_of(bench, run)
        made.append(bench.write(partial(_end, run_id=run.id, at=at)))
    return made


def _reading(number: int, pages: int) -> Reading:
    """What one of the answers says."""
    exchange = Exchange(payload(number, pages), 200, (), None, None)
    return read_exchanges(ENGINES["openai"], (exchange,))


def _keep_captures(bench: Bench, run: runs.Run, answers: list[Reading], at: datetime) -> None:
    """Every capture of a run as if it had been asked: money, payload row, reading."""
    asked = bench.read(lambda c: captures.load_captures(c, run.id))

    def save(connection: Connection, part: tuple[captures.Capture, ...], first: int) -> None:
        asks = [spend.Ask(run.id, one.id, one.engine, _MICROS) for one in part]
        bills = spend.reserve_all(connection, asks, caps=spend.NO_CAPS, at=at)
        spend.settle_all(connection, [(bill, _MICROS - 1) for bill in bills], at=at)
        captures.mark_asked(connection, *(one.id for one in part), at=at)
        captures.save_payloads(
            connection,
            [captures.StoredPayload(one.id, 0, 0, f"{one.id:064x}", status=200) for one in part],
        )
        shift = run.id * 3
        fresh = {
            one.id: answers[(first + place + shift) % len(answers)]
            for place, one in enumerate(part)
        }
        save_readings(bench, connection, fresh)

    for start in range(0, len(asked), _BATCH):
        bench.write(partial(save, part=asked[start : start + _BATCH], first=start))


def _end(connection: Connection, run_id: int, at: datetime) -> runs.Run:
    runs.set_run_state(connection, run_id, runs.RunState.RUNNING, at=at)
    jobs.purge_jobs(connection, run_id)
    return runs.set_run_state(connection, run_id, runs.RunState.DONE, at=at)


__all__ = ["MADE_AT", "MONTHS", "Ready", "months_of"]
