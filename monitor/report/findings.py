"""What changed, in words: the headline, the findings behind it, and whether it is noise."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from monitor.domain.change import Appearance, Change, ChangeVerdict, Comparison, Side, Subject
from monitor.report.numbers import (
    odds,
    p_value,
    percent,
    points,
    rate_text,
    signed_interval,
    signed_points,
)
from monitor.report.view import EngineView, ReportView
from monitor.report.words import (
    cites_anchor,
    event_words,
    left_out_words,
    plural,
    rows_anchor,
    when,
)

_FAR = 2.0
"""Times as much, or as little, from which a sentence says `far`."""

_SPOKEN = (ChangeVerdict.CHANGED, ChangeVerdict.WATCH)


@dataclass(frozen=True, slots=True)
class Finding:
    """One change worth a line: only `changed` and `watch` are."""

    engine: str
    sentence: str
    brief: str
    """The sentence without its engine and without the earlier run."""
    verdict: ChangeVerdict
    before: str
    after: str
    places: tuple[float | None, float | None]
    """The two pooled shares in percent, for drawing; None where there is none."""
    difference: str
    interval: str
    adjusted: str
    chance: str
    """The adjusted p in words."""
    prompts: int
    because: str
    href: str
    is_family: bool
    """True for a family's share, False for a measure."""
    size: float
    """Absolute change as a fraction, for the order."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What one engine's comparison could have seen, in plain words."""

    engine: str
    verdict: str
    """The strongest thing said of the engine as a whole, or `not compared`."""
    text: str
    brief: str
    """The same in one breath."""
    left_out: tuple[str, ...]
    """Prompts that were not compared, a line a reason."""
    events: tuple[str, ...]
    appeared: tuple[str, ...]
    disappeared: tuple[str, ...]


def findings(view: ReportView) -> tuple[Finding, ...]:
    """Everything called changed or watch: changed first, families first, then by size.

    Families lead because measures follow from them: who is cited moves what is recalled.
    """
    found = [f for engine in view.engines for f in _of_engine(view, engine)]
    return tuple(sorted(found, key=_order))


def _order(finding: Finding) -> tuple[int, bool, float, str]:
    """Place of a finding among the others."""
    place = _SPOKEN.index(finding.verdict)
    return place, not finding.is_family, -finding.size, finding.sentence


def headline(view: ReportView) -> str:
    """The largest real change in words; else why there is none, never that all is stable."""
    since = _since(view)
    if since is None:
        return f"First run of {view.panel.name}: nothing to compare with yet"
    said = findings(view)
    if said:
        return said[0].sentence
    compared = [e.comparison for e in view.engines if e.comparison]
    if compared and not any(c.is_comparable for c in compared):
        return f"This run cannot be compared with {since}"
    if not any(c.verdict is ChangeVerdict.NO_CLEAR_CHANGE for c in compared):
        return f"Not enough data to tell a change since {since}"
    return f"No clear change since {since}"


def lede(view: ReportView) -> str:
    """How far the headline speaks for the rest; may be empty."""
    said = findings(view)
    return _rest(view, said) if said else ""


def _rest(view: ReportView, said: tuple[Finding, ...]) -> str:
    """How many findings follow and of whom, then what is said of the other engines."""
    labels = {engine.name: engine.label for engine in view.engines}
    more = Counter(labels[finding.engine] for finding in said[1:])
    follow = ", ".join(f"{number} of {label}" for label, number in more.items())
    if len(more) == 1:
        follow = f"of {next(iter(more))}"
    head = (f"{plural(more.total(), 'more finding')}, {follow}.",) if follow else ()
    return " ".join((*head, *_silent(view, {finding.engine for finding in said})))


def _silent(view: ReportView, spoken: set[str]) -> Iterator[str]:
    """Engines without any finding, by the verdict on each as a whole."""
    verdicts: dict[str, list[str]] = {}
    for engine in view.engines:
        if engine.name not in spoken:
            verdicts.setdefault(verdict_of(engine), []).append(engine.label)
    for verdict, engines in verdicts.items():
        yield f"{verdict.capitalize()}: {', '.join(engines)}."


def verdict_of(engine: EngineView) -> str:
    """The strongest thing said of an engine as a whole, or `not compared`."""
    return engine.comparison.verdict.value if engine.comparison else "not compared"


