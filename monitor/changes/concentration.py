"""Concentration of citations on families, before and after, on the matched prompts."""

from dataclasses import dataclass

import numpy as np

from monitor import statistics
from monitor.changes.columns import Cited, CitedPair
from monitor.changes.tested import Terms
from monitor.domain.change import ConcentrationTest
from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Concentration


@dataclass(frozen=True, slots=True)
class ConcentrationDraft:
    """A change of concentration before anything is said of it."""

    before: Concentration
    after: Concentration
    test: ConcentrationTest | None
    reason: NoEstimate | None
    prompts: int
    """Matched prompts that cite a family in either sample."""
    counted: float
    """Citations of known families over both samples."""


def concentration_draft(cited: CitedPair, terms: Terms) -> ConcentrationDraft:
    """Plug-in HHI of raw counts, and the paired change of the cross-prompt HHI.

    The change is taken from means per answer, as that of a share, so that lost answers do not
    shift weight between prompts.
    """
    pairs = _pairs(cited)
    level, least = terms.rules.level, max(2, terms.rules.counts_below)
    citing = int(((pairs[0].totals > 0) | (pairs[1].totals > 0)).sum())
    sides = tuple(
        _side(one, own, level, least)
        for one, own in zip((cited.before, cited.after), pairs, strict=True)
    )
    change = statistics.cross_prompt_change(*pairs, level)
    if isinstance(change, statistics.HhiChange) and citing < least:
        change = NoEstimate.FEW_PROMPTS
    reason = change if isinstance(change, NoEstimate) else None
    counted = float(cited.before.counts.sum() + cited.after.counts.sum())
    return ConcentrationDraft(sides[0], sides[1], _test(change), reason, citing, counted)


def _test(change: statistics.HhiChange | NoEstimate) -> ConcentrationTest | None:
    """The test of a change that has one."""
    if isinstance(change, NoEstimate):
        return None
    return ConcentrationTest(change.ratio, change.interval, change.p_value)


def _pairs(cited: CitedPair) -> tuple[statistics.PromptPairs, statistics.PromptPairs]:
    """Sums over all families of the means per answer of both samples."""
    none = statistics.prompt_pairs(np.zeros((len(cited.before.answers), 1)))
    before, after = none, none
    for _, columns in cited.blocks():
        before += statistics.prompt_pairs(columns.x_before)
        after += statistics.prompt_pairs(columns.x_after)
    return before, after


def _side(cited: Cited, pairs: statistics.PromptPairs, level: float, least: int) -> Concentration:
    """One sample: the headline from raw counts, the cross-prompt estimate beside it."""
    counts = np.bincount(cited.families, cited.counts).tolist()
    hhi = statistics.hhi(counts)
    cross = statistics.cross_prompt_hhi(pairs, level)
    return Concentration(
        hhi,
        statistics.effective(hhi),
        statistics.hhi_bounds(counts, cited.unresolved),
        int(cited.totals.sum()),
        sum(count > 0 for count in counts),
        cross.value if cross else None,
        cross.interval if cross and int((pairs.totals > 0).sum()) >= least else None,
    )
