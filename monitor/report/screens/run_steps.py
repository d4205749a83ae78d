"""What to do next, told from the counts of a run alone: each step with the rows it rests on."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from monitor.domain.score import Rate
from monitor.report.findings import findings
from monitor.report.numbers import counts, percent
from monitor.report.screens.links import page_address
from monitor.report.screens.rows import Behind, Only, behind_address
from monitor.report.screens.run_news import ToldView, finding_address
from monitor.report.steps import next_steps
from monitor.report.told import told_alerts
from monitor.report.view import EngineView, ReportView
from monitor.report.words import plural, reasons_words, short

_MOST = 3
"""Steps of one kind."""
_NAME = 64
_ASSESSED = 0.95
"""Assessed share under which somebody should look at what was left open."""


@dataclass(frozen=True, slots=True)
class StepLink:
    """Where the evidence of a step stands."""

    label: str
    href: str


@dataclass(frozen=True, slots=True)
class StepView:
    """One thing to do, and why."""

    text: str
    because: str
    links: tuple[StepLink, ...]


def run_steps(
    view: ReportView, told: tuple[ToldView, ...], captures_of: Mapping[int, str]
) -> tuple[StepView, ...]:
    """Everything that follows from the numbers; `captures_of` is capture id -> engine."""
    return (
        *_from_report(view, told),
        *_missed_sources(view, captures_of),
        *_contradicted(view),
        *_missed_claims(view),
        *_unassessed(view),
    )


def _from_report(view: ReportView, told: tuple[ToldView, ...]) -> Iterator[StepView]:
    """Steps that a report tells, too: health of the run, its headline, its baseline."""
    places = {finding.href: finding_address(view, finding) for finding in findings(view)}
    alerts = {f"#{one.anchor}": shown for one, shown in zip(told_alerts(view), told, strict=True)}
    # Captures are left out: what steps tell of them is told from counts below.
    for step in next_steps(replace(view, captures=())):
        href = places.get(step.href)
        if href is None and step.href in alerts:
            href = alerts[step.href].href
        link = StepLink("rows behind it", href) if href else StepLink("coverage", "#measured")
        yield StepView(step.text, step.because, (link,))


def _missed_sources(view: ReportView, captures_of: Mapping[int, str]) -> Iterator[StepView]:
    """Required sources that answers leave out most often."""
    asked, missed = Counter[str](), Counter[str]()
    engines: dict[str, Counter[str]] = {}
    for capture, tally in view.tallies.items():
        for key, rate in tally.required.items():
            if not rate.total:
                continue
            asked[key] += 1
            if not rate.hits and capture in captures_of:
                missed[key] += 1
                engines.setdefault(key, Counter())[captures_of[capture]] += 1
    ordered = sorted(missed, key=lambda key: (-missed[key], key))
    for key in ordered[:_MOST]:
        links = _links(view, dict(engines[key]), "required_source_recall", Only.MISSES)
        yield StepView(
            f"Find out why {short(key, _NAME)} is left out of {missed[key]} of "
            f"{plural(asked[key], 'answer')}: can engines fetch and read it?",
            "required by the baseline; left out by the engine named, so often",
            links,
        )


def _links(
    view: ReportView, numbers: Mapping[str, int | str], measure: str, which: Only
) -> tuple[StepLink, ...]:
    """A link for each engine, in the view's order, with its own number."""
    return tuple(
        StepLink(
            f"{engine.label}: {numbers[engine.name]}",
            behind_address(view.run, Behind(engine.name, measure), which=which),
        )
        for engine in view.engines
        if engine.name in numbers
    )


def _rates(view: ReportView, measure: str) -> dict[str, Rate]:
    """Engine -> its counts of a measure, where it was measured."""
    found = ((engine.name, engine.card.measures.get(measure)) for engine in view.engines)
    return {name: one.rate for name, one in found if one and isinstance(one.rate, Rate)}


def _contradicted(view: ReportView) -> Iterator[StepView]:
    """Claims that their own source contradicts."""
    rates = {name: r for name, r in _rates(view, "contradiction_rate").items() if r.hits}
    if rates:
        yield StepView(
            "Read the claims that their own source contradicts",
            f"{plural(sum(r.hits for r in rates.values()), 'claim')} over all engines",
            _links(view, {n: counts(r) for n, r in rates.items()}, "contradiction_rate", Only.HITS),
        )


def _missed_claims(view: ReportView) -> Iterator[StepView]:
    """Required claims for which answers show no evidence."""
    name = "claim_evidence_recall"
    missed = {n: r.total - r.hits for n, r in _rates(view, name).items() if r.hits < r.total}
    if missed:
        yield StepView(
            "Publish or point out evidence for the required claims that answers do not support",
            f"no supporting citation {plural(sum(missed.values()), 'time')} over all engines",
            _links(view, {n: f"{m:g}" for n, m in missed.items()}, name, Only.MISSES),
        )


def _unassessed(view: ReportView) -> Iterator[StepView]:
    """Engines of which a part could not be assessed, by the measure that lacks most."""
    found = [(share, engine, name) for engine in view.engines
             if (least := _least_assessed(engine)) is not None
             for share, name in [least]]  # fmt: skip
    for share, engine, name in sorted(found, key=lambda one: one[0])[:_MOST]:
        rate = engine.card.measures[name].rate
        assert isinstance(rate, Rate)
        yield StepView(
            f"Look at what of {engine.label} could not be assessed",
            f"{percent(share)} of {view.measures[name].label} assessed; "
            f"{reasons_words(rate.not_assessable)}",
            _open_links(view, engine, name, rate),
        )


def _open_links(
    view: ReportView, engine: EngineView, name: str, rate: Rate
) -> tuple[StepLink, ...]:
    """Rows in which something was left open, and where that can be settled."""
    behind = behind_address(view.run, Behind(engine.name, name), which=Only.UNASSESSED)
    grade = (StepLink("grade sources", page_address("baselines")),)
    return (
        StepLink("rows with something open", behind),
        *(grade if "ungraded" in rate.not_assessable else ()),
    )


def _least_assessed(engine: EngineView) -> tuple[float, str] | None:
    """The smallest assessed share of an engine under what is usual, and of which measure."""
    shares = [
        (share, name)
        for name, one in engine.card.measures.items()
        if isinstance(one.rate, Rate)
        and (share := one.rate.assessed_share) is not None
        and share < _ASSESSED
    ]
    return min(shares, default=None)
