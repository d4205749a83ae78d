"""The whole rule on 200 families at once: eligibility, false discovery rate and least effect.

The shipped rows are the verdicts of `monitor.changes.compare` on tallies, not a copy of its rule. The
others are given the same eligible families, which is a favour to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import rivals
from benchmarks.figures import Outcome, Ratio
from benchmarks.simulated import (
    ENGINES,
    FAMILIES,
    EngineKind,
    Floats,
    Heard,
    family_name,
    family_tallies,
    generator,
    jitter,
    month,
    popularity,
    topic,
    weighted,
)
from benchmarks.spread import spread
from benchmarks.tables import table
from monitor.changes import compare
from monitor.domain.change import Change, ChangeVerdict, Comparison
from monitor.statistics import benjamini_hochberg

PROMPTS, REPEATS = 100, 5
PANELS = 400
ALIKE_PANELS = 20
QUIET, JITTER, FIVE = "quiet", "jitter", "five"
PLANTED: Mapping[int, float] = {0: 1.6, 2: 0.5, 3: 2.0, 6: 2.5, 12: 0.25}
"""Rank of a family -> factor on its odds: shares of 13, 6, 5, 3 and 1.4 %."""
ALPHA = 0.05
SHIPPED, WATCH = "shipped", "watch"
RULES = {
    "z": "two-proportion z + BH",
    "yates": "chi-square with Yates + BH",
    "points20": "threshold only: 1 point and 20 %",
    "points2": "threshold only: 2 points",
    "raw": "swaps, raw 0.05",
    "holm": "swaps + Holm",
    "by": "swaps + Benjamini-Yekutieli",
    "bh": "swaps + BH, no least effect",
    SHIPPED: "**`compare`: changed (shipped)**",
    WATCH: "`compare`: changed or watch",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One engine and what is done to its families."""

    engine: EngineKind
    scenario: str
    panels: int = PANELS


@dataclass(frozen=True, slots=True)
class Told:
    """What one rule told over all panels of a cell, means per panel."""

    false: float
    any_false: float
    found: float
    false_part: float
    """Mean part of what was told that is false; 0 where nothing was told."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Every rule's alerts in a cell, and how many families were eligible."""

    told: Mapping[str, Told]
    eligible: float


def read(cell: Cell) -> Reading:
    """Run all panels of a cell."""
    planted = {family_name(rank) for rank in PLANTED} if cell.scenario == FIVE else set()
    rows: dict[str, list[tuple[int, int]]] = {rule: [] for rule in RULES}
    sizes = []
    for number in range(cell.panels):
        eligible = _tested(compared(cell, number))
        sizes.append(len(eligible))
        for rule, names in called(eligible).items():
            true = len(names & planted)
            rows[rule].append((len(names) - true, true))
    return Reading({rule: _told(pairs) for rule, pairs in rows.items()}, float(np.mean(sizes)))


def _told(pairs: Sequence[tuple[int, int]]) -> Told:
    false = np.array([one for one, _ in pairs])
    true = np.array([one for _, one in pairs])
    return Told(
        float(false.mean()),
        float((false > 0).mean()),
        float(true.mean()),
        float((false / np.maximum(false + true, 1)).mean()),
    )


def compared(cell: Cell, number: int) -> Comparison:
    """Two months of one panel through the whole comparison."""
    rng = generator("families", cell.engine, cell.scenario, number)
    lasting = topic(rng, cell.engine, popularity(), PROMPTS)
    later = weighted(lasting, _weights(rng, cell.scenario))
    months = [month(rng, cell.engine, one, REPEATS) for one in (lasting, later)]
    return compare(
        *(family_tallies(one) for one in months),
        engine=cell.engine.name,
        panel_version="simulated@1",
        before_id=f"{cell.scenario}-{number}-a",
        after_id=f"{cell.scenario}-{number}-b",
    )


def _weights(rng: np.random.Generator, scenario: str) -> Floats:
    weights = np.ones(FAMILIES)
    if scenario == JITTER:
        return jitter(rng, FAMILIES)
    if scenario == FIVE:
        weights[list(PLANTED)] = list(PLANTED.values())
    return weights


def _tested(comparison: Comparison) -> list[Change]:
    """Families that took part in the false discovery rate."""
    return [c for c in comparison.families if c.test is not None and c.test.adjusted is not None]


