"""The first page: what changed, is it noise, was it measured, what next; at most one sheet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from monitor.domain.change import ChangeRules, ChangeVerdict
from monitor.domain.score import Coverage
from monitor.report.digest import plain
from monitor.report.events import events_once, has_event
from monitor.report.findings import Finding, findings, verdict_of
from monitor.report.matrix import coverage_rows
from monitor.report.noise import Noise, noise
from monitor.report.numbers import moment
from monitor.report.steps import NextStep, next_steps
from monitor.report.told import LONGEST, Told, told_alerts
from monitor.report.view import EngineView, ReportView
from monitor.report.words import plural, short

LINES = 6
"""Findings on the first page, over all engines; the rest follows behind it."""

_EACH = 3
"""Findings of one engine."""

SPEAKING = 4
"""Engines whose findings are told on it; the strongest."""

_ENGINES = 6
"""Engines with a line of their own on whether they were measured."""

_EVENTS = 3
_STEPS = 4
_STEP_ROOM = 900
_CROWDED_ROOM = 300
_TOLD_ROOM = 420
_REMINDER_ROOM = 420
"""Characters of steps, and of alerts; what does not fit follows behind the page, nothing is cut."""

_ALERTS = 3
_TOLD = 3
"""Alerts of this run; all of them stand behind the page."""

_OUTCOMES = 2
_ROOMY = 13
"""Lines of tables and lists that stand on a sheet in letters of the usual size."""

_STRONGEST = (
    ChangeVerdict.CHANGED,
    ChangeVerdict.WATCH,
    ChangeVerdict.NOT_COMPARABLE,
    ChangeVerdict.NO_CLEAR_CHANGE,
    ChangeVerdict.NOT_ENOUGH_DATA,
)


@dataclass(frozen=True, slots=True)
class Brief:
    """One engine on the first page."""

    engine: EngineView
    verdict: str
    has_event: bool
    """Whether something else is another than before: a mark beside its numbers says so."""
    told: tuple[Finding, ...]
    more: int
    """Findings that follow behind the first page."""
    noise: Noise
    """What could have been seen."""
    why: str
    """Why nothing could have been seen; empty where something could."""
    heard: str
    """Answers of those planned, and what came instead."""
    is_thin: bool
    """True where too little was heard for a comparison."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything on the first page but its headline."""

    events: tuple[tuple[str, str], ...]
    """(engines, what happened around their answers), each told once."""
    more_events: int
    briefs: tuple[Brief, ...]
    """Strongest first."""
    also: str
    """Engines with findings that are told behind the first page alone."""
    others: str
    """Engines without a line of their own; empty where there are none."""
    told: tuple[Told, ...]
    """Alerts of this run: those first that no finding of the report shows."""
    more_told: int
    reminders: tuple[str, ...]
    """Alerts of earlier runs that are open still, and how many more there are."""
    steps: tuple[NextStep, ...]
    more_steps: int

    @property
    def is_crowded(self) -> bool:
        """Whether so much is told that a sheet needs smaller letters for it."""
        told = [brief for brief in self.briefs if brief.told]
        lines = len(told) + sum(len(brief.told) for brief in told) + len(self.briefs)
        said = 2 * len(self.told) + len(self.reminders)
        return lines + len(self.events) + said > _ROOMY


