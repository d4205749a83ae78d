"""Two runs, or two engines of one run, held against each other: what moved, and is it noise?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.change import (
    Appearance,
    Change,
    ChangeVerdict,
    Comparison,
    Subject,
)
from monitor.report.findings import concentration_tested, concentration_text, per_answer_text
from monitor.report.noise import moved, noise_text, rules_words
from monitor.report.numbers import p_words, percent, signed_interval
from monitor.report.screens.change import ChangeView, change_view
from monitor.report.screens.links import (
    family_address,
    family_rows_address,
    measure_address,
    rows_address,
)
from monitor.report.screens.numbers import NumberView, number_of_rate
from monitor.report.view import MeasureNote
from monitor.report.words import arrowed, event_words, left_out_words, stability_words

SHOWN = 100
"""Rows of one table; the CSV has all."""

_NEWS = (ChangeVerdict.CHANGED, ChangeVerdict.WATCH)


@dataclass(frozen=True, slots=True)
class CompareAsked:
    """What is to be compared, by public ids and names of engines; empty where not said."""

    before: str = ""
    after: str = ""
    engines: str = ""


@dataclass(frozen=True, slots=True)
class CompareLine:
    """One family or measure on both sides."""

    name: str
    label: str
    href: str
    before: NumberView
    now: NumberView
    per_answer: str
    """Means per answer, which are compared, where they are not close to the shares."""
    change: ChangeView


@dataclass(frozen=True, slots=True)
class GateView:
    """What must hold before any change is called one."""

    matched: int
    panel: int
    heard_before: float | None
    heard_after: float | None
    text: str
    failures: tuple[str, ...]
    """What forbids the comparison, by its key; empty where nothing does."""


@dataclass(frozen=True, slots=True)
class EngineComparison:
    """One engine on both sides, or one engine beside another one."""

    name: str
    label: str
    sides: tuple[str, str]
    """What the two sides are called."""
    verdict: str
    because: str
    gates: GateView
    power: str
    """How many families were tested, and how small a change would have been found."""
    events: tuple[str, ...]
    families: tuple[CompareLine, ...]
    families_in_all: int
    measures: tuple[CompareLine, ...]
    left_out: tuple[str, ...]
    appeared: tuple[str, ...]
    disappeared: tuple[str, ...]
    concentration: str
    stability: str
    """How alike repeats are, before and after: no part of the verdict."""
    overlap: str
    """How alike the two sides are."""
    signature: str


@dataclass(frozen=True, slots=True)
class CompareScreen:
    """A comparison with the form that chooses its sides."""

    headline: str
    """Engines of the strongest verdict."""
    lede: tuple[str, ...]
    """Those of the others."""
    asked: CompareAsked
    """The sides that are shown, whoever chose them."""
    choices: tuple[str, ...]
    """Public ids of runs that may be compared, newest first."""
    engines: tuple[tuple[str, str], ...]
    """(name, label) of the engines of the run after."""
    refused: str
    """Why the two are not compared, by its key; empty where they are."""
    advice: str
    """What to do where nothing is shown; empty otherwise."""
    notes: tuple[str, ...]
    comparisons: tuple[EngineComparison, ...]
    rules: str
    """When a difference is called a change."""


@dataclass(frozen=True, slots=True)
class Told:
    """Words for what comparisons name."""

    labels: Mapping[str, str]
    """Engine -> how it is called."""
    measures: Mapping[str, MeasureNote]
    because: Mapping[str, str]
    """Engine, or two of them -> why there is no verdict of change or of none."""


def by_verdict(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The strongest thing said of two sides as a whole first."""
    order = tuple(ChangeVerdict)
    return tuple(sorted(comparisons, key=lambda one: (order.index(one.verdict), one.engine)))


def verdict_lines(comparisons: Sequence[Comparison], told: Told) -> tuple[str, ...]:
    """Engines by the verdict on each as a whole, a line a verdict, the strongest first."""
    found: dict[ChangeVerdict, list[str]] = {}
    for one in by_verdict(comparisons):
        found.setdefault(one.verdict, []).append(_label(one, told))
    return tuple(f"{verdict.value.capitalize()}: {', '.join(n)}" for verdict, n in found.items())


