"""How far engines, months or repeats cite the same families, prompt by prompt.

Repeats are never united silently: two samples of a prompt overlap by the mean over all pairs of
their answers. Unresolved citations belong to no family and are left out.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from monitor import statistics
from monitor.domain.assessment import AssessedCapture
from monitor.domain.score import UNRESOLVED_FAMILY, Tally
from monitor.scoring.shares import by_prompt, pooled_families


def family_overlap(a: Sequence[Tally], b: Sequence[Tally]) -> statistics.Overlap:
    """Mean over common prompts of the Jaccard overlap of two engines' or months' families."""
    left, right = by_prompt(a), by_prompt(b)
    return statistics.mean_overlap(
        statistics.pairs_overlap(product(_sets(left[prompt]), _sets(right[prompt])))
        for prompt in left
        if prompt in right
    )


def repeat_overlap(tallies: Sequence[Tally]) -> statistics.Overlap:
    """Mean over prompts of the overlap between repeats; single answers have none."""
    return statistics.mean_overlap(
        statistics.pairs_overlap(combinations(_sets(repeats), 2))
        for repeats in by_prompt(tallies).values()
        if len(repeats) > 1
    )


def _sets(answers: Sequence[Tally]) -> tuple[frozenset[str], ...]:
    """Families of each answer."""
    return tuple(tally.cited_families for tally in answers)


def panel_wide_overlap(a: Sequence[Tally], b: Sequence[Tally]) -> float | None:
    """Jaccard of all families cited anywhere in two samples; not a mean over prompts."""
    left, right = set(pooled_families(a)), set(pooled_families(b))
    return statistics.jaccard(left - {UNRESOLVED_FAMILY}, right - {UNRESOLVED_FAMILY})


def shared_families(samples: Mapping[str, Sequence[Tally]]) -> Mapping[str, tuple[str, ...]]:
    """Family -> engines that cite it, for families cited by at least two engines."""
    return _shared({engine: set(pooled_families(tallies)) for engine, tallies in samples.items()})


def shared_groups(
    samples: Mapping[str, Sequence[AssessedCapture]],
) -> Mapping[str, tuple[str, ...]]:
    """Evidence group -> engines that cite it, for groups cited by at least two engines."""
    return _shared(
        {
            engine: {page.group for capture in captures for page in capture.pages}
            for engine, captures in samples.items()
        }
    )


def _shared(cited: Mapping[str, set[str]]) -> Mapping[str, tuple[str, ...]]:
    """Key -> sorted owners, for keys with at least two owners."""
    keys = sorted(set().union(*cited.values()) - {UNRESOLVED_FAMILY})
    owners = {key: tuple(sorted(e for e, held in cited.items() if key in held)) for key in keys}
    return {key: engines for key, engines in owners.items() if len(engines) > 1}
