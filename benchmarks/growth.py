"""Whether ten times as many answers take ten times as long."""

from collections.abc import Callable

from benchmarks.answers import CITATIONS
from benchmarks.figures import Outcome, Ratio

WARM, FEW, MANY = 200, 1_000, 10_000
TURNS = 2
BAR = 1.1
"""Linear growth is 1; the rest is noise."""


def growth(what: str, took: Callable[[int], float]) -> Outcome:
    """Growth from a thousand answers to ten thousand, each in a store of its own.

    `took` gives the CPU seconds of a number of answers. A warm-up loads all code first; then both
    numbers are measured in turns, equally often, and the best of each counts: single turns differ
    by 5 % and more on a quiet machine.
    """
    took(WARM)
    turns = [(took(FEW), took(MANY)) for _ in range(TURNS)]
    small, large = (min(seconds) for seconds in zip(*turns, strict=True))
    name = f"CPU time for {MANY} over {MANY // FEW} times that for {FEW}"
    return Outcome(
        (
            f"answers with {CITATIONS} citations each, {what}",
            f"{FEW} answers: {small:.2f} s of CPU, {FEW / small:.0f} answers/s",
            f"{MANY} answers: {large:.2f} s of CPU, {MANY / large:.0f} answers/s",
        ),
        (Ratio(name, large / (small * MANY / FEW), BAR),),
    )
