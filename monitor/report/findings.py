"""What changed, in words: the headline, the findings behind it, and whether it is noise."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from monitor.domain.alert import AlertKind
from monitor.domain.change import (
    Appearance,
    Change,
    ChangeVerdict,
    ConcentrationChange,
    Side,
    Subject,
)
from monitor.domain.score import Concentration
from monitor.report.against import against_words
from monitor.report.numbers import (
    NOT_MEASURED,
    index,
    odds,
    p_value,
    p_words,
    percent,
    rate_text,
    signed_index,
    signed_interval,
    signed_points,
    sources,
    times,
)
from monitor.report.view import EngineView, ReportView
from monitor.report.words import (
    cites_anchor,
    plural,
    rows_anchor,
    visible,
    when,
)

_FAR = 2.0
"""Times as much, or as little, from which a sentence says `far`."""

_SPOKEN = (ChangeVerdict.CHANGED, ChangeVerdict.WATCH)


@dataclass(frozen=True, slots=True)
class Finding:
    """One change worth a line: only `changed` and `watch` are."""

    engine: str
    subject: str
    """Source family, measure, or `concentration`."""
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
    """The largest real change in words; else why there is none, never that all is stable.

    What was told of this run all the same, against other runs for instance, stands beside that.
    """
    since = _since(view)
    if since is None and view.imported:
        return f"Answers of {view.panel.name} that were handed in: compared with nothing"
    if since is None:
        return f"First run of {view.panel.name}: nothing to compare with yet"
    said = findings(view)
    if said:
        return said[0].sentence
    compared = [e.comparison for e in view.engines if e.comparison]
    if compared and not any(c.is_comparable for c in compared):
        return f"This run cannot be compared with {since}"
    if not any(c.verdict is ChangeVerdict.NO_CLEAR_CHANGE for c in compared):
        return f"Not enough data to tell a change since {since}{_but(view)}"
    return f"No clear change since {since}{_but(view)}"


def _but(view: ReportView) -> str:
    """The gravest alert that the run told of its answers; empty for none."""
    told = next((one for one in view.told if one.kind is not AlertKind.RUN_QUALITY), None)
    if told is None:
        return ""
    said = visible(" ".join(told.says.split())).removesuffix(".")
    is_named = "pooled" in said or any(name in said for name in told.before)
    against = "" if is_named or told.before == (view.before_run,) else against_words(told)
    return f", but {said} ({against})" if against else f", but {said}"


def lede(view: ReportView) -> str:
    """How far the headline speaks for the rest; may be empty."""
    said = findings(view)
    parts = (_rest(view, said) if said else "", _told(view))
    return " ".join(part for part in parts if part)


def _told(view: ReportView) -> str:
    """How many alerts the run told; empty for none."""
    return f"{plural(len(view.told), 'alert')} told of this run." if view.told else ""


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


def _of_engine(view: ReportView, engine: EngineView) -> Iterator[Finding]:
    """Findings of one engine."""
    if engine.comparison is None or not engine.comparison.is_comparable:
        return
    for change in (*engine.comparison.families, *engine.comparison.measures):
        if change.verdict in _SPOKEN:
            yield _finding(view, engine, change)
    concentration = engine.comparison.concentration
    if concentration is not None and concentration.verdict in _SPOKEN:
        yield _concentration(view, engine, concentration)


def _finding(view: ReportView, engine: EngineView, change: Change) -> Finding:
    """One change with its numbers as text."""
    test = change.test
    is_family = change.subject is Subject.FAMILY_SHARE
    anchor = cites_anchor if is_family else rows_anchor
    return Finding(
        engine=engine.name,
        subject=change.name,
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
        because=p_words(change.because),
        href=f"#{anchor(engine.name, change.name)}",
        is_family=is_family,
        size=abs(change.difference or 0.0),
    )


def _concentration(view: ReportView, engine: EngineView, change: ConcentrationChange) -> Finding:
    """A change of concentration with its numbers as text."""
    test = change.test
    may = "may spread" if change.verdict is ChangeVerdict.WATCH else "spreads"
    fewer = "fewer" if (change.difference or 0.0) > 0 else "more"
    brief = f"{may} its citations over {fewer} sources"
    return Finding(
        engine=engine.name,
        subject="concentration",
        sentence=f"{engine.label} {brief} than in {_since(view) or 'before'}",
        brief=brief,
        verdict=change.verdict,
        before=concentration_text(change.before),
        after=concentration_text(change.after),
        places=(None, None),
        difference=f"{signed_index(change.difference)} HHI",
        interval=times(test.ratio, test.interval) if test else "",
        adjusted=p_value(test.adjusted if test else None),
        chance=odds(test.adjusted if test else None),
        prompts=change.prompts,
        because=p_words(change.because),
        href="#families",
        is_family=False,
        size=abs(change.difference or 0.0),
    )


def concentration_text(value: Concentration) -> str:
    """A concentration as `HHI 0.228 (4.4 effective sources)`."""
    if value.hhi is None:
        return NOT_MEASURED
    return f"HHI {index(value.hhi)} ({sources(value.effective_sources)} effective sources)"


def concentration_tested(change: ConcentrationChange) -> str:
    """What the test of a concentration compares, with its ratio and interval; empty without one.

    As `cross-prompt HHI 0.228 -> 0.342, 1.50 times (1.20 to 1.88); effective sources 4.4 -> 2.9`.
    """
    if change.test is None:
        return ""
    before, after = (side.cross_prompt for side in (change.before, change.after))
    least = (sources(1 / value if value else None) for value in (before, after))
    return (
        f"cross-prompt HHI {index(before)} -> {index(after)}, "
        f"{times(change.test.ratio, change.test.interval)}; "
        f"effective sources {' -> '.join(least)}"
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
