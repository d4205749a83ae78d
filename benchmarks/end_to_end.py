"""A planted change, from the vendor's bytes to the message: found where it is, silent where it is not.

Two months in a store of their own: payloads in the vendor's shape (made up), the real parser, URL
identity and families, scoring, comparison, alerts, and the text of the digest. Nobody is asked.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.answers import response_bytes, sentence
from benchmarks.figures import Outcome, Ratio
from benchmarks.score import Ready
from benchmarks.simulated import (
    ENGINES,
    EngineKind,
    Heard,
    Month,
    beside_one,
    generator,
    lost_where_strong,
    month,
    moved_first,
    topic,
)
from benchmarks.spread import spread
from benchmarks.stores import benched, local_settings, panel_of, planned
from benchmarks.tables import table
from monitor.cli.sandboxed import KEYS
from monitor.domain.alert import Alert, AlertKind, Digest, Direction
from monitor.domain.panel import Panel
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.alerting import EngineFindings, find_alerts, keep_alerts
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.tallying import score_run
from monitor.report.digest import digest_text
from monitor.report.files import Links
from monitor.store import Connection, captures, jobs, runs
from monitor.store.alerts import open_alerts

SEEDS = 10
PROMPTS, REPEATS = 100, 3
BEFORE, AFTER = 0.10, 0.25
ENGINE = "openai"
PLANTED = "family-000.example"
"""Family of the first rank, whose share is 10 % and moves to 25 %."""
MOVED, MODEL, QUIET, LEAK, STORM, LOST = "moved", "model", "quiet", "leak", "storm", "lost"
LOSES: Mapping[str, tuple[float, float]] = {LEAK: (0.15, 0.6), STORM: (0.4, 1.0)}
"""Part of the prompts, those that lean most on the family, and how many of their answers are lost."""
_CAPTCHA = b"<!doctype html><title>One moment</title><p>Please solve the CAPTCHA to go on.</p>"
_BROKEN = b'{"error": {"message": "The server had an error.", "type": "server_error"}}'


@dataclass(frozen=True, slots=True)
class Case:
    """One scenario with one seed."""

    scenario: str
    engine: EngineKind
    seed: int
    size: tuple[int, int] = (PROMPTS, REPEATS)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the second month's message told."""

    kinds: tuple[str, ...]
    """Of every alert, in the order of the message."""
    planted: bool
    """Whether the planted family's rise was told, or that the engine changed as a whole."""
    others: int
    """Shares told that nobody planted."""
    first: str
    """First sentence of the message's body: an event, else an alert."""
    kept: int
    """Alerts that stand in the store."""


def see(case: Case) -> Seen:
    """Both months of a case through the whole line."""
    with (
        patch.dict(os.environ, KEYS),
        tempfile.TemporaryDirectory(prefix="monitor-bench-") as folder,
        benched(local_settings(Path(folder))) as bench,
    ):
        panel = _panel(case)
        bodies = _bodies(case)
        for slot, body in zip(("2026-01", "2026-02"), bodies, strict=True):
            found = _month(bench, planned(bench, panel, slot), body)
        return _seen(found[0].digest, _standing(bench, panel))


def _panel(case: Case) -> Panel:
    return replace(panel_of(case.size[0], ENGINE), repeats=case.size[1])


def _standing(bench: Bench, panel: Panel) -> int:
    return len(bench.read(lambda c: open_alerts(c, panel.name, ENGINE)))


Body = Callable[[int, int], tuple[int, bytes]]
"""Status and bytes of an answer, by prompt and repeat."""


def _bodies(case: Case) -> tuple[Body, Body]:
    """What the engine sends in both months."""
    rng = generator("end to end", case)
    prompts, repeats = case.size
    lasting = topic(rng, case.engine, beside_one(BEFORE), prompts)
    after = AFTER if case.scenario in {MOVED, MODEL} else BEFORE
    later = moved_first(case.engine, lasting, BEFORE, after)
    months = [month(rng, case.engine, one, repeats) for one in (lasting, later)]
    heard: Heard | None = None
    if case.scenario in LOSES:
        top, lost = LOSES[case.scenario]
        heard = lost_where_strong(rng, lasting, repeats, top=top, lost=lost)
    model = "synthetic-2" if case.scenario == MODEL else "synthetic-1"
    first = partial(_answer, months[0], "synthetic-1", None)
    second = partial(_answer, months[1], model, heard)
    return first, (lambda *_: (503, _BROKEN)) if case.scenario == LOST else second


def _answer(
    given: Month, model: str, heard: Heard | None, prompt: int, repeat: int
) -> tuple[int, bytes]:
    """One answer that cites its families' pages, or the page of a barrier."""
    if heard is not None and not heard[prompt, repeat]:
        return 403, _CAPTCHA
    counts = given.counts[prompt, repeat]
    pages = [
        f"https://www.family-{rank:03}.example/guides/part-{prompt}-{number}"
        for rank in np.flatnonzero(counts)
        for number in range(counts[rank])
    ]
    cited = [(sentence(prompt * 31 + n), page, f"Guide {n}") for n, page in enumerate(pages)]
    return 200, response_bytes(prompt, cited, pages, model=model)


