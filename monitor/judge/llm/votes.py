"""The verdict of one vote or of several: the label that most of them give."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from monitor.domain.claim import NotAssessable, Support, Verdict, Votes
from monitor.judge.llm.evidence import Dossier
from monitor.judge.llm.forms import Fault
from monitor.judge.llm.replies import Opinion

INJECTION = "injection_suspected"
"""Reason of a verdict whose claim or evidence speaks to a judge."""
UNCLEAR = "unclear"
"""The one label of a model that is no support class."""


def is_settled(opinions: Sequence[Opinion], *, left: int, total: int) -> bool:
    """Whether the votes that are left can change nothing."""
    if 2 * (len(opinions) + left) <= total:
        return True
    counts = [count for _, count in Counter(one.label for one in opinions).most_common(2)]
    first, second = [*counts, 0, 0][:2]
    return 2 * len(opinions) > total and first > second + left


def failed(fault: Fault, about: Dossier) -> Verdict:
    """A question that no vote answered in a usable way, and what was wrong with the first."""
    why = (fault.word, fault.mismatch) if fault.mismatch else (fault.word,)
    reasons = (NotAssessable.JUDGE_ERROR.value, *why, *_flags(about))
    return Verdict(Support.NOT_ASSESSABLE, reasons)


def _flags(about: Dossier) -> tuple[str, ...]:
    return (INJECTION,) if about.flagged else ()


def settled(opinions: Sequence[Opinion], about: Dossier, *, voted: bool) -> Verdict:
    """The verdict of usable votes: the label that most of them give."""
    counts = Counter(one.label for one in opinions).most_common(2)
    label, agreeing = counts[0]
    votes = Votes(agreeing, len(opinions)) if voted else None
    scores = [one.score for one in opinions if one.score is not None]
    score = round(sum(scores) / len(scores), 4) if scores else None
    if len(counts) > 1 and counts[1][1] == agreeing:
        tied = tuple(f"vote: {one.label}" for one in opinions)
        reasons = (NotAssessable.DISPUTED.value, *tied, *_flags(about))
        return Verdict(Support.NOT_ASSESSABLE, reasons, score, votes=votes)
    return replace(_of(label, opinions, about), score=score, votes=votes)


def _of(label: str, opinions: Sequence[Opinion], about: Dossier) -> Verdict:
    """The verdict of a label, with the quote and the gaps of the first vote that gave it."""
    one = next(found for found in opinions if found.label == label)
    said = (*((one.why,) if one.why else ()), *_flags(about))
    if label == UNCLEAR:
        return Verdict(Support.NOT_ASSESSABLE, (NotAssessable.JUDGE_UNCLEAR.value, *said))
    if one.evidence is None or one.span is None:
        return Verdict(Support(label), said, gaps=one.gaps)
    start, end = one.span
    return Verdict(
        Support(label),
        said,
        quote=about.evidence[one.evidence][start:end],
        quote_span=one.span,
        evidence=one.evidence,
        gaps=one.gaps,
    )
