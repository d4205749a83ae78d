"""Words for the changes that are no ratio: concentration, and the overlap of repeats."""

from dataclasses import replace

from monitor.changes.concentration import ConcentrationDraft
from monitor.changes.overlaps import OverlapDraft
from monitor.changes.verdicts import by_level, few, shortage
from monitor.domain.change import (
    ROUNDING,
    ChangeRules,
    ChangeVerdict,
    ConcentrationChange,
    ConcentrationTest,
    OverlapChange,
)
from monitor.domain.estimate import NoEstimate

_WHY = {
    NoEstimate.FEW_PROMPTS: "too few prompts cite a family",
    NoEstimate.NO_CITATIONS: "one side cites no family",
    NoEstimate.NO_SHARED_FAMILY: "no two prompts cite the same family",
    NoEstimate.ONE_PROMPT_CARRIES: "without one prompt nothing is left to compare",
    NoEstimate.NO_VARIATION: "all prompts moved alike, which leaves no error",
}
_MORE_FAMILIES = 1.2
"""Families an answer, over those of the other side, from which they are told with an overlap."""


def eligible_p(draft: ConcentrationDraft, rules: ChangeRules) -> float | None:
    """The p value that takes part in the false discovery rate; None where not eligible."""
    return None if draft.test is None or _shortage(draft, rules) else draft.test.p_value


def _shortage(draft: ConcentrationDraft, rules: ChangeRules) -> str:
    return shortage(draft.counted, draft.prompts, rules)


def concentration_change(
    draft: ConcentrationDraft, adjusted: float | None, matched: int, rules: ChangeRules
) -> ConcentrationChange:
    """A change of concentration with its verdict."""
    test = replace(draft.test, adjusted=adjusted) if draft.test else None
    verdict, because = _concentration_verdict(draft, test, matched, rules)
    return ConcentrationChange(
        draft.before, draft.after, test, draft.reason, draft.prompts, verdict, because
    )


def _concentration_verdict(
    draft: ConcentrationDraft, test: ConcentrationTest | None, matched: int, rules: ChangeRules
) -> tuple[ChangeVerdict, str]:
    """The word and why."""
    if need := few(matched, rules):
        return ChangeVerdict.NOT_ENOUGH_DATA, need
    if test is None or test.adjusted is None:
        why = _WHY.get(draft.reason, "") if draft.reason else ""
        return ChangeVerdict.NOT_ENOUGH_DATA, _shortage(draft, rules) or why
    moved = test.effective_change
    small = f"effective sources moved by {abs(moved):.0%}, under {rules.min_relative:.0%}"
    return by_level(
        test.adjusted,
        rules,
        small=small if abs(moved) < rules.min_relative - ROUNDING else "",
        moved=f"effective sources {moved:+.0%} of the larger",
    )


def stability_change(draft: OverlapDraft, rules: ChangeRules) -> OverlapChange:
    """A change of the overlap of repeats with its word, which has no p value behind it."""
    verdict, because = _overlap_verdict(draft, rules)
    return OverlapChange(
        draft.before, draft.after, draft.difference, draft.interval,
        verdict, because + _families_told(draft), draft.reason, draft.dropped,
    )  # fmt: skip


def _overlap_verdict(draft: OverlapDraft, rules: ChangeRules) -> tuple[ChangeVerdict, str]:
    """Changed where the interval leaves out zero and the overlap moved far enough."""
    prompts = draft.before.prompts
    if need := few(prompts, rules, "prompts with repeats that cite on both sides"):
        return ChangeVerdict.NOT_ENOUGH_DATA, need
    if draft.interval is None or draft.difference is None:
        return ChangeVerdict.NOT_ENOUGH_DATA, "no resample of prompts has a value"
    low, high = draft.interval.low, draft.interval.high
    said = f"interval {100 * low:+.1f} to {100 * high:+.1f} points"
    if low <= 0 <= high:
        return ChangeVerdict.NO_CLEAR_CHANGE, f"{said} holds zero"
    if abs(draft.difference) < rules.min_overlap - ROUNDING:
        small = f"{100 * abs(draft.difference):.1f} points are under {100 * rules.min_overlap:g}"
        return ChangeVerdict.NO_CLEAR_CHANGE, f"{said}, but {small}"
    return ChangeVerdict.CHANGED, f"{100 * draft.difference:+.1f} points, {said}"


def _families_told(draft: OverlapDraft) -> str:
    """How many families an answer cites, where that alone may have moved the overlap."""
    less, more = sorted(draft.cited)
    if more <= _MORE_FAMILIES * less:
        return ""
    before, after = draft.cited
    return f"; families an answer {before:.1f} to {after:.1f}, which alone moves an overlap"
