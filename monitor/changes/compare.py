"""Compare two samples: gates, matched panel, paired tests, false discovery rate, verdicts.

The definitions are those of docs/measures.md, "Change". An event never suppresses a change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor import statistics
from monitor.changes.panel import (
    Columns,
    Matched,
    PromptKey,
    cited_families,
    family_columns,
    grouped,
    left_out,
    match,
    measure_columns,
    panel_size,
    prompt_id,
)
from monitor.changes.verdicts import Draft, eligible, judged
from monitor.domain.change import (
    Appearance,
    Change,
    ChangeRules,
    Comparison,
    Event,
    Gates,
    PairedTest,
    Side,
    Subject,
)
from monitor.domain.score import Coverage, Interval, Rate, Tally

METHOD = "paired prompt clusters, t"


@dataclass(frozen=True, slots=True)
class _Run:
    """What every test of one comparison shares."""

    rules: ChangeRules
    seed: int


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
    prompts: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> Comparison:
    """Everything that moved between two samples of one engine's answers.

    Pass the tallies of all captures, unanswered ones included: they say which prompts were
    planned. `key` must name the prompt version, for example id and text hash; with the default,
    the prompt id, the caller must have left out prompts that were edited. `blocked` names the
    recipe keys that forbid a comparison. `prompts` maps the prompt ids of each side to their
    versions, which tells an edited prompt from a renamed one; without it the keys do. Where a gate
    fails there are no changes, only reasons.
    """
    run = _Run(rules or ChangeRules(), statistics.change_seed(
        engine, panel_version, before_id, after_id))  # fmt: skip
    matched = match(before, after, key)
    gates = _gates(
        matched, panel_size(before, after, key), coverage, rules=run.rules, blocked=blocked
    )
    versions = prompts or (_versions(before, key), _versions(after, key))
    open_gates = not gates.failures
    return Comparison(
        engine=engine,
        panel_version=panel_version,
        before_id=before_id,
        after_id=after_id,
        gates=gates,
        events=tuple(events),
        families=_family_changes(matched, run) if open_gates else (),
        measures=_measure_changes(before, after, key, run) if open_gates else (),
        seed=run.seed,
        rules=run.rules,
        left_out=left_out(*versions, {side[0].prompt_id for side in matched.before}),
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
    heard = tuple(_heard(side) for side in coverage) if coverage else (None, None)
    failures = [f"recipe differs in {name}" for name in blocked]
    if not panel or count / panel < rules.min_matched - 1e-12:
        failures.append(f"{count} of {panel} prompts matched, {rules.min_matched:.0%} needed")
    for side, share in zip(("before", "after"), heard, strict=True):
        if share is not None and share < rules.min_heard - 1e-12:
            failures.append(f"{share:.1%} of the plan heard {side}, {rules.min_heard:.0%} needed")
    return Gates(count, panel, heard[0], heard[1], tuple(failures))


def _heard(coverage: Coverage) -> float | None:
    """Heard / planned captures; None without a plan."""
    return coverage.heard / coverage.planned if coverage.planned else None


def _family_changes(matched: Matched, run: _Run) -> tuple[Change, ...]:
    """Changes of every family cited on either side, largest change first."""
    families = cited_families(matched)
    columns = family_columns(matched, families)
    tests = _tests(columns, run)
    drafts = [
        _draft(Subject.FAMILY_SHARE, family, columns, index, test=tests[index] if tests else None)
        for index, family in enumerate(families)
    ]
    return _ordered(judged(drafts, len(matched.prompts), run.rules))


def _measure_changes(
    before: Sequence[Tally], after: Sequence[Tally], key: PromptKey, run: _Run
) -> tuple[Change, ...]:
    """Changes of every measure that both samples have, in the tallies' own order."""
    a, b = grouped(before, key), grouped(after, key)
    names = dict.fromkeys(name for tally in (*before, *after) for name in tally.measures)
    drafts: list[Draft] = []
    for name in names:
        columns = measure_columns(a, b, name)
        if columns is not None:
            tests = _tests(columns, run)
            drafts.append(
                _draft(Subject.MEASURE, name, columns, 0, test=tests[0] if tests else None)
            )
    prompts = len(match(before, after, key).prompts)
    return judged(drafts, prompts, run.rules)


def _tests(columns: Columns, run: _Run) -> tuple[PairedTest, ...]:
    """One test a subject; none where fewer prompts than `counts_below` or a month is empty."""
    prompts = columns.x_before.shape[0]
    totals = (columns.n_before.sum(axis=0) > 0).all() and (columns.n_after.sum(axis=0) > 0).all()
    if prompts < max(2, run.rules.counts_below) or not totals:
        return ()
    change = statistics.paired_change(
        columns.x_before,
        columns.n_before,
        columns.x_after,
        columns.n_after,
        seed=run.seed,
        level=run.rules.level,
        resamples=run.rules.resamples,
    )
    return tuple(_test(change, index, run.rules.level) for index in range(len(change.difference)))


def _test(change: statistics.PairedChange, index: int, level: float) -> PairedTest:
    """One subject's numbers as plain floats."""
    error = float(change.standard_error[index])
    low, high = float(change.low[index]), float(change.high[index])
    return PairedTest(
        float(change.difference[index]),
        error,
        Interval(low, high, level, METHOD),
        float(change.p_value[index]),
        None,
        statistics.smallest_detectable(error),
    )


def _draft(
    subject: Subject, name: str, columns: Columns, index: int, *, test: PairedTest | None
) -> Draft:
    """One subject before its verdict."""
    x_a, x_b = columns.raw_x_before[:, index], columns.raw_x_after[:, index]
    column = min(index, columns.n_before.shape[1] - 1)
    n_a, n_b = columns.raw_n_before[:, column], columns.raw_n_after[:, column]
    counted_a, counted_b = (x_a, x_b) if subject is Subject.FAMILY_SHARE else (n_a, n_b)
    sides = (
        _side(columns.x_before[:, index].sum(), columns.n_before[:, column].sum(),
              Rate(float(x_a.sum()), float(n_a.sum())), int((counted_a > 0).sum())),
        _side(columns.x_after[:, index].sum(), columns.n_after[:, column].sum(),
              Rate(float(x_b.sum()), float(n_b.sum())), int((counted_b > 0).sum())),
    )  # fmt: skip
    return Draft(
        subject,
        name,
        sides[0],
        sides[1],
        test,
        int(((counted_a > 0) | (counted_b > 0)).sum()),
        float(counted_a.sum() + counted_b.sum()),
        _appearance(sides[0], sides[1]) if subject is Subject.FAMILY_SHARE else None,
    )


def _side(x: float, n: float, raw: Rate, prompts: int) -> Side:
    """One sample's share from its per-answer means, beside its raw counts."""
    return Side(float(x / n) if n else None, raw, prompts)


def _appearance(before: Side, after: Side) -> Appearance | None:
    """Whether a family is cited on one side only."""
    if not before.prompts:
        return Appearance.APPEARED
    return None if after.prompts else Appearance.DISAPPEARED


def _ordered(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Eligible ones first, then by size of the change, then by name."""
    return tuple(
        sorted(changes, key=lambda c: (not eligible(c), -abs(c.difference or 0.0), c.name))
    )
