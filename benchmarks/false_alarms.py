"""The test behind every change, before many families are allowed for: false alarms and power.

Nothing changed, nominal 5 %: how often does each rule say that something did? Then planted changes,
an engine that cites more, answers lost where a family is strong, and a slow drift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks import rivals
from benchmarks.figures import Outcome, Ratio
from benchmarks.simulated import (
    DRIFT,
    ENGINES,
    EngineKind,
    Floats,
    Month,
    Pair,
    Topic,
    generator,
    jumped,
    lost_where_strong,
    month,
    moved_first,
    odds_of,
    one_family,
    pair,
    topic,
    weighted,
)
from benchmarks.spread import spread
from benchmarks.tables import table
from monitor.statistics import paired_change

NOMINAL = 0.05
SHARES = (0.005, 0.01, 0.02, 0.05, 0.10, 0.25)
COMMON = 0.02
"""Least share that the bars speak of."""
SIZES = ((50, 3), (100, 3), (100, 5), (200, 5))
BATCHES, COPIES = 8, 500
"""Copies share their batch's swaps, which are drawn anew for every batch."""
POWER_BATCHES = 2
CHANGES = ((0.10, 0.15), (0.10, 0.13), (0.10, 0.05), (0.05, 0.08), (0.02, 0.04))
POWER_SIZES = SIZES[1:]
VOLUMES = (1.8, 3.0)
METHODS = {
    "shipped": "**paired swaps, normalised (shipped)**",
    "z": "two-proportion z on citations",
    "yates": "chi-square with Yates' correction",
    "points20": "threshold only: 1 point and 20 %",
    "points2": "threshold only: 2 points",
    "unpaired": "prompts as clusters, unpaired t",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell of a table: an engine, a panel, and what is done to one family."""

    engine: EngineKind
    prompts: int
    repeats: int
    share: float
    after: float | None = None
    """Its share in the second month; None for no change."""
    factor: float = 1.0
    """On its odds in all prompts; 1 where it jumps in 30 % of the prompts."""
    volume: float = 1.0
    """Citations of the second month, as a multiple."""
    loses: bool = False
    """Whether answers are lost on the prompts where it is strong."""
    batches: int = POWER_BATCHES
    copies: int = COPIES
    swaps: int = 9_999

    @property
    def size(self) -> str:
        """Prompts x repeats."""
        return f"{self.prompts}x{self.repeats}"


@dataclass(frozen=True, slots=True)
class Called:
    """How often each rule called a change, and what each estimate was off by."""

    rates: dict[str, float]
    copies: int
    bias_shipped: float
    bias_raw: float


def called(setting: Setting) -> Called:
    """Rates of all rules in one setting."""
    parts = [_batch(setting, number) for number in range(setting.batches)]
    rates = {name: float(np.mean([p[0][name] for p in parts])) for name in parts[0][0]}
    bias = np.mean([p[1] for p in parts], axis=0)
    return Called(rates, setting.batches * setting.copies, float(bias[0]), float(bias[1]))


def months(setting: Setting, number: int) -> tuple[Month, Month]:
    """Both months of one batch."""
    rng = generator("single", setting, number)
    lasting = topic(
        rng, setting.engine, one_family(setting.share), setting.prompts, (setting.copies,)
    )
    before = month(rng, setting.engine, lasting, setting.repeats)
    heard = lost_where_strong(rng, lasting, setting.repeats) if setting.loses else None
    later = _changed(rng, setting, lasting)
    after = month(rng, setting.engine, later, setting.repeats, volume=setting.volume, heard=heard)
    return before, after


def _changed(rng: np.random.Generator, setting: Setting, lasting: Topic) -> Topic:
    if setting.after is None:
        return lasting
    if setting.factor != 1.0:
        return weighted(lasting, np.array([setting.factor, 1.0]))
    return jumped(rng, lasting, setting.share, setting.after)


def shipped(given: Pair, seed: int, swaps: int) -> Floats:
    """p values of the shipped test on means per answer, one a copy."""
    found = paired_change(*_columns(given.x, given.n), seed=seed, resamples=swaps)
    return found.p_value


def _columns(x: tuple[Floats, Floats], n: tuple[Floats, Floats]) -> tuple[Floats, ...]:
    return x[0], n[0], x[1], n[1]


def _batch(setting: Setting, number: int) -> tuple[dict[str, float], tuple[float, float]]:
    """Every rule on one batch, and both estimates' mean error."""
    given = pair(*months(setting, number))
    whole = rivals.pooled(given)
    rules = {
        "shipped": shipped(given, number, setting.swaps) <= NOMINAL,
        "z": rivals.z_test(whole) <= NOMINAL,
        "yates": rivals.yates(whole) <= NOMINAL,
        "points20": rivals.over_threshold(whole, 1, 0.2),
        "points2": rivals.over_threshold(whole, 2),
        "unpaired": rivals.unpaired(given),
    }
    if setting.volume != 1:
        rules["plain"] = rivals.plain_swaps(given, number, setting.swaps) <= NOMINAL
    if setting.loses:
        raw = Pair(given.raw_x, given.raw_n, given.raw_x, given.raw_n)
        rules["raw"] = shipped(raw, number, setting.swaps) <= NOMINAL
    rates = {name: float(one.mean()) for name, one in rules.items()}
    moved = (setting.after or setting.share) - setting.share
    return rates, (_error(given.x, given.n, moved), _error(given.raw_x, given.raw_n, moved))


def _error(x: tuple[Floats, Floats], n: tuple[Floats, Floats], moved: float) -> float:
    """Mean estimate of the change less the change."""
    shares = [one.sum(axis=0) / all_.sum(axis=0) for one, all_ in zip(x, n, strict=True)]
    return float((shares[1] - shares[0]).mean() - moved)


def quiet_settings() -> list[Setting]:
    """No change: every engine, size and share."""
    return [
        Setting(engine, prompts, repeats, share, batches=BATCHES)
        for engine in ENGINES
        for prompts, repeats in SIZES
        for share in SHARES
    ]


def run() -> Outcome:
    """Print and hold to their bars: false alarms, power, volume, lost answers, slow drift."""
    quiet = quiet_settings()
    found = dict(zip(quiet, spread(called, quiet), strict=True))
    common = [found[s].rates["shipped"] for s in quiet if s.share >= COMMON]
    lost_table, bias = _lost()
    lines = (
        *_quiet_table(quiet, found),
        *_power_table(),
        *_rivals_table(found),
        *_volume_table(),
        *lost_table,
        *_drift_table(),
    )
    return Outcome(
        lines,
        (
            Ratio(
                "least false alarms of the shipped test, shares from 2 %",
                100 * min(common), 3, at_least=True, unit="%",
            ),
            Ratio(
                "most false alarms of the shipped test, shares from 2 %",
                100 * max(common), 7, unit="%",
            ),
            Ratio("bias of the shipped estimate, answers lost", 100 * bias, 0.1, unit=" points"),
        ),
        lines,
    )  # fmt: skip


def _quiet_table(quiet: Sequence[Setting], found: dict[Setting, Called]) -> tuple[str, ...]:
    copies = BATCHES * COPIES
    error = 100 * (NOMINAL * (1 - NOMINAL) / copies) ** 0.5
    title = (
        f"**False alarms, no change, nominal 5 %** ({len(quiet)} settings: {len(ENGINES)} engines x "
        f"{', '.join(f'{p}x{r}' for p, r in SIZES)} prompts x repeats x shares of "
        f"{', '.join(f'{100 * s:g}' for s in SHARES)} %; {copies:,} copies each, 9,999 swaps; "
        f"least / median / most %; a rate of 5 % has a Monte Carlo error of {error:.2f} points)"
    )
    rows = []
    for name, label in METHODS.items():
        parts = [
            [100 * found[s].rates[name] for s in quiet if (s.share >= COMMON) is common]
            for common in (True, False)
        ]
        cells = [f"{min(p):.1f} / {np.median(p):.1f} / {max(p):.1f}" for p in parts]
        rows.append([label, *cells])
    return table(title, ["rule", "shares from 2 %", "shares under 2 %"], rows)


def _power_table() -> tuple[str, ...]:
    columns = [(engine, *size) for engine in ENGINES for size in POWER_SIZES]
    title = (
        "**Power of the shipped test, raw 5 %** (% found; odds change in all prompts / jump in 30 % "
        f"of the prompts; {POWER_BATCHES * COPIES:,} copies each, Monte Carlo error at most 1.6 points)"
    )
    rows = []
    for before, after in CHANGES:
        factors = {engine: odds_of(engine, before, after) for engine in ENGINES}
        make = partial(Setting, share=before, after=after)
        odds = spread(called, [make(e, p, r, factor=factors[e]) for e, p, r in columns])
        cells = [f"{100 * one.rates['shipped']:.0f}" for one in odds]
        if after > before:
            jumps = spread(called, [make(e, p, r) for e, p, r in columns])
            pairs = zip(cells, jumps, strict=True)
            cells = [f"{cell} / {100 * one.rates['shipped']:.0f}" for cell, one in pairs]
        rows.append([f"{100 * before:g} -> {100 * after:g} %", *cells])
    return table(title, ["change", *(f"{e.name} {p}x{r}" for e, p, r in columns)], rows)


def _rivals_table(found: dict[Setting, Called]) -> tuple[str, ...]:
    """What the naive rules find, beside what they cry when there is nothing."""
    title = (
        "**What the others' power costs** (10 -> 13 %, odds change, 100x3; % false alarms without a "
        "change / % found with it)"
    )
    settings = [
        Setting(e, 100, 3, 0.10, after=0.13, factor=odds_of(e, 0.10, 0.13)) for e in ENGINES
    ]
    rows = []
    for engine, power in zip(ENGINES, spread(called, settings), strict=True):
        quiet = found[Setting(engine, 100, 3, 0.10, batches=BATCHES)].rates
        cells = [f"{100 * quiet[name]:.0f} / {100 * power.rates[name]:.0f}" for name in METHODS]
        rows.append([engine.name, *cells])
    return table(title, ["engine", *METHODS.values()], rows)


def _volume_table() -> tuple[str, ...]:
    title = (
        "**The engine cites more, shares unchanged** (share 10 %, 100x5; % false alarms / % found of "
        f"10 -> 15 %; {POWER_BATCHES * COPIES:,} copies)"
    )
    cells = [(engine, volume) for engine in ENGINES for volume in VOLUMES]
    make = partial(Setting, prompts=100, repeats=5, share=0.10)
    none = spread(called, [make(engine=e, volume=v) for e, v in cells])
    moved = spread(
        called,
        [make(engine=e, volume=v, after=0.15, factor=odds_of(e, 0.10, 0.15)) for e, v in cells],
    )
    rows = []
    for (engine, volume), a, b in zip(cells, none, moved, strict=True):
        rates = [
            f"{100 * a.rates[name]:.1f} / {100 * b.rates[name]:.0f}"
            for name in ("shipped", "plain", "z")
        ]
        rows.append([f"{engine.name}, {volume:g} x", *rates])
    head = ["engine, citations", "shipped", "swaps without normalising", METHODS["z"]]
    return table(title, head, rows)


def _lost() -> tuple[tuple[str, ...], float]:
    """Table of lost answers, and the largest absolute bias of the shipped estimate."""
    title = (
        "**Answers lost where a family is strong** (60 % of the repeats of the top fifth of the "
        f"prompts in the second month; share 10 %, 100x5; {BATCHES * COPIES:,} copies; bias in points)"
    )
    head = [
        "engine",
        "bias of means per answer (shipped)",
        "bias of raw counts",
        "false alarms, shipped",
        "false alarms, same test on raw counts",
    ]
    settings = [Setting(e, 100, 5, 0.10, loses=True, batches=BATCHES) for e in ENGINES]
    found = spread(called, settings)
    rows = [
        [
            engine.name,
            f"{100 * one.bias_shipped:+.3f}",
            f"{100 * one.bias_raw:+.2f}",
            f"{100 * one.rates['shipped']:.1f} %",
            f"{100 * one.rates['raw']:.1f} %",
        ]
        for engine, one in zip(ENGINES, found, strict=True)
    ]
    return table(title, head, rows), max(abs(one.bias_shipped) for one in found)


def drifted(engine: EngineKind) -> list[tuple[float, float]]:
    """% found in months 4, 5 and 6 of a slow drift: against the month before, against three."""
    rng = generator("drift", engine)
    lasting = topic(rng, engine, one_family(DRIFT[0]), 100, (COPIES,))
    answers = [
        month(rng, engine, moved_first(engine, lasting, DRIFT[0], share), 3) for share in DRIFT
    ]
    found = []
    for last in range(3, len(DRIFT)):
        three = answers[last - 3 : last]
        pooled = Month(
            np.concatenate([one.counts for one in three], axis=-2),
            np.concatenate([one.heard for one in three], axis=-1),
        )
        sides = [pair(one, answers[last]) for one in (answers[last - 1], pooled)]
        rates = [float((shipped(side, last, 9_999) <= NOMINAL).mean()) for side in sides]
        found.append((rates[0], rates[1]))
    return found


def _drift_table() -> tuple[str, ...]:
    title = (
        f"**Slow drift** ({', '.join(f'{100 * s:g}' for s in DRIFT)} % in six months, 100x3, {COPIES} "
        "copies; % found at raw 5 % against the month before / against the three before, pooled)"
    )
    rows = [
        [engine.name, *(f"{100 * one:.0f} / {100 * three:.0f}" for one, three in rates)]
        for engine, rates in zip(ENGINES, spread(drifted, ENGINES), strict=True)
    ]
    return table(title, ["engine", "month 4", "month 5", "month 6"], rows)
