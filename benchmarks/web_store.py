"""Stores for the pages: one panel asked day after day, scored, compared and told as runs are.

A day is the same in every store; a larger store has more days. So a page that asks by index finds as
much to show in the one as in the other.
"""

import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from benchmarks.answers import CITATIONS, keep_baseline, keep_pages, payload
from benchmarks.history import KEYS_OF_ALL, NAMES
from benchmarks.score import Ready
from benchmarks.stores import panel_of, planned
from monitor.domain.claim import Support
from monitor.domain.engine import Exchange, Reading
from monitor.engines import ENGINES
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.alerting import find_alerts, keep_alerts
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import save_readings
from monitor.pipeline.comparing import weigh
from monitor.pipeline.labelling import draw_pairs
from monitor.pipeline.reading import read_exchanges
from monitor.pipeline.tallying import score_run
from monitor.store import Connection, captures, jobs, runs, spend, support_labels

PROMPTS, PAGES = 20, 60
FIRST = datetime(2022, 1, 1, 6, tzinfo=UTC)
DRAWN = 40
"""Pairs of the newest run that two people labelled."""
_MICROS = 12_000
_TOLD = 13
"""Newest runs that alerts are looked for in: as many as trends show."""


def days_of(bench: Bench, citations: int, prompts: int = PROMPTS) -> list[runs.Run]:
    """Runs of as many days as hold so many citations."""
    os.environ.update(KEYS_OF_ALL)
    each = prompts * len(NAMES) * CITATIONS
    days = math.ceil(citations / each)
    panel = panel_of(prompts, *NAMES)
    keep_baseline(bench, panel)
    answers = [payload(number, PAGES) for number in range(prompts)]
    kept = [bench.artifacts.put(one) for one in answers]
    read = [_reading(one) for one in answers]
    made: list[runs.Run] = []
    for day in range(days):
        at = FIRST + timedelta(days=day)
        run = planned(bench, panel, f"{at:%Y-%m-%d}")
        _keep_captures(bench, run, read, kept=kept, at=at)
        keep_pages(bench, run, PAGES)
        score_run(bench, run, Ready())
        stock_of(bench, run)
        run = bench.write(partial(_end, run_id=run.id, at=at))
        if made:
            weigh(bench, [made[-1]], run, Ready())
        if day >= days - _TOLD:
            _tell(bench, run)
        made.append(run)
    _label(bench, made[-1])
    return made


def _reading(body: bytes) -> Reading:
    return read_exchanges(ENGINES["openai"], (Exchange(body, 200, (), None, None),))


def _keep_captures(
    bench: Bench, run: runs.Run, read: Sequence[Reading], *, kept: Sequence[str], at: datetime
) -> None:
    """Every capture of a run as if it had been asked: money, payload, reading."""
    asked = bench.read(lambda c: captures.load_captures(c, run.id))
    chosen = {one.id: (place + 3 * run.id) % len(read) for place, one in enumerate(asked)}

    def save(connection: Connection) -> None:
        asks = [spend.Ask(run.id, one.id, one.engine, _MICROS) for one in asked]
        bills = spend.reserve_all(connection, asks, caps=spend.NO_CAPS, at=at)
        spend.settle_all(connection, [(bill, _MICROS - 1) for bill in bills], at=at)
        captures.mark_asked(connection, *chosen, at=at)
        captures.save_payloads(
            connection,
            [captures.StoredPayload(n, 0, 0, kept[one], status=200) for n, one in chosen.items()],
        )
        save_readings(bench, connection, {n: read[one] for n, one in chosen.items()})

    bench.write(save)


def _end(connection: Connection, run_id: int, at: datetime) -> runs.Run:
    runs.set_run_state(connection, run_id, runs.RunState.RUNNING, at=at)
    jobs.purge_jobs(connection, run_id)
    return runs.set_run_state(connection, run_id, runs.RunState.DONE, at=at)


def _tell(bench: Bench, run: runs.Run) -> None:
    """Open and close the alerts of a run."""
    found = find_alerts(bench, run, Ready())
    bench.write(lambda c: keep_alerts(c, bench, run, found))


def _label(bench: Bench, run: runs.Run) -> None:
    """A draw of a run, labelled by two people who differ over every fifth pair."""
    drawn = draw_pairs(bench, run, engine=None, pairs=DRAWN, seed=1)
    at = bench.clock.now()
    for number, one in enumerate(drawn.draw.pairs):
        for annotator in ("ana", "ben"):
            differs = annotator == "ben" and number % 5 == 0
            label = support_labels.SupportLabel(
                one.pair,
                one.claim,
                one.evidence,
                Support.PARTIAL if differs else Support.FULL,
                annotator,
                "1",
            )
            bench.write(partial(support_labels.save_label, panel=run.panel, one=label, at=at))
