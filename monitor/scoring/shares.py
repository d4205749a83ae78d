"""Who is cited: counts per family and per evidence group, shares, concentration."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from monitor import statistics
from monitor.domain.assessment import CitedPage
from monitor.domain.score import (
    UNRESOLVED_FAMILY,
    Bounds,
    Concentration,
    FamilyShare,
    Interval,
    Rate,
    Tally,
)
from monitor.scoring.sources import independent_pages

Counts = NDArray[np.float64]

MIN_PROMPTS = 10
"""Samples of fewer prompts print counts without an interval."""


def family_counts(pages: Iterable[CitedPage]) -> Mapping[str, int]:
    """Visible pages per family of one capture; unknown families under UNRESOLVED_FAMILY."""
    return Counter(page.family or UNRESOLVED_FAMILY for page in pages)


def group_counts(pages: Sequence[CitedPage]) -> Mapping[str, int]:
    """Evidence groups per family of one capture, each credited to one family."""
    return family_counts(independent_pages(pages))


def by_prompt(tallies: Iterable[Tally]) -> Mapping[str, tuple[Tally, ...]]:
    """Answered tallies per prompt, prompts in sorted order."""
    prompts: dict[str, list[Tally]] = {}
    for tally in tallies:
        if tally.answered:
            prompts.setdefault(tally.prompt_id, []).append(tally)
    return {prompt: tuple(prompts[prompt]) for prompt in sorted(prompts)}


def pooled_families(tallies: Iterable[Tally], *, independent: bool = False) -> Counter[str]:
    """Citations per family, pooled over answered captures, unresolved ones included."""
    pooled: Counter[str] = Counter()
    for tally in tallies:
        if tally.answered:
            pooled.update(tally.groups if independent else tally.families)
    return pooled


def interval_of(x: Sequence[float], n: Sequence[float]) -> Interval | None:
    """Interval of sum(x) / sum(n) clustered by prompt; None under MIN_PROMPTS prompts."""
    clustered = statistics.clustered_interval(x, n)
    if clustered is None or clustered.clusters < MIN_PROMPTS:
        return None
    return clustered.interval


def family_shares(tallies: Sequence[Tally]) -> tuple[FamilyShare, ...]:
    """Every family's part of all visible citations, largest first, then by name.

    Pooled counts; unresolved citations stay in the denominator, so that the true share lies
    between n_f / N and (n_f + U) / N.
    """
    prompts = tuple(by_prompt(tallies).values())
    pages = [pooled_families(parts) for parts in prompts]
    groups = [pooled_families(parts, independent=True) for parts in prompts]
    families = set().union(*pages) - {UNRESOLVED_FAMILY}
    whole = _Whole(
        tuple(float(p.total()) for p in pages),
        sum(p[UNRESOLVED_FAMILY] for p in pages),
        sum(g.total() for g in groups),
    )
    shares = (_share(family, pages, groups, whole) for family in families)
    return tuple(sorted(shares, key=lambda share: (-share.rate.hits, share.family)))


def uncited_interval(tallies: Sequence[Tally]) -> Interval | None:
    """Interval of the share of a family without a citation; None under MIN_PROMPTS prompts."""
    pages = [pooled_families(parts).total() for parts in by_prompt(tallies).values()]
    return interval_of([0.0] * len(pages), [float(n) for n in pages])


class _Whole(NamedTuple):
    """What all families are part of."""

    pages: tuple[float, ...]
    """Citations of each prompt."""
    unresolved: int
    groups: int
    """Evidence groups over all prompts."""


def _share(
    family: str, pages: Sequence[Counter[str]], groups: Sequence[Counter[str]], whole: _Whole
) -> FamilyShare:
    """One family's share from counts per prompt."""
    x, total = [float(p.get(family, 0)) for p in pages], sum(whole.pages)
    return FamilyShare(
        family,
        Rate(sum(x), total),
        interval_of(x, whole.pages),
        Rate(sum(g.get(family, 0) for g in groups), whole.groups),
        sum(count > 0 for count in x),
        Bounds(sum(x) / total, (sum(x) + whole.unresolved) / total),
    )


def concentration(tallies: Sequence[Tally], *, independent: bool = False) -> Concentration:
    """HHI of the resolved citations, its bounds over unresolved ones, and cross-prompt HHI.

    The plug-in always lies within the bounds; they meet where every family is known.
    """
    prompts = by_prompt(tallies)
    per_prompt = [pooled_families(parts, independent=independent) for parts in prompts.values()]
    pooled = pooled_families(tallies, independent=independent)
    unresolved = pooled.pop(UNRESOLVED_FAMILY, 0)
    families = sorted(pooled)
    hhi = statistics.hhi(pooled.values())
    cross = _cross_prompt(per_prompt, families)
    return Concentration(
        hhi,
        statistics.effective(hhi),
        statistics.hhi_bounds(pooled.values(), unresolved),
        pooled.total() + unresolved,
        len(families),
        cross.value if cross else None,
        cross.interval if cross and len(per_prompt) >= MIN_PROMPTS else None,
    )


def _cross_prompt(
    per_prompt: Sequence[Counter[str]], families: Sequence[str]
) -> statistics.CrossPromptHhi | None:
    """Cross-prompt HHI of the resolved citations."""
    if not families:
        return None
    counts: Counts = np.array([[row[f] for f in families] for row in per_prompt], dtype=np.float64)
    return statistics.cross_prompt_hhi(counts)
