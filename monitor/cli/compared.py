"""One engine's comparison as a person reads it: events, gates, what moved, what it rests on."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from monitor.changes.verdicts import shortage
from monitor.cli.console import OUT, table
from monitor.domain.change import (
    Change,
    ChangeRules,
    ChangeVerdict,
    Comparison,
    ConcentrationChange,
    OverlapChange,
    OverlapLevel,
    Subject,
)
from monitor.pipeline.comparing import Weighed
from monitor.pipeline.weighing import by_weight, sides_of, why
from monitor.report.digest import plain
from monitor.report.findings import concentration_tested, concentration_text, side_text
from monitor.report.noise import detectable_text
from monitor.report.numbers import (
    count,
    interval,
    p_value,
    percent,
    points,
    signed_interval,
    signed_points,
)
from monitor.report.words import event_words, left_out_words, stability_words

ROWS = 10
"""Rows without news that each table shows."""

_SIGNATURE, _NAME = 2000, 200
"""Characters of a signature and of a name that are shown; `--json` has all."""

_COLUMNS = ("change", "95 % interval", "p (BH)", "detectable", "verdict")
_SIDES = ("before", "after")
_NEWS = frozenset({ChangeVerdict.CHANGED, ChangeVerdict.WATCH})


Refusal = tuple[str, tuple[str, ...]]
"""Why rows cannot be compared, and their names."""


def shared_refusals(weighed: Weighed) -> dict[Refusal, list[str]]:
    """What is refused to several engines for one reason -> these engines; it is told once."""
    found: dict[Refusal, list[str]] = {}
    for name, one in weighed.comparisons.items():
        for changes in (one.families, one.measures):
            for because, rows in _not_comparable(changes).items():
                found.setdefault((because, tuple(rows)), []).append(name)
    return {refusal: names for refusal, names in found.items() if len(names) > 1}


def print_refusals(shared: Mapping[Refusal, Sequence[str]]) -> None:
    """Refusals of several engines, each once."""
    for (because, rows), names in shared.items():
        OUT.print(f"{', '.join(names)}: not comparable ({plain(because)}): {', '.join(rows)}")


def print_engine(
    weighed: Weighed, name: str, *, everything: bool, elsewhere: Collection[Refusal] = ()
) -> None:
    """Everything about one engine but what is told elsewhere; `everything` shows all rows."""
    one = weighed.comparisons[name]
    because = why(one)
    OUT.print(f"{name}: {one.verdict.value}" + (f" ({plain(because)})" if because else ""))
    sides = _sides(one)
    ran = f"{one.before_id} -> {one.after_id}"
    OUT.print(f"  {ran if sides == _SIDES else f'{sides[0]} -> {sides[1]} in {one.after_id}'}")
    for event in one.events:
        OUT.print(f"  event {event.kind.value}: {plain(event_words(event))}")
    for line in (*_gates(weighed, name), *_power(one), *_whole(one)):
        OUT.print(f"  {line}")
    _rows("source family", one, one.families, everything=everything)
    _refused(one.families, elsewhere)
    _rows("measure", one, one.measures, everything=everything)
    _refused(one.measures, elsewhere)
    before, after = sides_of(weighed, name)
    width = max(map(len, sides))
    for line in before:
        OUT.print(f"  {sides[0]:<{width}} {plain(line, _SIGNATURE)}")
    OUT.print(f"  {sides[1]:<{width}} {plain(after, _SIGNATURE)}")


def _sides(one: Comparison) -> tuple[str, str]:
    """What the two sides are called: before and after, or the names of two engines."""
    first, between, second = one.engine.rpartition("~")
    return (first, second) if between else _SIDES


def _gates(weighed: Weighed, name: str) -> Iterator[str]:
    """What must hold, with its counts, and the prompts that take no part."""
    one, gates = weighed.comparisons[name], weighed.comparisons[name].gates
    first, second = sides = _sides(one)
    of = "" if sides == _SIDES else "of "
    yield (
        f"{gates.matched} of {gates.panel} prompts matched; heard {percent(gates.heard_before)} of "
        f"the plan {of}{first}, {percent(gates.heard_after)} {of}{second}"
    )
    for failure in gates.failures:
        yield f"not comparable: {plain(failure)}"
    for told in left_out_words(one.left_out):
        yield f"left out, {told}"


def _power(one: Comparison) -> Iterator[str]:
    """How small a change could have been found."""
    found = one.detectable
    if found:
        yield (
            f"smallest detectable change of a share: {detectable_text(found)}, over {len(found)} "
            "tested source families (found four times in five)"
        )


def _whole(one: Comparison) -> Iterator[str]:
    """Concentration and overlaps, where they were computed."""
    if one.concentration is not None:
        yield _concentration(one.concentration)
        if tested := concentration_tested(one.concentration):
            yield f"concentration, what is tested: {tested}"
    if one.stability is not None:
        yield _stability(one.stability)
    if one.overlap is not None:
        first, second = _sides(one)
        yield f"overlap of {first} with {second}: {_overlap(one.overlap)}"


def _concentration(one: ConcentrationChange) -> str:
    told = f"{concentration_text(one.before)} -> {concentration_text(one.after)}"
    return f"concentration: {told}: {one.verdict.value} ({one.because})"


def _stability(one: OverlapChange) -> str:
    """How alike repeats are; the word for it is none of the verdicts, for it never counts there."""
    told = f"{_overlap(one.before)} -> {_overlap(one.after)}"
    word = f"{stability_words(one)} ({one.because})"
    return f"overlap of repeats, no part of the verdict: {told}: {word}"


def _overlap(one: OverlapLevel) -> str:
    """A mean overlap with its interval and the prompts behind it."""
    if one.interval is None:
        return f"{percent(one.mean)} ({one.prompts} prompts)"
    return f"{percent(one.mean)} ({interval(one.interval)} %, {one.prompts} prompts)"


def _rows(what: str, one: Comparison, changes: Sequence[Change], *, everything: bool) -> None:
    """A table of changes, news first; below it why there is no verdict."""
    told = [row for row in by_weight(changes) if row.verdict is not ChangeVerdict.NOT_COMPARABLE]
    news = sum(row.verdict in _NEWS for row in told)
    shown = told if everything else told[: news + ROWS]
    if shown:
        table("", (what, *_sides(one), *_COLUMNS), [_row(row) for row in shown])
    for because, names in _not_enough(shown, one.rules).items():
        of = "all of them" if len(names) == len(shown) > 1 else ", ".join(names)
        OUT.print(f"  not enough data ({plain(because)}): {of}")
    if len(shown) < len(told):
        OUT.print(f"  and {len(told) - len(shown)} more without news; --all shows them")


def _refused(changes: Sequence[Change], elsewhere: Collection[Refusal]) -> None:
    """What cannot be compared and why, but for what is told elsewhere."""
    for because, names in _not_comparable(changes).items():
        if (because, tuple(names)) not in elsewhere:
            OUT.print(f"  not comparable ({plain(because)}): {', '.join(names)}")


def _not_enough(changes: Sequence[Change], rules: ChangeRules) -> dict[str, list[str]]:
    """Names of what there is too little of for a verdict, by reason, with what there is."""
    found: dict[str, list[str]] = {}
    for row in changes:
        if row.verdict is not ChangeVerdict.NOT_ENOUGH_DATA:
            continue
        because, name = row.because, plain(row.name, _NAME)
        if because == shortage(row.counted, row.prompts, rules, row.subject):
            what = "citations" if row.subject is Subject.FAMILY_SHARE else "counted"
            because = f"fewer than {rules.min_citations} {what} or {rules.min_prompts} prompts"
            name = f"{name} ({count(row.counted)} in {row.prompts})"
        found.setdefault(because, []).append(name)
    return found


def _not_comparable(changes: Sequence[Change]) -> dict[str, list[str]]:
    """Names of what cannot be compared, by reason."""
    found: dict[str, list[str]] = {}
    for row in changes:
        if row.verdict is ChangeVerdict.NOT_COMPARABLE:
            found.setdefault(row.because, []).append(plain(row.name, _NAME))
    return found


def _row(change: Change) -> tuple[str, ...]:
    """One change as cells."""
    return (
        change.name,
        side_text(change.before),
        side_text(change.after),
        signed_points(change.difference),
        *_tested(change),
        change.verdict.value,
    )


def _tested(change: Change) -> tuple[str, str, str]:
    """Interval in points, adjusted p and what could be found; empty where it was not tested."""
    if change.test is None:
        return "", "", ""
    test, least = change.test, change.test.smallest_detectable
    return (
        signed_interval(test.interval),
        p_value(test.adjusted) if change.is_tested else "",
        points(least) if least is not None else "",
    )
