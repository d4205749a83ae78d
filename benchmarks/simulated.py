"""Made-up months of one engine's citations, seeded: the one generator of every simulation.

Families are Zipf-Mandelbrot popular. A prompt leans on some of them (Dirichlet around the
popularity, the same in all months); a month drifts around the lean, without direction; an answer
varies around the month. The number of citations is gamma-Poisson around a mean of the prompt's own.
Three engines differ in how strong the three are; they are calibrated to published volatility of
sources (26.7 % overlap of domains between two runs of a day; 34-42 % on consecutive days; 40-60 %
of cited sites new each month), not to captures of ours.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from monitor.domain.score import Tally, Undefined, UndefinedReason

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Heard = NDArray[np.bool_]

FAMILIES = 200
EXPONENT, SHIFT = 1.1, 1.0
"""Of the popularity 1 / (rank + shift)^exponent (Mandelbrot 1953): 13, 8 and 6 % lead."""
LEAST, MOST = 3, 12
"""Citations of an answer."""
MEAN_LEAST, MEAN_MOST = 4.0, 10.0
"""Mean citations of a prompt's answers."""
GAMMA_SHAPE = 8.0
"""Of the number of citations around the prompt's mean."""
DRIFT = (0.10, 0.10, 0.10, 0.12, 0.14, 0.16)
"""Share of a family that rises slowly, month by month."""
SEED = 20_260
_FAINT = 1e-9
"""Least parameter of a Dirichlet: a family that a prompt never leans on."""


@dataclass(frozen=True, slots=True)
class EngineKind:
    """How much an engine's prompts, months and answers differ: the less, the larger."""

    name: str
    prompt: float
    month: float
    answer: float


ENGINES = (
    EngineKind("base", 10, 20, 8),
    EngineKind("strongprompt", 3, 30, 12),
    EngineKind("highdrift", 6, 6, 6),
)


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """What lasts over all months of one or more panels."""

    lean: Floats
    """Shares of the families for every prompt: ... x prompts x families."""
    volume: Floats
    """Mean citations of an answer: ... x prompts."""


@dataclass(frozen=True, slots=True, eq=False)
class Month:
    """Answers of one month."""

    counts: Counts
    """Citations: ... x prompts x repeats x families."""
    heard: Heard
    """Whether the answer was captured: ... x prompts x repeats."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One family in two months, prompts x copies: means per answer, and raw sums."""

    x: tuple[Floats, Floats]
    n: tuple[Floats, Floats]
    raw_x: tuple[Floats, Floats]
    raw_n: tuple[Floats, Floats]


def generator(*names: object) -> np.random.Generator:
    """A generator whose seed is made of names: the same on every machine and in any order."""
    words = "|".join(str(name) for name in names).encode()
    return np.random.default_rng([SEED, *words])


def popularity(families: int = FAMILIES) -> Floats:
    """Shares of all families, largest first."""
    weights = 1 / (np.arange(1, families + 1) + SHIFT) ** EXPONENT
    shares: Floats = weights / weights.sum()
    return shares


def one_family(share: float) -> Floats:
    """A family of such a share, and everybody else as one: a Dirichlet's parts may be joined."""
    return np.array([share, 1 - share])


def beside_one(share: float) -> Floats:
    """One family of such a share, and the usual crowd beside it."""
    crowd = popularity()[1:]
    return np.concatenate([[share], (1 - share) * crowd / crowd.sum()])


def moved_first(engine: EngineKind, given: Topic, before: float, after: float) -> Topic:
    """The first family's mean moved from one share to another, by its odds in every prompt."""
    if before == after:
        return given
    weights = np.ones(given.lean.shape[-1])
    weights[0] = odds_of(engine, before, after)
    return weighted(given, weights)


def topic(
    rng: np.random.Generator,
    engine: EngineKind,
    shares: Floats,
    prompts: int,
    copies: tuple[int, ...] = (),
) -> Topic:
    """Leans and volumes of the prompts of a panel, or of so many panels at once."""
    shape = (*copies, prompts)
    lean = _dirichlet(rng, np.broadcast_to(engine.prompt * shares, (*shape, len(shares))))
    return Topic(lean, rng.uniform(MEAN_LEAST, MEAN_MOST, shape))


def month(
    rng: np.random.Generator,
    engine: EngineKind,
    given: Topic,
    repeats: int,
    *,
    volume: float = 1.0,
    heard: Heard | None = None,
) -> Month:
    """One month of answers; with another `volume` the engine cites so many times as much."""
    drifted = _dirichlet(rng, engine.month * given.lean)
    several = np.repeat(drifted[..., None, :], repeats, axis=-2)
    answers = _dirichlet(rng, engine.answer * several)
    means = np.repeat(given.volume[..., None], repeats, axis=-1)
    rates = rng.gamma(GAMMA_SHAPE, volume * means / GAMMA_SHAPE)
    totals = np.clip(rng.poisson(rates), round(LEAST * volume), round(MOST * volume))
    counts = rng.multinomial(totals, answers)
    return Month(counts, np.ones(totals.shape, dtype=np.bool_) if heard is None else heard)


