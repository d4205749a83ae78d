"""What one verdict is worth: the only place where support classes become numbers."""

from collections.abc import Iterable

from monitor.domain.assessment import CitedPage, PartialPolicy
from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Rate

PENDING = Verdict(Support.NOT_ASSESSABLE, (NotAssessable.PENDING.value,))
"""Stands for a verdict that nobody has given yet."""


def not_assessable(reason: str, count: float = 1) -> Rate:
    """Nothing assessed, `count` not assessable for one reason; nothing at all for 0."""
    return Rate(0, 0, {reason: count} if count else {})


def strict(verdict: Verdict) -> Rate:
    """Entailed or not: full is a hit, all other assessed classes are misses."""
    if verdict.reason is not None:
        return not_assessable(verdict.reason)
    return Rate(int(verdict.support is Support.FULL), 1)


def credited(verdict: Verdict, partial: PartialPolicy) -> Rate:
    """Support with partial counted as the policy says; `split` leaves partial disputed."""
    if verdict.support is not Support.PARTIAL or partial is PartialPolicy.NONE:
        return strict(verdict)
    if partial is PartialPolicy.SPLIT:
        return not_assessable(NotAssessable.DISPUTED.value)
    return Rate(0.5, 1)


def joint_verdict(joint: Verdict | None, pages: Iterable[CitedPage]) -> Verdict:
    """Verdict of pages read together, honest about pages that nobody could read.

    Full stands where the readable pages suffice. Otherwise an unreadable page could hold what
    is missing: not_assessable with the first such page's reason.
    """
    if joint is not None and joint.support is Support.FULL:
        return joint
    unreadable = next((page for page in pages if not page.readable), None)
    if unreadable is not None:
        return Verdict(Support.NOT_ASSESSABLE, (unreadable.unreadable_reason,))
    return joint or PENDING
