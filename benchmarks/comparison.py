"""Two runs compared: whether a hundred times as many citations take a hundred times as long.

Matching, per-answer means, paired tests, false discovery rate, concentration and overlaps of one
engine: prompts grow, families stay. Tallies are made before the clock starts.
"""

from benchmarks.figures import Outcome, Ratio, busy_seconds, peak_mib
from benchmarks.permutation import one_thread
from monitor.domain.score import Rate, Tally

REPEATS, CITATIONS, FAMILIES = 5, 10, 200
FEW, MANY = 10_000, 1_000_000
BAR = 1.0
_MEASURES = ("source_precision", "required_source_recall", "citation_recall", "uncited_claims")


def run() -> Outcome:
    """Growth of the CPU time with the number of citations of both runs."""
    one_thread()
    _took(FEW)
    small = min(_took(FEW) for _ in range(5))
    large = _took(MANY)
    return Outcome(
        (
            f"two runs, {REPEATS} repeats, {CITATIONS} citations an answer, {FAMILIES} families",
            f"{FEW:,} citations: {small:.3f} s of CPU",
            f"{MANY:,} citations: {large:.2f} s of CPU; {peak_mib():.0f} MiB, tallies and all",
        ),
        (Ratio("CPU time against linear growth", large / (small * MANY / FEW), BAR),),
    )


def _took(citations: int) -> float:
    """CPU seconds to compare two runs with so many citations together."""
    from monitor.changes import compare  # brings numpy, on one thread by now

    prompts = citations // (2 * REPEATS * CITATIONS)
    sides = [_run(prompts, month) for month in (1, 2)]
    return busy_seconds(
        lambda: compare(*sides, engine="oak", panel_version="bench@1", before_id="A", after_id="B")
    )


def _run(prompts: int, month: int) -> list[Tally]:
    """One run's tallies; what a prompt cites leans on its number, and scatters."""
    import numpy as np  # on one thread by now

    rng = np.random.default_rng(month)
    popularity = 1 / (np.arange(FAMILIES) + 2.0)
    chosen = rng.choice(FAMILIES, (prompts, REPEATS, CITATIONS), p=popularity / popularity.sum())
    chosen[:, :, ::2] = (np.arange(prompts) % FAMILIES)[:, None, None] // 3
    measures = {name: Rate(6, CITATIONS) for name in _MEASURES}
    tallies = []
    for prompt in range(prompts):
        for repeat in range(REPEATS):
            names, counts = np.unique(chosen[prompt, repeat], return_counts=True)
            families = {f"f{n}.example": int(c) for n, c in zip(names, counts, strict=True)}
            tallies.append(Tally(f"p{prompt}", repeat, measures, families=families))
    return tallies
