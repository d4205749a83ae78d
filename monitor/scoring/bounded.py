"""Bounded recall: what recall could be while part of the evidence is not judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from monitor import statistics
from monitor.domain.assessment import AssessedCapture, CitedPage
from monitor.domain.baseline import PromptBaseline
from monitor.domain.engine import Outcome
from monitor.domain.score import Bounds, Rate, Undefined, UndefinedReason
from monitor.domain.source import Grade
from monitor.scoring.shares import interval_of
from monitor.scoring.sources import PRECISE, grade_of

MIN_JUDGED_SHARE = 0.7
"""Below this judged share no point value is shown."""


class Separation(StrEnum):
    """Which of two recalls is higher for certain."""

    A = "a"
    B = "b"
    NOT_SEPARATED = "not separated"


@dataclass(frozen=True, slots=True)
class BoundedRecall:
    """A recall between bounds; the point is None where too little was judged."""

    bounds: Bounds | None
    """None where nothing is required or no relevant page is known."""
    judged_only: float | None
    """Found / judged: lies within the bounds and is labelled so."""
    judged_share: float | None
    widened: Bounds | None = None
    """Bounds with sampling error: low end of the lower's interval, high end of the upper's."""

    @property
    def point(self) -> float | None:
        """The judged-only value, where at least 70 % was judged."""
        share = self.judged_share
        return self.judged_only if share is not None and share >= MIN_JUDGED_SHARE else None


@dataclass(frozen=True, slots=True)
class PoolCounts:
    """One engine's part of the pages that all engines cite for a prompt in a run."""

    relevant_cited: int = 0
    unresolved_cited: int = 0
    relevant_elsewhere: int = 0
    unresolved_elsewhere: int = 0
    irrelevant: int = 0
    """Pages of the pool graded out_of_scope: judged, and no part of the relevant set."""

    def __add__(self, other: "PoolCounts") -> "PoolCounts":
        """Pool counts over prompts."""
        return PoolCounts(
            self.relevant_cited + other.relevant_cited,
            self.unresolved_cited + other.unresolved_cited,
            self.relevant_elsewhere + other.relevant_elsewhere,
            self.unresolved_elsewhere + other.unresolved_elsewhere,
            self.irrelevant + other.irrelevant,
        )

    @property
    def bounds(self) -> Bounds | None:
        """Bounds of this engine's recall; None while no relevant page is known."""
        return statistics.pooled_bounds(
            self.relevant_cited,
            self.unresolved_cited,
            self.relevant_elsewhere,
            self.unresolved_elsewhere,
        )

    @property
    def judged_only(self) -> float | None:
        """Relevant pages cited / relevant pages known."""
        relevant = self.relevant_cited + self.relevant_elsewhere
        return self.relevant_cited / relevant if relevant else None

    @property
    def judged_share(self) -> float | None:
        """Pages of the pool with a grade / pages of the pool."""
        judged = self.relevant_cited + self.relevant_elsewhere + self.irrelevant
        pool = judged + self.unresolved_cited + self.unresolved_elsewhere
        return judged / pool if pool else None


def closed_recall(prompts: Sequence[Rate]) -> BoundedRecall:
    """Bounded recall of a known set, from one rate per prompt (found, judged, unresolved)."""
    total = sum(prompts, Rate(0, 0))
    everything = [rate.total + rate.unresolved for rate in prompts]
    low = [rate.hits for rate in prompts]
    high = [rate.hits + rate.unresolved for rate in prompts]
    widened = _widened((low, everything), (high, everything))
    return BoundedRecall(total.bounds, total.value, total.assessed_share, widened)


def pooled_recall(prompts: Sequence[PoolCounts]) -> BoundedRecall:
    """Visible citation recall of one engine, from its pool counts of every prompt."""
    total = sum(prompts, PoolCounts())
    low = [p.relevant_cited for p in prompts]
    low_n = [p.relevant_cited + p.relevant_elsewhere + p.unresolved_elsewhere for p in prompts]
    high = [p.relevant_cited + p.unresolved_cited for p in prompts]
    high_n = [p.relevant_cited + p.unresolved_cited + p.relevant_elsewhere for p in prompts]
    widened = _widened((low, low_n), (high, high_n)) if total.bounds else None
    return BoundedRecall(total.bounds, total.judged_only, total.judged_share, widened)


_Column = tuple[Sequence[float], Sequence[float]]


def _widened(lower: _Column, upper: _Column) -> Bounds | None:
    """Bounds opened by the sampling intervals of both ends; None without such intervals."""
    low, high = interval_of(*lower), interval_of(*upper)
    return Bounds(low.low, high.high) if low and high else None


def pool(
    captures: Iterable[AssessedCapture], baseline: PromptBaseline | Undefined
) -> Mapping[str, PoolCounts] | Undefined:
    """Engine -> counts, for all engines' captures of one prompt in one run.

    A page counts once for an engine if any answered repeat cites it visibly: the one union over
    repeats. Graded required, acceptable or optional is relevant, ungraded is unresolved. An
    engine without an answered capture is not in the pool.
    """
    if isinstance(baseline, Undefined):
        return baseline
    cited: dict[str, set[str]] = {}
    pages: dict[str, CitedPage] = {}
    for capture in captures:
        if capture.outcome is Outcome.ANSWERED:
            cited.setdefault(capture.engine, set()).update(p.page_key for p in capture.pages)
            pages.update({page.page_key: page for page in capture.pages})
    if not cited:
        return Undefined(UndefinedReason.NO_ANSWERED)
    grades = {key: grade_of(page, baseline.sources) for key, page in pages.items()}
    return {engine: _counts(keys, grades) for engine, keys in sorted(cited.items())}


def _counts(cited: set[str], grades: Mapping[str, Grade]) -> PoolCounts:
    """One engine's counts in a pool of graded pages."""
    relevant = {key for key, grade in grades.items() if grade in PRECISE}
    unresolved = {key for key, grade in grades.items() if grade is Grade.UNGRADED}
    return PoolCounts(
        len(relevant & cited),
        len(unresolved & cited),
        len(relevant - cited),
        len(unresolved - cited),
        len(grades) - len(relevant) - len(unresolved),
    )


def higher_recall(a: BoundedRecall, b: BoundedRecall) -> Separation:
    """Which of two engines has the higher recall for certain, if any.

    Uses the bounds widened by sampling. Without a sampling interval on either side (few
    prompts) nothing is separated.
    """
    if a.widened is None or b.widened is None:
        return Separation.NOT_SEPARATED
    if a.widened.low > b.widened.high:
        return Separation.A
    return Separation.B if b.widened.low > a.widened.high else Separation.NOT_SEPARATED
