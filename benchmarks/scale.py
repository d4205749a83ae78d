"""What a panel needs that is far larger than any here: arithmetic from unit costs, then a check.

`python -m benchmarks.scale` prints the tables of docs/scale.md, `--write` puts them there. The check
is a simulation: every call and every page, with its latency, its place, its turn and its worker's
core, for a tenth of the work.
"""

import heapq
import math
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks import costs
from benchmarks.figures import ROOT, Outcome, Ratio
from monitor.config.settings import Settings
from monitor.domain.engine import EngineSettings
from monitor.engines import ENGINES
from monitor.pipeline.pricing import pricer

PROMPTS, REPEATS = 10_000, 5
ASKED = (
    "openai", "openai_chat_search", "perplexity", "gemini", "anthropic", "xai", "mistral",
    "google_ai_overview",
)  # fmt: skip
PRICED_AT = datetime(2026, 11, 30, tzinfo=UTC)
CAPTURES = PROMPTS * len(ASKED) * REPEATS
EACH = PROMPTS * REPEATS
"""Captures of one engine."""
PAGES = round(CAPTURES * costs.NEW_PAGES.value)
PARTS = 512
"""Jobs that the judge's work is cut into."""

SPARE = 0.75
"""Part of its window that a stage is planned to use."""
BUSY = 0.5
"""Part of a core that a worker is planned to use: its loop must answer in time."""
SIMULATED = 10
"""One in so many calls and pages is simulated."""
_SIGMA = 0.6
BAR = 1.0
PAGE_DOC = ROOT / "docs" / "scale.md"
BEGIN, END = "<!-- tables: python -m benchmarks.scale -->", "<!-- end of tables -->"


@dataclass(frozen=True, slots=True)
class Window:
    """A time in which the whole run is to be done, and what it may use beside the captures."""

    hours: float
    page_places: int
    judges: int

    @property
    def page_hours(self) -> float:
        """Hours that fetching takes."""
        return PAGES * costs.FETCH.value / self.page_places / 3600

    @property
    def judge_hours(self) -> float:
        """Hours that judging takes, and scoring, which one process does."""
        judged = CAPTURES * costs.JUDGED.value / self.judges
        return (judged + CAPTURES * costs.SCORED.value + PAGES * costs.COPIES.value) / 3.6e6

    @property
    def capture_hours(self) -> float:
        """Hours that are left for asking, a spare part kept."""
        return (self.hours - self.page_hours - self.judge_hours) * SPARE

    @property
    def per_minute(self) -> float:
        """Calls that each engine must allow."""
        return EACH * costs.AGAIN.value / self.capture_hours / 60

    @property
    def places(self) -> int:
        """Calls of each engine under way at once."""
        return math.ceil(self.per_minute / 60 * costs.LATENCY.value)

    @property
    def workers(self) -> int:
        """Worker processes: two at least, so that one may die."""
        asking = len(ASKED) * self.per_minute / 60 * costs.CAPTURE.value / 1000
        reading = self.page_places / costs.FETCH.value * costs.PAGE.value / 1000
        return max(2, self.judges, math.ceil(asking / BUSY), math.ceil(reading / BUSY))


WINDOWS = (Window(120, 16, 2), Window(48, 64, 4), Window(24, 128, 8))


@dataclass(frozen=True, slots=True)
class Line:
    """Calls of one kind: how many at once, how many a minute, and what one takes."""

    calls: int
    places: int
    per_minute: float | None
    seconds: float
    """Mean of a log-normal distribution."""
    cpu: float
    """Seconds of the worker's core that end a call."""


