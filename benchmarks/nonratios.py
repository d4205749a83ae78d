"""Concentration and stability, which are no ratios: false alarms of their tests, and power.

Nothing changed, nominal 5 %: how often does the test of concentration say that it did, and how often
does the interval of the change of repeat overlap leave out zero? Then leaders that gain, and an
engine that cites more, which must move concentration no more often and does move the overlap.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchmarks.figures import Outcome, Ratio
from benchmarks.simulated import (
    ENGINES,
    Counts,
    EngineKind,
    Floats,
    Topic,
    generator,
    month,
    popularity,
    topic,
    weighted,
)
from benchmarks.tables import table
from monitor import statistics

NOMINAL = 0.05
BAR = 0.08
"""300 panels of a true 5 % go so far by chance."""
SIZES = ((50, 3), (100, 3))
PANELS = 300
VOLUME = 1.8
GAIN = 0.12
"""Power of a family's popularity by which its odds grow: the leaders gain."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each test spoke, over the panels of one setting."""

    concentration: float
    stability: float
    effective: float
    """Mean change of effective sources, as a part of the larger."""


def run() -> Outcome:
    """A table of all engines and sizes; the bar holds the false alarms of concentration."""
    rows, quiet = [], []
    for engine in ENGINES:
        for prompts, repeats in SIZES:
            still, more, gained = (
                rates(engine, prompts, repeats, volume=volume, gain=gain)
                for volume, gain in ((1.0, 0.0), (VOLUME, 0.0), (1.0, GAIN))
            )
            quiet += [still.concentration, more.concentration]
            rows.append(
                (
                    engine.name, f"{prompts}x{repeats}",
                    *(f"{100 * one.concentration:.1f}" for one in (still, more, gained)),
                    f"{100 * gained.effective:+.0f}",
                    *(f"{100 * one.stability:.1f}" for one in (still, more)),
                )
            )  # fmt: skip
    head = (
        "engine", "size", "concentration: quiet", f"{VOLUME:g}x citations", "leaders gain",
        "effective sources then, %", "stability: quiet", f"{VOLUME:g}x citations",
    )  # fmt: skip
    title = f"% of {PANELS} panels a cell in which the test speaks, nominal {100 * NOMINAL:.0f} %"
    return Outcome(
        (title,),
        (
            Ratio(
                "most false alarms of concentration in a cell",
                100 * max(quiet),
                100 * BAR,
                unit=" %",
            ),
            Ratio("mean of them", 100 * float(np.mean(quiet)), 100 * NOMINAL + 0.5, unit=" %"),
        ),
        table(title + ".", head, rows),
    )


def rates(engine: EngineKind, prompts: int, repeats: int, *, volume: float, gain: float) -> Rates:
    """Both tests on so many panels of one setting."""
    spoke, moved, apart = [], [], []
    for number in range(PANELS):
        rng = generator("nonratios", engine.name, prompts, repeats, volume, gain, number)
        lasting = topic(rng, engine, popularity(), prompts)
        later = _gained(lasting, gain)
        before = month(rng, engine, lasting, repeats).counts
        after = month(rng, engine, later, repeats, volume=volume).counts
        change = statistics.cross_prompt_change(before.mean(axis=1), after.mean(axis=1))
        if isinstance(change, statistics.HhiChange):
            spoke.append(change.p_value <= NOMINAL)
            moved.append(1 / max(change.ratio, 1) - 1 / max(1 / change.ratio, 1))
        one = np.ones(prompts)
        found = statistics.resampled_difference(
            (repeat_overlap(before), one), (repeat_overlap(after), one),
            statistics.ClusterDraws(prompts, number),
        )  # fmt: skip
        apart.append(not found.interval.low <= 0 <= found.interval.high)
    return Rates(float(np.mean(spoke)), float(np.mean(apart)), float(np.mean(moved)))


def _gained(given: Topic, gain: float) -> Topic:
    """Odds of every family times a power of its popularity."""
    return weighted(given, popularity() ** gain) if gain else given


def repeat_overlap(counts: Counts) -> Floats:
    """Mean Jaccard of the repeats of each prompt, prompts x repeats x families in."""
    cited = counts > 0
    pairs = combinations(range(cited.shape[1]), 2)
    overlaps = [
        (cited[:, i] & cited[:, j]).sum(axis=1) / (cited[:, i] | cited[:, j]).sum(axis=1)
        for i, j in pairs
    ]
    means: Floats = np.mean(overlaps, axis=0)
    return means