def engine_comparison(one: Comparison, told: Told) -> EngineComparison:
    """Everything about one comparison, events and gates first."""
    return EngineComparison(
        name=one.engine,
        label=_label(one, told),
        sides=_sides(one, told),
        verdict=one.verdict.value,
        because=told.because.get(one.engine, ""),
        gates=_gates(one, told),
        power=noise_text(one),
        events=tuple(event_words(event) for event in one.events),
        families=tuple(_line(one, change, told) for change in _by_weight(one.families)[:SHOWN]),
        families_in_all=len(one.families),
        measures=tuple(_line(one, change, told) for change in _by_weight(one.measures)),
        left_out=left_out_words(one.left_out),
        appeared=moved(one, Appearance.APPEARED),
        disappeared=moved(one, Appearance.DISAPPEARED),
        concentration=_concentration(one),
        stability=_stability(one),
        overlap="" if one.overlap is None else _level(one.overlap.mean, one.overlap.prompts),
        signature=(
            f"comparison|engine:{one.engine}|panel:{one.panel_version}|before:{one.before_id}"
            f"|after:{one.after_id}|matched:{one.gates.matched}/{one.gates.panel}"
            f"|resamples:{one.rules.resamples}|seed:{one.seed}"
        ),
    )


def rules_of(comparisons: Sequence[Comparison]) -> str:
    """When a difference is called a change; empty without any comparison."""
    return rules_words(comparisons[0].rules) if comparisons else ""


def _pair(one: Comparison) -> tuple[str, str]:
    """The engine of each side; one and the same where runs are compared."""
    other, _, engine = one.engine.rpartition("~")
    return other or engine, engine


def _sides(one: Comparison, told: Told) -> tuple[str, str]:
    """The two runs, or the two engines."""
    first, second = _pair(one)
    if first == second:
        return one.before_id, one.after_id
    return told.labels.get(first, first), told.labels.get(second, second)


def _label(one: Comparison, told: Told) -> str:
    """An engine, or `one beside another`."""
    first, second = (told.labels.get(name, name) for name in _pair(one))
    return first if first == second else f"{first} beside {second}"


def _gates(one: Comparison, told: Told) -> GateView:
    """Gates with their counts."""
    gates, (first, second) = one.gates, _sides(one, told)
    return GateView(
        gates.matched,
        gates.panel,
        gates.heard_before,
        gates.heard_after,
        f"{gates.matched} of {gates.panel} prompts matched; heard {percent(gates.heard_before)} "
        f"of the plan of {first}, {percent(gates.heard_after)} of {second}",
        gates.failures,
    )


def _by_weight(rows: Sequence[Change]) -> list[Change]:
    """What changed first, then what to watch, then the rest in its own order."""
    return sorted(rows, key=lambda c: _NEWS.index(c.verdict) if c.verdict in _NEWS else len(_NEWS))


def _line(one: Comparison, change: Change, told: Told) -> CompareLine:
    """One family or measure, with the rows behind both sides."""
    engines, runs = _pair(one), (one.before_id, one.after_id)
    is_family = change.subject is Subject.FAMILY_SHARE
    note = told.measures.get(change.name)
    rows = family_rows_address if is_family else rows_address
    before, now = (
        number_of_rate(side.pooled, None, rows(run, engine, change.name))
        for side, run, engine in zip((change.before, change.after), runs, engines, strict=True)
    )
    return CompareLine(
        name=change.name,
        label=note.label if note and not is_family else change.name,
        href=family_address(change.name, run=one.after_id)
        if is_family
        else measure_address(change.name, run=one.after_id),
        before=before,
        now=now,
        per_answer=_per_answer(change),
        change=change_view(change),
    )


def _per_answer(change: Change) -> str:
    """Means per answer of the sides whose pooled share is not close to it."""
    sides = (("before", change.before), ("now", change.after))
    return "; ".join(f"{told} {when}" for when, side in sides if (told := per_answer_text(side)))


def _concentration(one: Comparison) -> str:
    """Concentration on both sides and what is said of it; empty where it was not compared."""
    change = one.concentration
    if change is None:
        return ""
    arrow = f"{concentration_text(change.before)} → {concentration_text(change.after)}"
    tested = arrowed(concentration_tested(change))
    because = p_words(change.because)
    return f"{arrow}: {change.verdict.value} ({because}){'; ' if tested else ''}{tested}"


def _stability(one: Comparison) -> str:
    """Overlap of repeats on both sides; empty where it was not worked out."""
    change = one.stability
    if change is None:
        return ""
    before = _level(change.before.mean, change.before.prompts)
    after = _level(change.after.mean, change.after.prompts)
    between = f", difference {signed_interval(change.interval)}" if change.interval else ""
    return f"{before} → {after}{between}: {stability_words(change)} ({p_words(change.because)})"


def _level(mean: float | None, prompts: int) -> str:
    """A mean overlap with the prompts behind it."""
    return f"{percent(mean)} over {prompts} prompts"