def _month(bench: Bench, run: runs.Run, body: Body) -> tuple[EngineFindings, ...]:
    """Keep what an engine sent for a run, read it, and find and keep what there is to tell."""
    stored = []
    for one in bench.read(lambda c: captures.load_captures(c, run.id)):
        status, content = body(int(one.prompt.id.rpartition("-")[2]), one.repeat - 1)
        kept = bench.artifacts.put(content)
        stored.append(captures.StoredPayload(one.id, 0, 0, kept, status=status))
    bench.write(lambda c: captures.save_payloads(c, stored))
    reparse_run(bench, run)
    score_run(bench, run, Ready())
    stock_of(bench, run)
    found = find_alerts(bench, run, Ready())
    bench.write(partial(_end, bench=bench, run=run, found=found))
    return found


def _end(
    connection: Connection, bench: Bench, run: runs.Run, found: tuple[EngineFindings, ...]
) -> None:
    """Alerts and the end of the run in one transaction, as the line does it."""
    at = datetime.now(UTC)
    runs.set_run_state(connection, run.id, runs.RunState.RUNNING, at=at)
    jobs.purge_jobs(connection, run.id)
    keep_alerts(connection, bench, run, found)
    runs.set_run_state(connection, run.id, runs.RunState.DONE, at=at)


def _seen(digest: Digest | None, kept: int) -> Seen:
    """A digest as what this page asks of it."""
    alerts: Sequence[Alert] = digest.alerts if digest else ()
    told = [one for one in alerts if one.kind is AlertKind.FAMILY_SHARE]
    whole = any(one.kind is AlertKind.ENGINE_CHANGED and one.entity == "sources" for one in alerts)
    up = any(one.entity == PLANTED and one.direction is Direction.UP for one in told)
    return Seen(
        tuple(one.kind.value for one in alerts),
        up or whole,
        sum(one.entity != PLANTED for one in told),
        _first(digest),
        kept,
    )


def _first(digest: Digest | None) -> str:
    """First sentence under the title of the message."""
    if digest is None:
        return ""
    lines = digest_text(digest, Links()).splitlines()
    return next((line for line in lines[1:] if line.startswith(("- ", "* "))), "")


def cases() -> list[Case]:
    """A moved share on every engine; the rest on the first one."""
    base = ENGINES[0]
    moved = [Case(MOVED, engine, seed) for engine in ENGINES for seed in range(SEEDS)]
    others = (MODEL, QUIET, LEAK, STORM, LOST)
    return moved + [Case(one, base, seed) for one in others for seed in range(SEEDS)]


SAYS: Mapping[str, str] = {
    MOVED: "share moved from 10 to 25 %",
    MODEL: "the same, and another model",
    QUIET: "nothing changed",
    LEAK: "9 % of the answers lost, where the family is strong",
    STORM: "captcha on 40 % of the prompts, where the family is strong",
    LOST: "every capture fails",
}


def run() -> Outcome:
    """All scenarios, and what their messages told."""
    every = cases()
    found = dict(zip(every, spread(see, every), strict=True))
    lines = _table(found)
    return Outcome(lines, (*_moved(found), *_broken_runs(found), _model_first(found)), lines)


def _moved(found: Mapping[Case, Seen]) -> list[Ratio]:
    """Seeds in which the moved share was told, engine by engine."""
    told = dict.fromkeys(ENGINES, 0)
    for case, one in found.items():
        told[case.engine] += case.scenario == MOVED and one.planted
    name, unit = "seeds in which the moved share was told", f" of {SEEDS}"
    return [Ratio(f"{name}, {e.name}", n, 9, at_least=True, unit=unit) for e, n in told.items()]


def _broken_runs(found: Mapping[Case, Seen]) -> list[Ratio]:
    """Whether runs that cannot be compared are told as that, and as nothing else."""
    broken = [one for case, one in found.items() if case.scenario in {STORM, LOST}]
    alone = sum(one.kinds == (AlertKind.RUN_QUALITY.value,) for one in broken)
    shares_told = sum(AlertKind.FAMILY_SHARE.value in one.kinds for one in broken)
    unit = f" of {len(broken)}"
    return [
        Ratio(
            "broken runs told as run quality alone", alone, len(broken), at_least=True, unit=unit
        ),
        Ratio("share alerts in broken runs", shares_told, 0, unit=""),
    ]


def _model_first(found: Mapping[Case, Seen]) -> Ratio:
    """Messages that begin with the model where it changed."""
    told = [one for case, one in found.items() if case.scenario == MODEL]
    first = sum("synthetic-2" in one.first for one in told)
    name, unit = "messages that name a changed model first", f" of {len(told)}"
    return Ratio(name, first, len(told), at_least=True, unit=unit)


def _table(found: Mapping[Case, Seen]) -> tuple[str, ...]:
    title = (
        f"**From the vendor's bytes to the message** ({PROMPTS} prompts x {REPEATS} repeats, two months "
        f"in a store, {SEEDS} seeds a row; number of seeds)"
    )
    head = [
        "scenario",
        "engine",
        "planted change told",
        "another share told",
        "run quality told",
        "nothing told",
        "message begins with",
    ]
    rows = []
    for scenario, engine in dict.fromkeys((case.scenario, case.engine) for case in found):
        seen = [s for c, s in found.items() if (c.scenario, c.engine) == (scenario, engine)]
        firsts = sorted({one.first.split(": ")[0][2:60] for one in seen if one.first})
        counts = (
            sum(one.planted for one in seen),
            sum(one.others > 0 for one in seen),
            sum(AlertKind.RUN_QUALITY.value in one.kinds for one in seen),
            sum(not one.kinds for one in seen),
        )
        rows.append([SAYS[scenario], engine.name, *map(str, counts), "; ".join(firsts)])
    return table(title, head, rows)
