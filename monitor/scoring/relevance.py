"""Weighted source precision: how relevant each visible citation is, in [0, 1]."""

from collections.abc import Sequence

from monitor.domain.assessment import AssessedCapture, CitedPage, Policy
from monitor.domain.baseline import BaselineSource, PromptBaseline, Relevance
from monitor.domain.score import Measured, Rate
from monitor.domain.source import Grade
from monitor.scoring.citations import page_support
from monitor.scoring.credit import credited
from monitor.scoring.sources import NO_VISIBLE, best_match, ungraded_reason

GRADE_ALONE = {
    Grade.REQUIRED: 1.0,
    Grade.ACCEPTABLE: 1.0,
    Grade.OPTIONAL: 0.5,
    Grade.OUT_OF_SCOPE: 0.0,
}
"""Relevance of a page whose baseline source records no part of it."""


def weighted_source_precision(
    capture: AssessedCapture, baseline: PromptBaseline, policy: Policy
) -> Measured:
    """Sum of relevance / visible citations graded; ungraded ones count 0 and 1 in the bounds."""
    if not capture.pages:
        return NO_VISIBLE
    parts = (_weighed(capture, index, baseline, policy) for index in range(len(capture.pages)))
    return sum(parts, Rate(0, 0))


def _weighed(
    capture: AssessedCapture, index: int, baseline: PromptBaseline, policy: Policy
) -> Rate:
    """One page: its relevance of 1, or not assessable."""
    page: CitedPage = capture.pages[index]
    source = best_match(page, baseline.sources)
    if source is None or source.grade is Grade.UNGRADED:
        return Rate(0, 0, {ungraded_reason(page): 1})
    return Rate(relevance(capture, index, source, policy), 1)


def relevance(
    capture: AssessedCapture, index: int, source: BaselineSource, policy: Policy
) -> float:
    """Relevance of one page in [0, 1]: 0 out of scope, the grade alone, or a weighted mean.

    The mean is over the recorded parts (freshness only where the prompt says it matters) and
    support, the mean credit of what the answer cites the page for.
    """
    freshness_matters = capture.prompt.freshness_matters
    parts = _recorded(source.relevance, policy, freshness_matters=freshness_matters)
    if source.grade is Grade.OUT_OF_SCOPE or not parts:
        return GRADE_ALONE[source.grade]
    support = sum(
        (credited(v, policy.partial) for v in page_support(capture, index)), Rate(0, 0)
    ).value
    if support is not None:
        parts = [*parts, (support, policy.relevance.support)]
    weight = sum(w for _, w in parts)
    return sum(v * w for v, w in parts) / weight if weight else GRADE_ALONE[source.grade]


def _recorded(
    recorded: Relevance | None, policy: Policy, *, freshness_matters: bool
) -> Sequence[tuple[float, float]]:
    """(value, weight) of the recorded parts that apply to the prompt."""
    if recorded is None:
        return []
    weights = policy.relevance
    freshness = recorded.freshness if freshness_matters else None
    parts = (
        (recorded.topical_fit, weights.topical_fit),
        (recorded.authority, weights.authority),
        (freshness, weights.freshness),
    )
    return [(value, weight) for value, weight in parts if value is not None]