def summary(view: ReportView) -> Summary:
    """What a reader needs who reads one page alone; nothing on it is an average of engines."""
    ordered = sorted(zip(view.engines, noise(view), strict=True), key=_strength)
    told: dict[str, list[Finding]] = {engine.name: [] for engine, _ in ordered}
    for finding in findings(view):
        told[finding.engine].append(finding)
    speaking = [name for name, said in told.items() if said]
    most = min(_EACH, LINES // max(1, min(SPEAKING, len(speaking))))
    heard = {row.engine.name: _heard(row.coverage, row.others) for row in coverage_rows(view)}
    briefs = [
        _brief(
            engine,
            said,
            told[engine.name],
            most=most if engine.name in speaking[:SPEAKING] else 0,
            heard=heard[engine.name],
        )
        for engine, said in ordered
    ]
    steps = next_steps(view)
    told_now = _unshown_first(view)
    shown = _placed([one.says + one.numbers for one in told_now[:_TOLD]], _TOLD_ROOM)
    events = events_once(view, longest=110)
    made = Summary(
        events=events[:_EVENTS],
        more_events=max(0, len(events) - _EVENTS),
        briefs=tuple(briefs[:_ENGINES]),
        also=", ".join(f"{b.engine.label} ({b.more})" for b in briefs if b.more and not b.told),
        others=", ".join(f"{b.engine.label} ({b.verdict})" for b in briefs[_ENGINES:]),
        told=told_now[:shown],
        more_told=len(told_now) - shown,
        reminders=_reminders(view),
        steps=(),
        more_steps=0,
    )
    room = _CROWDED_ROOM if made.is_crowded else _STEP_ROOM
    placed = _placed([s.text + s.because for s in steps[:_STEPS]], room)
    return replace(made, steps=steps[:placed], more_steps=len(steps) - placed)


def _placed(texts: Sequence[str], room: int) -> int:
    """How many of the texts stand on the page whole: those that have room, and one at least."""
    for number, text in enumerate(texts):
        room -= len(text)
        if number and room < 0:
            return number
    return len(texts)


def _unshown_first(view: ReportView) -> tuple[Told, ...]:
    """Alerts of the run; those last whose numbers are a finding against the run before."""
    said = {(one.engine, one.subject) for one in findings(view)}
    shown = [
        alert.before == (view.before_run,) and (alert.engine, alert.entity) in said
        for alert in view.told
    ]
    pairs = zip(shown, told_alerts(view), strict=True)
    return tuple(one for _, one in sorted(pairs, key=lambda pair: pair[0]))


def _strength(pair: tuple[EngineView, Noise]) -> tuple[int, float]:
    """Place of an engine: by its verdict, then by its largest change called one."""
    comparison = pair[0].comparison
    if comparison is None:
        return len(_STRONGEST), 0.0
    called = [c for c in (*comparison.families, *comparison.measures)
              if c.verdict is comparison.verdict]  # fmt: skip
    size = max((abs(c.difference or 0.0) for c in called), default=0.0)
    return _STRONGEST.index(comparison.verdict), -size


def _brief(engine: EngineView, said: Noise, told: list[Finding], *, most: int, heard: str) -> Brief:
    """One engine in few words."""
    return Brief(
        engine=engine,
        verdict=verdict_of(engine),
        has_event=has_event(engine),
        told=tuple(told[:most]),
        more=max(0, len(told) - most),
        noise=said,
        why="" if said.tested else short(said.text, 220),
        heard=heard,
        is_thin=not ChangeRules().is_heard(engine.card.coverage),
    )


def _heard(coverage: Coverage, others: tuple[tuple[str, int], ...]) -> str:
    """Answers of those planned; where too little was heard, what came instead."""
    shown = () if ChangeRules().is_heard(coverage) else others[:_OUTCOMES]
    rest = "".join(f", {n} {word}" for word, n in shown)
    return f"{coverage.answered} of {coverage.planned} answered{rest}"


def _reminders(view: ReportView) -> tuple[str, ...]:
    """Open alerts in whole sentences, as many as there is room for, and how many more there are."""
    labels = {engine.name: engine.label for engine in view.engines}
    lines = tuple(
        f"{labels.get(one.engine, one.engine)}: {plain(one.says, LONGEST)} "
        f"(open since {moment(one.opened_at)[:10]})"
        for one in view.alerts[:_ALERTS]
    )
    shown = lines[: _placed(lines, _REMINDER_ROOM)]
    more = len(view.alerts) - len(shown)
    return (*shown, f"and {plural(more, 'more open alert')}") if more > 0 else shown