def noise(view: ReportView) -> tuple[Noise, ...]:
    """One engine each: families tested, smallest detectable change, events, comings, goings."""
    return tuple(_noise(engine) for engine in view.engines)


def rules_text(view: ReportView) -> str:
    """The rule that calls a change one, in plain words; empty without any comparison."""
    rules = next((e.comparison.rules for e in view.engines if e.comparison), None)
    if rules is None:
        return ""
    expected = round(1 / rules.q_changed) if rules.q_changed else 0
    return (
        f"A family or a measure is called changed when its adjusted p is at most "
        f"{rules.q_changed:g} (Benjamini-Hochberg over the families tested for the engine, and "
        f"apart from them over its measures), it moved by {points(rules.min_change)} or more, "
        f"and by {percent(rules.min_relative)} or more of the larger share. Of all that is called "
        f"changed, about 1 in {expected} is expected to be noise. No clear change does not mean "
        "that nothing moved."
    )


def watch_text(view: ReportView) -> str:
    """The adjusted p up to which a change is to be watched; empty without any comparison."""
    rules = next((e.comparison.rules for e in view.engines if e.comparison), None)
    return "" if rules is None else f"{rules.q_watch:g}"


def _of_engine(view: ReportView, engine: EngineView) -> Iterator[Finding]:
    """Findings of one engine."""
    if engine.comparison is None or not engine.comparison.is_comparable:
        return
    for change in (*engine.comparison.families, *engine.comparison.measures):
        if change.verdict in _SPOKEN:
            yield _finding(view, engine, change)


def _finding(view: ReportView, engine: EngineView, change: Change) -> Finding:
    """One change with its numbers as text."""
    test = change.test
    is_family = change.subject is Subject.FAMILY_SHARE
    anchor = cites_anchor if is_family else rows_anchor
    return Finding(
        engine=engine.name,
        sentence=_sentence(view, engine, change),
        brief=_brief(view, change),
        verdict=change.verdict,
        before=side_text(change.before),
        after=side_text(change.after),
        places=(_place(change.before), _place(change.after)),
        difference=signed_points(change.difference),
        interval=signed_interval(test.interval) if test else "",
        adjusted=p_value(test.adjusted if test else None),
        chance=odds(test.adjusted if test else None),
        prompts=change.prompts,
        because=change.because,
        href=f"#{anchor(engine.name, change.name)}",
        is_family=is_family,
        size=abs(change.difference or 0.0),
    )


def _place(side: Side) -> float | None:
    """A pooled share on a line from 0 to 100, rounded for drawing."""
    value = side.pooled.value
    return None if value is None else round(100 * value, 1)


def side_text(side: Side) -> str:
    """One sample's counts and share; the mean per answer beside it where the two differ."""
    beside = per_answer_text(side)
    return f"{rate_text(side.pooled)}; {beside}" if beside else rate_text(side.pooled)


def per_answer_text(side: Side) -> str:
    """The mean per answer as `per answer 12 %`; empty where the pooled share is close to it."""
    return f"per answer {percent(side.share)}" if side.levels_differ else ""


def _sentence(view: ReportView, engine: EngineView, change: Change) -> str:
    """A change as a sentence; `may` where it is only to be watched."""
    since = _since(view) or "before"
    if change.subject is Subject.MEASURE:
        verb = "may be" if change.verdict is ChangeVerdict.WATCH else "is"
        label, height, judged = _measured(view, change)
        return f"{label} of {engine.label} {verb} {height} than in {since}{judged}"
    tail = f", unlike in {since}" if change.appearance else f" than in {since}"
    return f"{engine.label} {_cited(change)}{tail}"


def _brief(view: ReportView, change: Change) -> str:
    """A change in few words."""
    if change.subject is not Subject.MEASURE:
        return _cited(change)
    label, height, judged = _measured(view, change)
    may = "may be " if change.verdict is ChangeVerdict.WATCH else ""
    return f"{label} {may}{height}{judged}"


def _cited(change: Change) -> str:
    """What an engine does with a family: `now cites it`, `cites it far less`."""
    is_watch = change.verdict is ChangeVerdict.WATCH
    if change.appearance is Appearance.APPEARED:
        return f"{'may now cite' if is_watch else 'now cites'} {change.name}"
    if change.appearance is Appearance.DISAPPEARED:
        return f"{'may no longer cite' if is_watch else 'no longer cites'} {change.name}"
    return f"{'may cite' if is_watch else 'cites'} {change.name} {_direction(change)}"


