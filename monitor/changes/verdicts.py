"""Words for numbers: eligibility, Benjamini-Hochberg, the least effect, and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from monitor import statistics
from monitor.domain.change import (
    ROUNDING,
    Appearance,
    Change,
    ChangeRules,
    ChangeVerdict,
    PairedTest,
    Side,
    Subject,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A change before anything is said of it."""

    subject: Subject
    name: str
    before: Side
    after: Side
    test: PairedTest | None
    prompts: int
    counted: float
    appearance: Appearance | None


@dataclass(frozen=True, slots=True)
class Judged:
    """Changes with their verdicts, and the p value that was adjusted together with theirs."""

    changes: tuple[Change, ...]
    beside: float | None = None


def judged(
    drafts: Sequence[Draft], matched: int, rules: ChangeRules, *, beside: float | None = None
) -> Judged:
    """Every draft with its adjusted p value and verdict, order kept.

    Eligibility counts both samples together, so that it cannot prefer one direction of change.
    `beside` is one more p value that takes part in the false discovery rate.
    """
    tested = {
        index: draft.test.p_value
        for index, draft in enumerate(drafts)
        if draft.test is not None and not _shortage(draft, rules)
    }
    if beside is not None:
        tested[len(drafts)] = beside
    adjusted = statistics.benjamini_hochberg(list(tested.values()))
    values = dict(zip(tested, adjusted, strict=True))
    changes = tuple(
        _change(draft, values.get(index), matched, rules) for index, draft in enumerate(drafts)
    )
    return Judged(changes, values.get(len(drafts)))


def shortage(
    counted: float, prompts: int, rules: ChangeRules, subject: Subject = Subject.FAMILY_SHARE
) -> str:
    """What is missing for eligibility, in words; empty when nothing is."""
    if counted >= rules.min_citations and prompts >= rules.min_prompts:
        return ""
    one = "citation" if counted == 1 else "citations"
    what = one if subject is Subject.FAMILY_SHARE else "counted"
    noun = "prompt" if prompts == 1 else "prompts"
    return (
        f"{_counted(counted)} {what} in {prompts} {noun} over both samples; "
        f"a test needs {rules.min_citations} in {rules.min_prompts} prompts"
    )


def _counted(number: float) -> str:
    """A count; whole where it is whole, else with one decimal (half credit, weights)."""
    whole = round(number)
    return f"{whole}" if abs(number - whole) < ROUNDING else f"{number:.1f}"


def _shortage(draft: Draft, rules: ChangeRules) -> str:
    return shortage(draft.counted, draft.prompts, rules, draft.subject)


def few(prompts: int, rules: ChangeRules, what: str = "matched prompts") -> str:
    """Which prompts are missing for a verdict, in words; empty when none are."""
    if prompts < rules.counts_below:
        return f"{prompts} {what}: counts only, intervals from {rules.counts_below}"
    if prompts < rules.alerts_from:
        return f"{prompts} {what}: intervals only, verdicts from {rules.alerts_from}"
    return ""


def _change(draft: Draft, adjusted: float | None, matched: int, rules: ChangeRules) -> Change:
    """A draft with its verdict."""
    test = replace(draft.test, adjusted=adjusted) if draft.test else None
    verdict, because = _verdict(draft, test, matched, rules)
    return Change(
        draft.subject, draft.name, draft.before, draft.after, test, draft.prompts,
        draft.counted, verdict, because, draft.appearance,
    )  # fmt: skip


def _verdict(
    draft: Draft, test: PairedTest | None, matched: int, rules: ChangeRules
) -> tuple[ChangeVerdict, str]:
    """The word and why."""
    if need := few(matched, rules):
        return ChangeVerdict.NOT_ENOUGH_DATA, need
    if test is None or test.adjusted is None:
        empty = "nothing was counted on one side, or in too few prompts"
        return ChangeVerdict.NOT_ENOUGH_DATA, _shortage(draft, rules) or empty
    size, least = abs(test.difference), _least_effect(draft, rules)
    small = f"{100 * size:.1f} points are under the least {100 * least:.1f}"
    return by_level(
        test.adjusted,
        rules,
        small=small if size < least - ROUNDING else "",
        moved=f"{100 * test.difference:+.1f} points",
    )


def by_level(
    adjusted: float, rules: ChangeRules, *, small: str, moved: str
) -> tuple[ChangeVerdict, str]:
    """The word for what was tested, and why; `small` says that it is too little to matter."""
    said = f"adjusted p {adjusted:.3g}"
    if adjusted > rules.q_watch:
        return ChangeVerdict.NO_CLEAR_CHANGE, f"{said} above {rules.q_watch:g}"
    if small:
        return ChangeVerdict.NO_CLEAR_CHANGE, f"{said}, but {small}"
    if adjusted > rules.q_changed:
        return ChangeVerdict.WATCH, f"{said} between {rules.q_changed:g} and {rules.q_watch:g}"
    return ChangeVerdict.CHANGED, f"{said}, {moved}"


def _least_effect(draft: Draft, rules: ChangeRules) -> float:
    """Smallest change worth a word: one point, and a part of the larger share.

    For a measure it is that part of the larger value or of the larger complement, whichever is
    smaller: a rate and its complement (precision and imprecision) get the same verdict.
    """
    shares = [side.share or 0.0 for side in (draft.before, draft.after)]
    larger = max(shares)
    if draft.subject is Subject.MEASURE:
        larger = min(larger, 1 - min(shares))
    return max(rules.min_change, rules.min_relative * larger)
