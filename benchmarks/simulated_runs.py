"""Made-up runs of one engine as the comparison gets them: families, measures, required sources.

Measures cluster as citations do: a prompt has a rate of its own, a month drifts around it, an answer
varies around the month. Required sources are cited nearly always, often, or rarely.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.simulated import (
    DRIFT,
    EngineKind,
    Floats,
    Heard,
    Month,
    Topic,
    beside_one,
    cite_rates,
    generator,
    month,
    moved_first,
    one_family,
    popularity,
    prompt_name,
    ranked,
    topic,
)
from monitor.domain.sample import Sample
from monitor.domain.score import Coverage, Rate, Tally

MEASURES: Mapping[str, tuple[float, float]] = {
    "source_precision": (0.55, 1.0),
    "citation_precision": (0.75, 1.0),
    "citation_recall": (0.60, 1.0),
    "claim_evidence_recall": (0.50, 0.5),
    "contradiction_rate": (0.03, 0.7),
}
"""Level, and how much of it is counted in an answer (1: 3 to 12)."""
REQUIRED = (0.95, 0.6, 0.15)
"""Rates of a prompt's required sources; a prompt has the first one, two or three of them."""
RECALL = "required_source_recall"


@dataclass(frozen=True, slots=True, eq=False)
class Lasting:
    """What is the same in all months of a series."""

    families: Topic
    measures: Mapping[str, Topic]
    required: Floats
    """Rate of every required source, prompts x 3."""
    many: np.ndarray[tuple[int], np.dtype[np.int64]]
    """Required sources of every prompt."""


def lasting(rng: np.random.Generator, engine: EngineKind, prompts: int, shares: Floats) -> Lasting:
    """Prompts of one series, over families of such shares."""
    return Lasting(
        topic(rng, engine, shares, prompts),
        {name: topic(rng, engine, one_family(at), prompts) for name, (at, _) in MEASURES.items()},
        cite_rates(rng, engine.prompt, np.tile(REQUIRED, (prompts, 1))),
        rng.integers(1, len(REQUIRED) + 1, prompts),
    )


def series(engine: EngineKind, seed: int, size: tuple[int, int], months: int) -> Iterator[Sample]:
    """Month after month of one engine in which nothing changes."""
    rng = generator("series", engine, seed, size)
    given = lasting(rng, engine, size[0], popularity())
    for number in range(months):
        yield _sample(rng, engine, given, size, number)


def drifting(engine: EngineKind, seed: int, size: tuple[int, int]) -> Iterator[Sample]:
    """Months in which nothing changes but the first family's share, which rises slowly."""
    rng = generator("drifting", engine, seed, size)
    given = lasting(rng, engine, size[0], beside_one(DRIFT[0]))
    for number, share in enumerate(DRIFT):
        moved = moved_first(engine, given.families, DRIFT[0], share)
        yield _sample(rng, engine, replace(given, families=moved), size, number)


def _sample(
    rng: np.random.Generator, engine: EngineKind, given: Lasting, size: tuple[int, int], number: int
) -> Sample:
    """One month as a sample."""
    prompts, repeats = size
    run = f"run-{number:02}"
    families = month(rng, engine, given.families, repeats)
    measures = {
        name: month(rng, engine, given.measures[name], repeats, volume=volume)
        for name, (_, volume) in MEASURES.items()
    }
    rates = cite_rates(rng, engine.month, given.required)
    cited = rng.random((prompts, repeats, len(REQUIRED))) < rates[:, None, :]
    first = number * prompts * repeats
    tallies = {}
    for place in range(prompts * repeats):
        prompt, repeat = divmod(place, repeats)
        sources = cited[prompt, repeat, : given.many[prompt]]
        tallies[first + place] = _tally((prompt, repeat), families, measures, sources)
    planned = prompts * repeats
    return Sample(
        engine=engine.name,
        runs=(run,),
        tallies=tallies,
        run_of=dict.fromkeys(tallies, run),
        versions={key: one.prompt_id for key, one in tallies.items()},
        coverage=Coverage(planned, planned, planned, planned, {"answered": planned}),
    )


def _tally(
    place: tuple[int, int], families: Month, measures: Mapping[str, Month], cited: Heard
) -> Tally:
    """One answer."""
    prompt = prompt_name(place[0])
    counted: dict[str, Rate] = {
        name: Rate(float(one.counts[place][0]), float(one.counts[place].sum()))
        for name, one in measures.items()
    }
    counted[RECALL] = Rate(float(cited.sum()), float(len(cited)))
    return Tally(
        prompt,
        place[1],
        counted,
        families=ranked(families.counts[place]),
        required={
            f"https://{prompt}.example.org/{n}": Rate(float(one), 1.0)
            for n, one in enumerate(cited)
        },
    )