def _measured(view: ReportView, change: Change) -> tuple[str, str, str]:
    """A measure's name, which way it went, and whether that is good where a direction is."""
    note = view.measures.get(change.name)
    rose = (change.difference or 0.0) > 0
    good = {"up": rose, "down": not rose}.get(note.direction if note else "")
    judged = "" if good is None else " (better)" if good else " (worse)"
    label = note.label if note else change.name.replace("_", " ")
    return label, "higher" if rose else "lower", judged


def _direction(change: Change) -> str:
    """`more` or `less`; with `far` where the share at least doubled or halved."""
    low, high = sorted((change.before.share or 0.0, change.after.share or 0.0))
    far = "far " if high >= _FAR * low else ""
    return f"{far}{'more' if (change.difference or 0.0) > 0 else 'less'}"


def _since(view: ReportView) -> str | None:
    """The earlier run's slot as short as tells it from this one; None without one."""
    return when(view.before_slot, view.slot) if view.before_slot else None


def _noise(engine: EngineView) -> Noise:
    """One engine's comparison in words."""
    comparison = engine.comparison
    if comparison is None:
        why = f"Not compared: {engine.skipped_before or 'no earlier run'}."
        return Noise(engine.label, verdict_of(engine), why, why, (), (), (), ())
    return Noise(
        engine.label,
        verdict_of(engine),
        _noise_text(comparison),
        _brief_text(comparison),
        left_out_words(comparison.left_out),
        tuple(event_words(event) for event in comparison.events),
        _moved(comparison, Appearance.APPEARED),
        _moved(comparison, Appearance.DISAPPEARED),
    )


def _moved(comparison: Comparison, how: Appearance) -> tuple[str, ...]:
    """Families that came or went, commonest first; a line in a report, no alarm by itself."""
    moved = [c for c in comparison.families if c.appearance is how]
    return tuple(c.name for c in sorted(moved, key=lambda c: (-c.counted, c.name)))


def _brief_text(comparison: Comparison) -> str:
    """How small a change would have been seen, or why none would, in one line or two."""
    sizes = _sizes(comparison)
    if not comparison.is_comparable or not sizes:
        return _noise_text(comparison)
    gates = comparison.gates
    return (
        f"{len(sizes)} of {len(comparison.families)} families tested, {gates.matched} of "
        f"{plural(gates.panel, 'prompt')} matched; a change under about {points(median(sizes))} "
        "would usually go unseen."
    )


def _noise_text(comparison: Comparison) -> str:
    """Families tested, prompts matched, and how small a change would have been seen."""
    gates = comparison.gates
    if not comparison.is_comparable:
        return f"Not comparable: {'; '.join(gates.failures)}."
    matched = f"{gates.matched} of {plural(gates.panel, 'prompt')} matched"
    if gates.matched < comparison.rules.counts_below:
        few = f"counts only, intervals from {comparison.rules.counts_below} prompts."
        return f"{matched}: {few}"
    tested = [c for c in comparison.families if c.test and c.test.adjusted is not None]
    limit = (
        ""
        if gates.matched >= comparison.rules.alerts_from
        else f" Verdicts of change need {comparison.rules.alerts_from} matched prompts."
    )
    families = plural(len(tested), "family", "families")
    seen = _detectable(comparison)
    return f"{families} of {len(comparison.families)} tested; {matched}.{seen}{limit}"


def _detectable(comparison: Comparison) -> str:
    """The change that would usually be found, over the tested families."""
    sizes = _sizes(comparison)
    if not sizes:
        return " No family was cited often enough to test."
    return (
        f" A change under about {points(median(sizes))} in a family's share would usually go "
        f"unseen (smallest detectable; by family from {points(min(sizes))} to "
        f"{points(max(sizes))})."
    )


def _sizes(comparison: Comparison) -> list[float]:
    """Smallest detectable change of every tested family."""
    return [
        c.test.smallest_detectable
        for c in comparison.families
        if c.test and c.test.adjusted is not None and c.test.smallest_detectable is not None
    ]