def called(eligible: Sequence[Change]) -> dict[str, set[str]]:
    """Families that every rule calls changed."""
    names = np.array([one.name for one in eligible])
    sides = [(one.before.pooled, one.after.pooled) for one in eligible]
    whole = rivals.Pooled(
        (np.array([a.hits for a, _ in sides]), np.array([b.hits for _, b in sides])),
        (np.array([a.total for a, _ in sides]), np.array([b.total for _, b in sides])),
    )
    p = np.array([one.test.p_value for one in eligible if one.test])
    adjusted = np.array([one.test.adjusted for one in eligible if one.test], dtype=np.float64)
    changed = np.array([one.verdict is ChangeVerdict.CHANGED for one in eligible])
    watched = np.array([one.verdict is ChangeVerdict.WATCH for one in eligible])
    masks = {
        "z": np.array(benjamini_hochberg(list(rivals.z_test(whole)))) <= ALPHA,
        "yates": np.array(benjamini_hochberg(list(rivals.yates(whole)))) <= ALPHA,
        "points20": rivals.over_threshold(whole, 1, 0.2),
        "points2": rivals.over_threshold(whole, 2),
        "raw": p <= ALPHA,
        "holm": rivals.holm(p) <= ALPHA,
        "by": rivals.by(adjusted) <= ALPHA,
        "bh": adjusted <= ALPHA,
        SHIPPED: changed,
        WATCH: changed | watched,
    }
    return {rule: set(names[mask]) for rule, mask in masks.items()}


def alike(engine: EngineKind) -> tuple[float, float, float]:
    """Mean Jaccard overlap of two answers to a prompt: in one month, across months; and turnover.

    Turnover is the part of a prompt's families of two months that only one of the months has.
    """
    found = []
    for number in range(ALIKE_PANELS):
        rng = generator("alike", engine, number)
        lasting = topic(rng, engine, popularity(), PROMPTS)
        one, other = (month(rng, engine, lasting, 3).counts > 0 for _ in range(2))
        found.append(
            (
                _jaccard(one[:, 0], one[:, 1]),
                _jaccard(one[:, 0], other[:, 0]),
                1 - _jaccard(one.max(axis=1), other.max(axis=1)),
            )
        )
    means = np.mean(found, axis=0)
    return float(means[0]), float(means[1]), float(means[2])


def _jaccard(one: Heard, other: Heard) -> float:
    """Mean over prompts of what two sets share of all they hold."""
    return float(((one & other).sum(axis=-1) / (one | other).sum(axis=-1)).mean())


def _alike_table() -> tuple[str, ...]:
    title = (
        f"**How alike made-up answers are** (families cited; {ALIKE_PANELS} panels of {PROMPTS} "
        "prompts, 3 repeats)"
    )
    head = [
        "engine",
        "overlap of two answers in a month",
        "across months",
        "families of a prompt that only one of two months has",
    ]
    rows = [[e.name, *(f"{100 * part:.0f} %" for part in alike(e))] for e in ENGINES]
    return table(title, head, rows)


def run() -> Outcome:
    """Three engines, three scenarios, every rule."""
    cells = [Cell(engine, scenario) for engine in ENGINES for scenario in (QUIET, JITTER, FIVE)]
    found = dict(zip(cells, spread(read, cells), strict=True))
    lines = (*_alike_table(), *_table(found))
    quiet = [found[Cell(e, QUIET)].told[SHIPPED].false for e in ENGINES]
    rate = [found[Cell(e, FIVE)].told[SHIPPED].false_part for e in ENGINES]
    return Outcome(
        lines,
        (
            Ratio(
                "most false alerts of the shipped rule per quiet panel", max(quiet), 0.1, unit=""
            ),
            Ratio("most false discoveries where five changed", 100 * max(rate), 10, unit="%"),
        ),
        lines,
    )


def _table(found: Mapping[Cell, Reading]) -> tuple[str, ...]:
    eligible = ", ".join(f"{e.name} {found[Cell(e, QUIET)].eligible:.0f}" for e in ENGINES)
    planted = ", ".join(f"x{factor:g}" for factor in PLANTED.values())
    shares = ", ".join(f"{100 * popularity()[rank]:.1f}" for rank in PLANTED)
    title = (
        f"**{FAMILIES} families at once, {PROMPTS} prompts x {REPEATS} repeats** ({PANELS} panels a "
        f"cell; families eligible for a test: {eligible}; false alerts of a panel, mean, and panels "
        "with any; five changed: "
        f"odds {planted} at shares of {shares} %, found of five, and mean part of the alerts that is "
        "false; a mean of 0.05 has a Monte Carlo error of about 0.01)"
    )
    rows = []
    for rule, label in RULES.items():
        cells = []
        for engine in ENGINES:
            told = {s: found[Cell(engine, s)].told[rule] for s in (QUIET, JITTER, FIVE)}
            quiet, moved, five = told[QUIET], told[JITTER], told[FIVE]
            cells += [
                f"{quiet.false:.2f} ({100 * quiet.any_false:.0f} %)",
                f"{moved.false:.2f} ({100 * moved.any_false:.0f} %)",
                f"{five.found:.1f}, {100 * five.false_part:.0f} %",
            ]
        rows.append([label, *cells])
    kinds = ("quiet", "10 % jitter", "five changed")
    return table(title, ["rule", *(f"{e.name}, {kind}" for e in ENGINES for kind in kinds)], rows)
