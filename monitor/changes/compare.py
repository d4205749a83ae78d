"""Compare two samples: gates, matched panel, paired tests, false discovery rate, verdicts.

The definitions are those of docs/measures.md, "Change". An event never suppresses a change.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from monitor import statistics
from monitor.changes.columns import cited_pair
from monitor.changes.concentration import concentration_draft
from monitor.changes.nonratios import concentration_change, eligible_p, stability_change
from monitor.changes.overlaps import overlaps
from monitor.changes.panel import (
    Grouped,
    Matched,
    PromptKey,
    RunKey,
    grouped,
    left_out,
    match,
    one_run,
    prompt_id,
)
from monitor.changes.tested import Terms, family_drafts, measure_drafts
from monitor.changes.unresolved import beyond_unresolved
from monitor.changes.verdicts import judged
from monitor.domain.change import (
    ROUNDING,
    Change,
    ChangeRules,
    Comparison,
    ConcentrationChange,
    Event,
    Gates,
    OverlapChange,
    OverlapLevel,
)
from monitor.domain.score import Coverage, Tally


class _Changes(NamedTuple):
    """Everything that is compared where all gates hold."""

    families: tuple[Change, ...] = ()
    measures: tuple[Change, ...] = ()
    concentration: ConcentrationChange | None = None
    stability: OverlapChange | None = None
    overlap: OverlapLevel | None = None


def compare(
    before: Sequence[Tally],
    after: Sequence[Tally],
    *,
    engine: str,
    panel_version: str,
    before_id: str,
    after_id: str,
    coverage: tuple[Coverage, Coverage] | None = None,
    rules: ChangeRules | None = None,
    events: Sequence[Event] = (),
    blocked: Sequence[str] = (),
    key: PromptKey = prompt_id,
    run: RunKey = one_run,
    prompts: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> Comparison:
    """Everything that moved between two samples of one engine's answers.

    Pass the tallies of all captures, unanswered ones included: they say which prompts were
    planned. `key` must name the prompt version, for example id and text hash; with the default,
    the prompt id, the caller must have left out prompts that were edited. `run` names the run of
    an answer where a side pools several: repeats are those of one run. `blocked` names the recipe
    keys that forbid a comparison. `prompts` maps the prompt ids of each side to their
    versions, which tells an edited prompt from a renamed one; without it the keys do. Where a gate
    fails there are no changes, only reasons.
    """
    terms = Terms(rules or ChangeRules(), statistics.change_seed(
        engine, panel_version, before_id, after_id))  # fmt: skip
    sides = grouped(before, key), grouped(after, key)
    matched = match(*sides)
    panel = max(len(side) for side in sides)
    gates = _gates(matched, panel, coverage, rules=terms.rules, blocked=blocked)
    versions = prompts or (_versions(before, key), _versions(after, key))
    found = _Changes() if gates.failures else _changes(matched, sides, terms, run)
    return Comparison(
        engine=engine,
        panel_version=panel_version,
        before_id=before_id,
        after_id=after_id,
        gates=gates,
        events=tuple(events),
        families=found.families,
        measures=found.measures,
        seed=terms.seed,
        rules=terms.rules,
        left_out=left_out(*versions, {part[0].prompt_id for part in matched.before}),
        concentration=found.concentration,
        stability=found.stability,
        overlap=found.overlap,
    )


def _changes(
    matched: Matched, sides: tuple[Grouped, Grouped], terms: Terms, run: RunKey
) -> _Changes:
    """Families among themselves; measures and concentration under one false discovery rate."""
    cited, count, rules = cited_pair(matched), len(matched.prompts), terms.rules
    families = judged(family_drafts(cited, terms), count, rules)
    draft = concentration_draft(cited, terms)
    measures = judged(measure_drafts(*sides, terms), count, rules, beside=eligible_p(draft, rules))
    alike = overlaps(matched, terms, run)
    return _Changes(
        _ordered(beyond_unresolved(families.changes, cited)),
        measures.changes,
        concentration_change(draft, measures.beside, count, rules),
        stability_change(alike.stability, rules),
        alike.between,
    )


def _versions(tallies: Sequence[Tally], key: PromptKey) -> dict[str, str]:
    """Prompt id -> key of its version."""
    return {tally.prompt_id: key(tally) for tally in tallies}


def _gates(
    matched: Matched,
    panel: int,
    coverage: tuple[Coverage, Coverage] | None,
    *,
    rules: ChangeRules,
    blocked: Sequence[str],
) -> Gates:
    """Matched panel, answers heard and like recipes, with what failed in words."""
    count = len(matched.prompts)
    failures = [f"recipe differs in {name}" for name in blocked]
    if not panel or count / panel < rules.min_matched - ROUNDING:
        failures.append(f"{count} of {panel} prompts matched, {rules.min_matched:.0%} needed")
    for side, told in zip(("before", "after"), coverage or (), strict=False):
        if not rules.is_heard(told):
            share = told.heard_share
            failures.append(f"{share:.1%} of the plan heard {side}, {rules.min_heard:.0%} needed")
    before, after = (told.heard_share for told in coverage) if coverage else (None, None)
    return Gates(count, panel, before, after, tuple(failures))


def _ordered(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Tested ones first, then by size of the change, then by name; rounding decides nothing."""
    return tuple(
        sorted(
            changes, key=lambda c: (not c.is_tested, -round(abs(c.difference or 0.0), 12), c.name)
        )
    )