def simulated(lines: Sequence[Line], workers: int, seed: int = 1) -> tuple[float, float]:
    """Hours until all lines are done, and the busiest worker's part of its core.

    A place is free again when the worker's core is done with the call.
    """
    dice = random.Random(seed)
    # (when, of which line, whether a call was answered then; else its place is free).
    events = [(0.0, n, False) for n, line in enumerate(lines) for _ in range(line.places)]
    heapq.heapify(events)
    left = [line.calls for line in lines]
    turns = [0.0] * len(lines)
    cores, used = [0.0] * workers, [0.0] * workers
    now = 0.0
    while events:
        now, n, is_answer = heapq.heappop(events)
        line = lines[n]
        if is_answer:
            worker = dice.randrange(workers)
            cores[worker] = max(now, cores[worker]) + line.cpu
            used[worker] += line.cpu
            heapq.heappush(events, (cores[worker], n, False))
        elif left[n]:
            left[n] -= 1
            start = max(now, turns[n])
            if line.per_minute is not None:
                turns[n] = start + 60 / line.per_minute
            mean = math.log(line.seconds) - _SIGMA**2 / 2
            heapq.heappush(events, (start + dice.lognormvariate(mean, _SIGMA), n, True))
    return now / 3600, max(used) / now


def whole_run(window: Window) -> tuple[float, float]:
    """Simulated hours from the first call to the last scorecard, and the busiest core's part."""
    asked = Line(
        round(EACH * costs.AGAIN.value / SIMULATED),
        window.places,
        window.per_minute,
        costs.LATENCY.value,
        costs.CAPTURE.value / 1000,
    )
    fetched = Line(
        PAGES // SIMULATED, window.page_places, None, costs.FETCH.value, costs.PAGE.value / 1000
    )
    stages = [simulated(part, window.workers) for part in ([asked] * len(ASKED), [fetched])]
    judged = math.ceil(PARTS / window.judges) * CAPTURES / PARTS * costs.JUDGED.value / 3.6e6
    scored = (CAPTURES * costs.SCORED.value + PAGES * costs.COPIES.value) / 3.6e6
    hours = sum(hours for hours, _ in stages) * SIMULATED + judged + scored
    return hours, max(busy for _, busy in stages)


def usd() -> dict[str, float]:
    """Engine -> USD of its captures, by the price table's typical call or the flat estimate."""
    settings = Settings()
    found = {}
    for name in ASKED:
        engine = ENGINES[name]
        model = EngineSettings(model=engine.default_model)
        price, _ = pricer(engine, model, settings.engine(name), PRICED_AT)
        found[name] = EACH * costs.AGAIN.value * price.micros / 1e6
    return found


def tables() -> str:
    """The tables of docs/scale.md."""
    parts = (_costs(), _needs(), _windows(), _money())
    return "\n\n".join("\n".join(part) for part in parts)


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield _row(*header)
    yield "|" + "---|" * len(header)
    yield from (_row(*row) for row in rows)


def _costs() -> Iterator[str]:
    rows = [(one.what, one.shown, one.source) for one in (*costs.MEASURED, *costs.ASSUMED)]
    return _table(("one of each", "takes", "from"), rows)


