"""Families and measures put to the paired test, before anything is said of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor import statistics
from monitor.changes.columns import CitedPair, Columns, beside, measure_columns
from monitor.changes.panel import Grouped
from monitor.changes.verdicts import Draft
from monitor.domain.change import Appearance, ChangeRules, PairedTest, Side, Subject
from monitor.domain.score import MATRIX_MEASURES, Interval, Rate

Floats = NDArray[np.float64]
METHOD = "paired prompt clusters, t"


@dataclass(frozen=True, slots=True)
class Terms:
    """What every test of one comparison shares."""

    rules: ChangeRules
    seed: int


def family_drafts(cited: CitedPair, terms: Terms) -> tuple[Draft, ...]:
    """Every family cited on either side."""
    return tuple(
        draft
        for names, columns in cited.blocks()
        for draft in _drafts(Subject.FAMILY_SHARE, names, columns, _tests(columns, terms))
    )


def measure_drafts(before: Grouped, after: Grouped, terms: Terms) -> tuple[Draft, ...]:
    """Every measure that both samples have, in the tallies' own order, less those of the matrix.

    Measures with as many prompts are tested together: they share the drawn swaps in any case.
    """
    sides = (*before.values(), *after.values())
    names = dict.fromkeys(name for part in sides for tally in part for name in tally.measures)
    wanted = [name for name in names if name not in MATRIX_MEASURES]
    found = {name: c for name in wanted if (c := measure_columns(before, after, name))}
    drafts: dict[str, Draft] = {}
    for group in _of_one_size(found):
        columns = beside([found[name] for name in group])
        made = _drafts(Subject.MEASURE, group, columns, _tests(columns, terms))
        drafts |= {draft.name: draft for draft in made}
    return tuple(drafts[name] for name in found)


def _of_one_size(found: Mapping[str, Columns]) -> list[list[str]]:
    """Names of measures by number of prompts, and whether both samples count anything."""
    groups: dict[tuple[int, bool], list[str]] = {}
    for name, columns in found.items():
        size = len(columns.x_before), _is_counted(columns)
        groups.setdefault(size, []).append(name)
    return list(groups.values())


def _is_counted(columns: Columns) -> bool:
    """Whether every total is above zero on both sides."""
    totals = (columns.n_before.sum(axis=0) > 0).all() and (columns.n_after.sum(axis=0) > 0).all()
    return bool(totals)


def _tests(columns: Columns, terms: Terms) -> Sequence[PairedTest | None]:
    """One test a subject; none where fewer prompts than `counts_below` or a month is empty."""
    prompts, subjects = columns.x_before.shape
    if prompts < max(2, terms.rules.counts_below) or not _is_counted(columns):
        return [None] * subjects
    change = statistics.paired_change(
        columns.x_before,
        columns.n_before,
        columns.x_after,
        columns.n_after,
        seed=terms.seed,
        level=terms.rules.level,
        resamples=terms.rules.resamples,
    )
    rows = zip(
        change.difference.tolist(), change.standard_error.tolist(), change.low.tolist(),
        change.high.tolist(), change.p_value.tolist(), strict=True,
    )  # fmt: skip
    return [
        PairedTest(
            difference, error, Interval(low, high, terms.rules.level, METHOD), p_value, None,
            statistics.smallest_detectable(error),
        )
        for difference, error, low, high, p_value in rows
    ]  # fmt: skip


def _drafts(
    subject: Subject,
    names: Sequence[str],
    columns: Columns,
    tests: Sequence[PairedTest | None],
) -> list[Draft]:
    """Subjects before their verdicts."""
    shape = columns.raw_x_before.shape
    share = subject is Subject.FAMILY_SHARE
    counted_a = columns.raw_x_before if share else np.broadcast_to(columns.raw_n_before, shape)
    counted_b = columns.raw_x_after if share else np.broadcast_to(columns.raw_n_after, shape)
    before = _sides(columns.x_before, columns.n_before,
                    (columns.raw_x_before, columns.raw_n_before), counted_a)  # fmt: skip
    after = _sides(columns.x_after, columns.n_after,
                   (columns.raw_x_after, columns.raw_n_after), counted_b)  # fmt: skip
    prompts = ((counted_a > 0) | (counted_b > 0)).sum(axis=0).tolist()
    counted = (counted_a.sum(axis=0) + counted_b.sum(axis=0)).tolist()
    rows = zip(names, before, after, tests, prompts, counted, strict=True)
    return [
        Draft(subject, name, a, b, test, p, c, _appearance(a, b) if share else None)
        for name, a, b, test, p, c in rows
    ]


def _sides(x: Floats, n: Floats, raw: tuple[Floats, Floats], counted: Floats) -> list[Side]:
    """One sample's shares from its per-answer means, beside its raw counts."""
    subjects = x.shape[1]
    totals = np.broadcast_to(n.sum(axis=0), subjects)
    raw_totals = np.broadcast_to(raw[1].sum(axis=0), subjects)
    rows = zip(
        x.sum(axis=0).tolist(), totals.tolist(), raw[0].sum(axis=0).tolist(), raw_totals.tolist(),
        (counted > 0).sum(axis=0).tolist(), strict=True,
    )  # fmt: skip
    return [
        Side(hits / total if total else None, Rate(raw_hits, raw_total), prompts)
        for hits, total, raw_hits, raw_total, prompts in rows
    ]


def _appearance(before: Side, after: Side) -> Appearance | None:
    """Whether a family is cited on one side only."""
    if not before.prompts:
        return Appearance.APPEARED
    return None if after.prompts else Appearance.DISAPPEARED