def _dirichlet(rng: np.random.Generator, strength: Floats) -> Floats:
    """Shares around `strength`, along its last axis, from independent gammas."""
    drawn = rng.standard_gamma(np.maximum(strength, _FAINT))
    shares: Floats = drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300)
    return shares


def weighted(given: Topic, weights: Floats) -> Topic:
    """A change of odds in all prompts: every family's lean times its weight, made to sum to 1."""
    lean = given.lean * weights
    return Topic(lean / lean.sum(axis=-1, keepdims=True), given.volume)


@lru_cache(maxsize=64)
def odds_of(engine: EngineKind, before: float, after: float) -> float:
    """Factor on the odds in every prompt that moves a family's mean share from one to another."""
    rng = generator("odds", engine.name, before, after)
    lean = topic(rng, engine, one_family(before), 200_000).lean[:, 0]
    lean = np.clip(lean, 1e-12, 1 - 1e-12)
    low, high = 1e-3, 1e3
    for _ in range(60):
        factor = (low * high) ** 0.5
        if (factor * lean / (1 - lean + factor * lean)).mean() < after:
            low = factor
        else:
            high = factor
    return float(factor)


def jumped(
    rng: np.random.Generator, given: Topic, before: float, after: float, part: float = 0.3
) -> Topic:
    """The first family's mean rises so far through a jump in a part of the prompts alone."""
    step = (after - before) / (part * (1 - before))
    hit = rng.random(given.volume.shape) < part
    lean = given.lean.copy()
    lean[hit] *= 1 - step
    lean[hit, 0] += step
    return Topic(lean, given.volume)


def jitter(rng: np.random.Generator, families: int, size: float = 0.1) -> Floats:
    """Weights that move every family a little, in no direction."""
    weights: Floats = np.exp(size * rng.standard_normal(families))
    return weights


def lost_where_strong(
    rng: np.random.Generator, given: Topic, repeats: int, *, top: float = 0.2, lost: float = 0.6
) -> Heard:
    """Answers captured where most are lost on the prompts that lean most on the first family."""
    lean = given.lean[..., 0]
    strong = lean >= np.quantile(lean, 1 - top, axis=-1, keepdims=True)
    kept: Heard = ~(strong[..., None] & (rng.random((*strong.shape, repeats)) < lost))
    return kept


def pair(before: Month, after: Month) -> Pair:
    """The first family of two months; prompts unheard in one of them count nothing in both."""
    answers = [one.heard.sum(axis=-1) for one in (before, after)]
    matched = (answers[0] > 0) & (answers[1] > 0)
    x: list[Floats] = []
    n: list[Floats] = []
    raw_x: list[Floats] = []
    raw_n: list[Floats] = []
    for one, heard in zip((before, after), answers, strict=True):
        own = (one.counts[..., 0] * one.heard).sum(axis=-1) * matched
        every = (one.counts.sum(axis=-1) * one.heard).sum(axis=-1) * matched
        each = np.maximum(heard, 1)
        for kept, values in ((x, own / each), (n, every / each), (raw_x, own), (raw_n, every)):
            kept.append(np.ascontiguousarray(values.T, dtype=np.float64))
    return Pair(*((one[0], one[1]) for one in (x, n, raw_x, raw_n)))


def cite_rates(rng: np.random.Generator, strength: float, rates: Floats) -> Floats:
    """Rates that differ around given ones, each by itself: a beta of such a strength."""
    pairs = np.stack([rates, 1 - rates], axis=-1)
    return _dirichlet(rng, strength * pairs)[..., 0]


def family_tallies(given: Month) -> list[Tally]:
    """One panel's heard answers as tallies of their families; unheard ones as unanswered."""
    absent = {"source_precision": Undefined(UndefinedReason.NO_ANSWERED)}
    return [
        Tally(prompt_name(prompt), repeat, {}, families=ranked(counts))
        if given.heard[prompt, repeat]
        else Tally(prompt_name(prompt), repeat, absent)
        for prompt, answers in enumerate(given.counts)
        for repeat, counts in enumerate(answers)
    ]


def prompt_name(number: int) -> str:
    """Prompt id of a number."""
    return f"prompt-{number:03}"


def family_name(rank: int) -> str:
    """Family of a rank, counted from 0."""
    return f"family-{rank:03}"


def ranked(counts: Counts) -> dict[str, int]:
    """Cited families by name."""
    return {family_name(int(rank)): int(counts[rank]) for rank in np.flatnonzero(counts)}
