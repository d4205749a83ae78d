"""The swap permutation against nothing but its matrix products, on one thread.

A month of 1,000 answers: 200 prompts x 5 repeats, 200 source families, 9,999 swaps. Ours draws the
signs, multiplies, compares and counts, and adds shares, errors and intervals.
"""

import os
import tracemalloc
from collections.abc import Callable

from benchmarks.figures import Outcome, Ratio, busy_seconds

PROMPTS, REPEATS, FAMILIES, SWAPS = 200, 5, 200, 9_999
ROUNDS = 9
BAR = 2.0
_THREADS = ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "BLIS")


def run() -> Outcome:
    """CPU time of the whole test over that of its two products."""
    one_thread()
    import numpy as np  # reads the number of threads as it starts

    from monitor.statistics import paired_change  # brings numpy

    rng = np.random.default_rng(20_26)
    popularity = 1 / (np.arange(FAMILIES) + 2.0)
    lean = rng.dirichlet(8 * popularity, PROMPTS)
    x = rng.poisson(6.8 * lean, (2, REPEATS, PROMPTS, FAMILIES)).mean(axis=1)
    n = x.sum(axis=2)
    signs = 2.0 * rng.integers(0, 2, (SWAPS, PROMPTS)) - 1
    steps, totals = x[1] - x[0], (n[1] - n[0])[:, None]

    def bare() -> None:
        signs @ steps
        signs @ totals

    def ours() -> None:
        paired_change(x[0], n[0], x[1], n[1], seed=1, resamples=SWAPS)

    least = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        least = [min(b, busy_seconds(work)) for b, work in zip(least, (bare, ours), strict=True)]
    size = f"{PROMPTS} prompts x {REPEATS} answers, {FAMILIES} families, {SWAPS} swaps"
    return Outcome(
        (
            f"{size}, one thread, least of {ROUNDS}",
            f"bare products: {least[0] * 1000:.1f} ms of CPU, {_held(bare):.0f} MiB",
            f"paired_change: {least[1] * 1000:.1f} ms of CPU, {_held(ours):.0f} MiB",
        ),
        (Ratio("paired_change over its bare products", least[1] / least[0], BAR),),
    )


def one_thread() -> None:
    """Let numpy multiply on one thread; must be called before anything imports it."""
    os.environ.update({f"{name}_NUM_THREADS": "1" for name in _THREADS})


def _held(work: Callable[[], object]) -> float:
    """Most memory that one call holds at a time, in MiB."""
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20
