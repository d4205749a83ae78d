"""Tallies summed into a scorecard: counts pooled over captures, intervals over prompts.

Pooled counts are micro averages. The macro averages at the end have their own names and are
never drawn in one line with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from monitor.domain.score import (
    Coverage,
    Measure,
    Measured,
    Rate,
    Scorecard,
    Tally,
    Undefined,
    UndefinedReason,
    pooled,
    summed,
)
from monitor.scoring.shares import (
    concentration,
    family_shares,
    interval_of,
    uncited_interval,
)
from monitor.scoring.tally import CATEGORY_MEASURES, MEASURES


@dataclass(frozen=True, slots=True)
class MacroMean:
    """Mean of values with equal weight, and how many values it rests on."""

    name: str
    value: float | None
    count: int


def scorecard(
    tallies: Sequence[Tally],
    *,
    panel: str,
    run: str,
    engine: str,
    coverage: Coverage,
    signature: str,
    recipe: str,
    segment: str = "all",
) -> Scorecard:
    """One engine's measures for one run and segment, from the tallies of its captures."""
    names = [n for n in MEASURES if any(n in tally.measures for tally in tallies)] or list(MEASURES)
    return Scorecard(
        panel=panel,
        run=run,
        engine=engine,
        segment=segment,
        coverage=coverage,
        measures={name: measure(tallies, name) for name in names},
        families=family_shares(tallies),
        concentration=concentration(tallies),
        independent_concentration=concentration(tallies, independent=True),
        signature=signature,
        recipe=recipe,
        uncited=uncited_interval(tallies),
    )


def measure(tallies: Sequence[Tally], name: str) -> Measure:
    """Pooled counts of one measure, its interval clustered by prompt, and its clusters."""
    prompts = _per_prompt(tallies, name)
    total = pooled(tally.measures[name] for tally in tallies if name in tally.measures)
    x = [rate.hits for rate in prompts]
    n = [rate.total for rate in prompts]
    interval = interval_of(x, n) if isinstance(total, Rate) else None
    return Measure(name, _without_absentees(total, tallies, name), interval, len(prompts))


def _without_absentees(total: Measured, tallies: Sequence[Tally], name: str) -> Measured:
    """For an undefined measure: the reason among answered captures, where there are any."""
    if isinstance(total, Rate):
        return total
    return pooled(t.measures[name] for t in tallies if t.answered and name in t.measures)


def _per_prompt(tallies: Sequence[Tally], name: str) -> tuple[Rate, ...]:
    """Rates summed per prompt, for prompts in which something was assessed."""
    parts: dict[str, list[Rate]] = {}
    for tally in tallies:
        part = tally.measures.get(name)
        if isinstance(part, Rate):
            parts.setdefault(tally.prompt_id, []).append(part)
    sums = (summed(parts[prompt]) for prompt in sorted(parts))
    return tuple(rate for rate in sums if rate.total > 0)


def category_tallies(tallies: Sequence[Tally], category: str) -> tuple[Tally, ...]:
    """Tallies that hold one claim category's counts; for segment `claim_category=...`.

    Captures whose baseline requires no such claim are Undefined(no_required). Families do not
    belong to claim categories and are left out.
    """
    return tuple(_category_tally(tally, category) for tally in tallies)


def _category_tally(tally: Tally, category: str) -> Tally:
    """One capture's counts of one category under the measures' own names."""
    fallback = UndefinedReason.NO_REQUIRED if tally.answered else UndefinedReason.NO_ANSWERED
    return replace(
        tally,
        measures={
            name: tally.categories.get((name, category), Undefined(fallback))
            for name in CATEGORY_MEASURES
        },
        categories={},
        families={},
        groups={},
    )


def answer_mean(tallies: Sequence[Tally], name: str) -> MacroMean:
    """Mean over answers of a measure's value, every answer with equal weight.

    The average that ALCE publishes; here it is named `<measure>_answer_mean`.
    """
    values = [
        part.value
        for tally in tallies
        if isinstance(part := tally.measures.get(name), Rate) and part.value is not None
    ]
    return _mean(f"{name}_answer_mean", values)


def prompt_mean(tallies: Sequence[Tally], name: str) -> MacroMean:
    """Mean over prompts of a measure pooled within the prompt: `<measure>_prompt_mean`."""
    values = [rate.hits / rate.total for rate in _per_prompt(tallies, name)]
    return _mean(f"{name}_prompt_mean", values)


def _mean(name: str, values: Sequence[float | None]) -> MacroMean:
    known = [value for value in values if value is not None]
    return MacroMean(name, sum(known) / len(known) if known else None, len(known))
