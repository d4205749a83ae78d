"""Overlap of sets of families or evidence groups, prompt by prompt."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overlap:
    """Mean Jaccard overlap over prompts, and how many prompts it rests on."""

    mean: float | None
    """None where no prompt has a defined overlap."""
    prompts: int
    undefined: int
    """Prompts where both sides are empty: nothing to overlap."""


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float | None:
    """Common members / all members (Jaccard 1901); None when both sets are empty."""
    both = len(a & b)
    union = len(a) + len(b) - both
    return both / union if union else None


def mean_or_none(values: Iterable[float | None]) -> float | None:
    """Mean of the defined values; None where none is defined."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def pairs_overlap(
    pairs: Iterable[tuple[AbstractSet[str], AbstractSet[str]]],
) -> float | None:
    """Mean Jaccard over pairs of answers; None where every pair is empty on both sides."""
    return mean_or_none(jaccard(a, b) for a, b in pairs)


def mean_overlap(per_prompt: Iterable[float | None]) -> Overlap:
    """Mean over prompts of each prompt's overlap; None entries are counted beside it."""
    values = tuple(per_prompt)
    known = sum(value is not None for value in values)
    return Overlap(mean_or_none(values), known, len(values) - known)
