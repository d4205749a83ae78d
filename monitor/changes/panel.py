"""Matched panel of two samples: per-answer means and raw counts, prompt by prompt."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.change import LeftOut, LeftOutReason
from monitor.domain.score import UNRESOLVED_FAMILY, Rate, Tally, Undefined, UndefinedReason

Floats = NDArray[np.float64]
PromptKey = Callable[[Tally], str]
NO_ANSWERED = Undefined(UndefinedReason.NO_ANSWERED)


def prompt_id(tally: Tally) -> str:
    """Prompt id of a tally: the key of callers that already dropped edited prompts."""
    return tally.prompt_id


@dataclass(frozen=True, slots=True)
class Matched:
    """Tallies of both samples for the prompts that can be compared, prompts sorted."""

    prompts: tuple[str, ...]
    before: tuple[tuple[Tally, ...], ...]
    after: tuple[tuple[Tally, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Per-answer means and raw sums of one or more subjects, prompts x subjects."""

    x_before: Floats
    n_before: Floats
    x_after: Floats
    n_after: Floats
    raw_x_before: Floats
    raw_n_before: Floats
    raw_x_after: Floats
    raw_n_after: Floats


def grouped(tallies: Iterable[Tally], key: PromptKey) -> Mapping[str, tuple[Tally, ...]]:
    """Tallies per prompt key, answered or not."""
    groups: dict[str, list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(key(tally), []).append(tally)
    return {name: tuple(parts) for name, parts in groups.items()}


def match(before: Sequence[Tally], after: Sequence[Tally], key: PromptKey) -> Matched:
    """Prompts with at least one answered capture in both samples."""
    a = grouped((t for t in before if t.answered), key)
    b = grouped((t for t in after if t.answered), key)
    prompts = tuple(sorted(a.keys() & b.keys()))
    return Matched(prompts, tuple(a[p] for p in prompts), tuple(b[p] for p in prompts))


def panel_size(before: Sequence[Tally], after: Sequence[Tally], key: PromptKey) -> int:
    """Prompts of the larger sample, answered or not."""
    return max(len(grouped(before, key)), len(grouped(after, key)))


def left_out(
    before: Mapping[str, str], after: Mapping[str, str], matched: Collection[str]
) -> tuple[LeftOut, ...]:
    """Prompts of either sample that were not matched and why; both map prompt ids to versions."""
    found = []
    for prompt in (before.keys() | after.keys()) - set(matched):
        if prompt in before and prompt in after:
            edited = before[prompt] != after[prompt]
            reason = LeftOutReason.EDITED if edited else LeftOutReason.UNANSWERED
            found.append(LeftOut(prompt, reason))
            continue
        here, there = (before, after) if prompt in before else (after, before)
        other = next(
            (name for name in sorted(there) if there[name] == here[prompt] and name not in here),
            None,
        )
        alone = LeftOutReason.ONLY_BEFORE if here is before else LeftOutReason.ONLY_AFTER
        if other is None:
            found.append(LeftOut(prompt, alone))
        elif here is before:
            found.append(LeftOut(prompt, LeftOutReason.RENAMED, other))
    order = list(LeftOutReason)
    return tuple(sorted(found, key=lambda one: (order.index(one.reason), one.prompt_id)))


def cited_families(matched: Matched) -> tuple[str, ...]:
    """Families cited on either side, sorted; unresolved citations are no family."""
    seen = {
        family
        for side in (matched.before, matched.after)
        for tallies in side
        for tally in tallies
        for family, count in tally.families.items()
        if count
    }
    return tuple(sorted(seen - {UNRESOLVED_FAMILY}))


def family_columns(matched: Matched, families: Sequence[str]) -> Columns:
    """Citations per family over all citations, unresolved ones in the total."""
    xa, na = _family_sums(matched.before, families)
    xb, nb = _family_sums(matched.after, families)
    ka, kb = _answers(matched.before), _answers(matched.after)
    return Columns(xa / ka, na / ka, xb / kb, nb / kb, xa, na, xb, nb)


def _family_sums(side: Sequence[Sequence[Tally]], families: Sequence[str]) -> tuple[Floats, Floats]:
    """Raw counts per prompt and family, and all citations per prompt (one column)."""
    x = np.zeros((len(side), len(families)))
    n = np.zeros((len(side), 1))
    for row, tallies in enumerate(side):
        counts = sum((Counter(tally.families) for tally in tallies), Counter[str]())
        x[row] = [counts[family] for family in families]
        n[row] = counts.total()
    return x, n


def _answers(side: Sequence[Sequence[Tally]]) -> Floats:
    """Answered captures per prompt, one column."""
    return np.array([[float(len(tallies))] for tallies in side])


def measure_columns(
    before: Mapping[str, Sequence[Tally]], after: Mapping[str, Sequence[Tally]], name: str
) -> Columns | None:
    """Hits over total of one measure on the prompts where both samples can have it.

    Only prompts in which something was assessed on either side take part. None without any.
    """
    rows = [
        (a, b)
        for prompt in sorted(before.keys() & after.keys())
        if (a := _sums(before[prompt], name)) and (b := _sums(after[prompt], name))
        if a[1] + b[1] > 0
    ]
    if not rows:
        return None
    xa, na, ka = (_column([a[i] for a, _ in rows]) for i in range(3))
    xb, nb, kb = (_column([b[i] for _, b in rows]) for i in range(3))
    return Columns(xa / ka, na / ka, xb / kb, nb / kb, xa, na, xb, nb)


def _column(values: Sequence[float]) -> Floats:
    """One number per prompt as a matrix of one column."""
    return np.array(values, dtype=np.float64)[:, None]


def _sums(tallies: Sequence[Tally], name: str) -> tuple[float, float, float] | None:
    """Hits, total and captures that count for a measure; None where no capture does."""
    parts = [tally.measures.get(name, NO_ANSWERED) for tally in tallies]
    valid = [part for part in parts if part != NO_ANSWERED]
    if not valid:
        return None
    rates = [part for part in valid if isinstance(part, Rate)]
    return sum(r.hits for r in rates), sum(r.total for r in rates), float(len(valid))