def _needs() -> Iterator[str]:
    """What a month needs, whatever its window."""
    gib = 1024 * 1024
    rows = CAPTURES * costs.ROWS.value / gib
    kept = (CAPTURES * costs.PAYLOAD.value + PAGES * costs.PAGE_BYTES.value) / gib
    judged = CAPTURES * costs.JUDGED.value / 3.6e6
    scored = (CAPTURES * costs.SCORED.value + PAGES * costs.COPIES.value) / 3.6e6
    asked = CAPTURES * costs.CAPTURE.value / 3.6e6
    read = PAGES * costs.PAGE.value / 3.6e6
    served = CAPTURES * costs.DATABASE.value / 3.6e6
    answers = EACH * costs.SCORING_MEMORY.value / 10_000 / 1024
    paged = PAGES * costs.PAGES_MEMORY.value / 10_000 / 1024
    copied = PAGES * costs.COPIES_MEMORY.value / 10_000 / 1024
    planned = CAPTURES * costs.PLANNING.value / 60_000
    return _table(
        ("a month", "arithmetic", "comes to"),
        (
            ("captures", f"{PROMPTS:,} x {len(ASKED)} x {REPEATS}", f"{CAPTURES:,}"),
            ("calls", f"{CAPTURES:,} x {costs.AGAIN.shown}",
             f"{round(CAPTURES * costs.AGAIN.value):,}"),
            ("pages fetched", f"{CAPTURES:,} x {costs.NEW_PAGES.shown}", f"{PAGES:,}"),
            ("verdicts", f"{CAPTURES:,} x {costs.VERDICTS.shown}",
             f"{CAPTURES * costs.VERDICTS.value:,.0f}"),
            ("database", f"{CAPTURES:,} x {costs.ROWS.shown}",
             f"{rows:,.1f} GiB; {rows * 12:,.0f} GiB a year"),
            ("payloads and pages", _sum((CAPTURES, costs.PAYLOAD), (PAGES, costs.PAGE_BYTES)),
             f"{kept:,.1f} GiB in {CAPTURES + 2 * PAGES:,} objects; {kept * 12:,.0f} GiB a year"),
            ("CPU of workers, asking", f"{CAPTURES:,} x {costs.CAPTURE.shown}", f"{asked:.1f} h"),
            ("CPU of workers, pages", f"{PAGES:,} x {costs.PAGE.shown}", f"{read:.1f} h"),
            ("CPU of workers, judge", f"{CAPTURES:,} x {costs.JUDGED.shown}", f"{judged:.1f} h"),
            ("CPU of one worker, copies and scores",
             _sum((PAGES, costs.COPIES), (CAPTURES, costs.SCORED)), f"{scored:.1f} h"),
            ("CPU of the database, asking", f"{CAPTURES:,} x {costs.DATABASE.shown}",
             f"{served:.1f} h"),
            ("planning and queueing", f"{CAPTURES:,} x {costs.PLANNING.shown}",
             f"{planned:.1f} min before the first call"),
            ("memory of who judges", f"{PAGES:,} pages", f"{paged:.1f} GiB"),
            ("memory of who looks for copies", f"{PAGES:,} pages", f"{copied + paged:.1f} GiB"),
            ("memory of who scores", f"{EACH:,} answers of one engine, {PAGES:,} pages",
             f"{answers + paged:.1f} GiB"),
        ),
    )  # fmt: skip


def _sum(*parts: tuple[int, costs.Cost]) -> str:
    return " + ".join(f"{many:,} x {one.shown}" for many, one in parts)


def _windows() -> Iterator[str]:
    """What a window asks of quotas and machines, and what the simulation makes of it."""
    rows = []
    for one in WINDOWS:
        hours, busy = whole_run(one)
        rows.append(
            (
                f"{one.hours / 24:g} days" if one.hours > 24 else "1 day",
                f"{one.capture_hours / SPARE:.0f} h",
                f"{math.ceil(one.per_minute)}",
                one.places,
                one.page_places,
                one.judges,
                one.workers,
                f"{CAPTURES * costs.AGAIN.value / one.capture_hours / 3600:.1f}",
                f"{hours:.0f} h",
                f"{busy:.0%}",
            )
        )
    return _table(
        ("window", "for asking", "calls/min an engine", "places an engine", "places for pages",
         "judges", "workers", "jobs/s", "simulated", "busiest core"),
        rows,
    )  # fmt: skip


def _money() -> Iterator[str]:
    prices = usd()
    rows = [(f"`{name}`", f"{EACH:,}", f"{one:,.0f}") for name, one in prices.items()]
    rows.append(("all", f"{CAPTURES:,}", f"{sum(prices.values()):,.0f}"))
    return _table(("engine", "captures", "USD a month"), rows)


def written(page: str) -> str:
    """The page with its tables made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


def run() -> Outcome:
    """Whether simulated runs keep to their windows."""
    found = [(one, *whole_run(one)) for one in WINDOWS]
    lines = [
        f"{one.hours:.0f} h, {one.workers} workers, {one.places} places an engine: simulated "
        f"{hours:.1f} h, busiest core {busy:.0%}"
        for one, hours, busy in found
    ]
    return Outcome(
        tuple(lines),
        tuple(Ratio(f"of {one.hours:.0f} h", hours / one.hours, BAR) for one, hours, _ in found),
    )


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE_DOC.write_text(written(PAGE_DOC.read_text("utf-8")), "utf-8")
    else:
        print(tables())
