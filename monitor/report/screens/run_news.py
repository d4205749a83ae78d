"""What changed in a run, and whether it is noise: findings, events, alerts, each with its rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.report.events import events_once, has_event
from monitor.report.findings import Finding, findings, headline, lede
from monitor.report.noise import noise, rules_text
from monitor.report.screens.links import (
    alert_address,
    capture_address,
    family_rows_address,
    page_address,
    rows_address,
    run_address,
)
from monitor.report.told import told_alerts
from monitor.report.view import EngineView, ReportView
from monitor.report.words import when


@dataclass(frozen=True, slots=True)
class FindingView:
    """One change worth a line, with the rows it rests on."""

    engine: str
    label: str
    sentence: str
    brief: str
    verdict: str
    before: str
    after: str
    places: tuple[float | None, float | None]
    """Shares before and after in percent, for drawing."""
    difference: str
    interval: str
    adjusted: str
    chance: str
    prompts: int
    because: str
    has_event: bool
    """Whether something else is another than before, too."""
    href: str


@dataclass(frozen=True, slots=True)
class EventView:
    """Something that happened around the answers; no proof of a cause."""

    engines: str
    says: str


@dataclass(frozen=True, slots=True)
class ToldView:
    """An alert that the run told."""

    label: str
    """Name of the engine for readers."""
    says: str
    severity: str
    numbers: str
    against: str
    href: str | None
    """Page of the alert; None where the store keeps it no more."""
    answers: tuple[tuple[str, str], ...]
    """(name, address) of the first answers behind it."""
    more: int


@dataclass(frozen=True, slots=True)
class ReminderLine:
    """An alert of an earlier run that is open still."""

    engine: str
    says: str
    since: str


@dataclass(frozen=True, slots=True)
class NoiseView:
    """What one engine's comparison could have seen."""

    engine: str
    label: str
    verdict: str
    text: str
    tested: str
    matched: str
    detectable: str
    left_out: tuple[str, ...]
    appeared: tuple[str, ...]
    disappeared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class News:
    """What changed, and is it noise."""

    headline: str
    lede: str
    before_run: str | None
    before_name: str
    now_name: str
    before_href: str | None
    compare_href: str | None
    """Both runs side by side, number by number."""
    events: tuple[EventView, ...]
    findings: tuple[FindingView, ...]
    """Changed first, then to be watched; of all engines."""
    told: tuple[ToldView, ...]
    reminders: tuple[ReminderLine, ...]
    noise: tuple[NoiseView, ...]
    rule: str
    """The rule that calls a change one; empty without any comparison."""


def news(view: ReportView, alert_ids: Mapping[str, int]) -> News:
    """What a run has to tell; `alert_ids` are the store's ids of its alerts by their key."""
    engines = {one.name: one for one in view.engines}
    return News(
        headline=headline(view),
        lede=lede(view),
        before_run=view.before_run,
        before_name=when(view.before_slot, view.slot) if view.before_slot else "",
        now_name=when(view.slot, view.before_slot),
        before_href=run_address(view.before_run) if view.before_run else None,
        compare_href=_compare(view),
        events=tuple(EventView(*one) for one in events_once(view, longest=160)),
        findings=tuple(_finding(view, engines[one.engine], one) for one in findings(view)),
        told=_told(view, alert_ids),
        reminders=tuple(
            ReminderLine(
                engines[one.engine].label if one.engine in engines else one.engine,
                one.says,
                f"{one.opened_at:%Y-%m-%d}",
            )
            for one in view.alerts
        ),
        noise=tuple(
            NoiseView(
                engine.name, said.engine, said.verdict, said.text, said.tested, said.matched,
                said.detectable, said.left_out, said.appeared, said.disappeared,
            )
            for engine, said in zip(view.engines, noise(view), strict=True)
        ),
        rule=rules_text(view),
    )  # fmt: skip


def finding_address(view: ReportView, finding: Finding) -> str:
    """Rows that a finding rests on; the families of its engine where it is about them all."""
    if finding.is_family:
        return family_rows_address(view.run, finding.engine, finding.subject)
    if finding.subject in view.measures:
        return rows_address(view.run, finding.engine, finding.subject)
    return page_address("families", run=view.run, engine=finding.engine)


def _compare(view: ReportView) -> str | None:
    """Address of the page that holds both runs against each other."""
    if view.before_run is None:
        return None
    return page_address("compare", before=view.before_run, after=view.run)


def _finding(view: ReportView, engine: EngineView, one: Finding) -> FindingView:
    return FindingView(
        engine=engine.name,
        label=engine.label,
        sentence=one.sentence,
        brief=one.brief,
        verdict=one.verdict.value,
        before=one.before,
        after=one.after,
        places=one.places,
        difference=one.difference,
        interval=one.interval,
        adjusted=one.adjusted,
        chance=one.chance,
        prompts=one.prompts,
        because=one.because,
        has_event=has_event(engine),
        href=finding_address(view, one),
    )


def _told(view: ReportView, alert_ids: Mapping[str, int]) -> tuple[ToldView, ...]:
    """Alerts of the run, gravest first."""
    engines = {one.name: one.label for one in view.engines}
    return tuple(
        ToldView(
            label=engines.get(alert.engine, alert.engine),
            says=one.says,
            severity=one.severity,
            numbers=one.numbers,
            against=one.against,
            href=alert_address(found) if found is not None else None,
            answers=tuple(
                (name, capture_address(answer.capture_id))
                for (name, _), answer in zip(one.answers, alert.answers, strict=True)
            ),
            more=one.more,
        )
        for one, alert in zip(told_alerts(view), view.told, strict=True)
        for found in [alert_ids.get(alert.key(view.panel.name))]
    )
