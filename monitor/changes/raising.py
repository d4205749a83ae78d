"""What a run gives cause to tell: changes that passed every rule, each with the answers behind it.

Where a run cannot be compared, or its own counts put it in doubt, that is all that is told. A new
model is told beside a change and suppresses none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from monitor.changes.behind import Value, answers_behind, rate_of, share_in
from monitor.changes.lost import lost_sources
from monitor.changes.quality import quality_alert
from monitor.domain.alert import (
    Alert,
    AlertKind,
    AlertRules,
    AnswerRef,
    Direction,
    Severity,
    ShareScope,
)
from monitor.domain.change import (
    Appearance,
    Change,
    ChangeVerdict,
    Comparison,
    EventKind,
)
from monitor.domain.instrument import Alarm
from monitor.domain.keys import slot_of
from monitor.domain.sample import Sample

ANSWERS = 20
"""Answers named by an alert; how many there are in all stands beside them."""

CONTRADICTIONS = "contradiction_rate"

LEAST_MANY = 5
"""Families that must change at once before the engine itself is said to have changed."""

_NOTHING: Mapping[str, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EngineRun:
    """One engine's run beside the runs before it, as far as they can be compared with it."""

    after: Sample
    earlier: tuple[Sample, ...] = ()
    """Earlier samples of the same engine that were heard, oldest first."""
    previous: Comparison | None = None
    """Against the last of them."""
    drift: Comparison | None = None
    """Against the last `pooled` of them together, which finds slow changes."""
    pooled: int = 3
    alarms: tuple[Alarm, ...] = ()
    """What looks broken about the measuring, from the run's own counts."""
    watched: frozenset[str] = frozenset()
    """Families whose change is critical."""
    stale: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NOTHING)
    """Key of an alert -> runs that are no baseline for it, since a person accepted its level."""


def raise_alerts(panel: str, run: EngineRun, rules: AlertRules) -> tuple[Alert, ...]:
    """Everything there is to tell of one engine's run, gravest first.

    A change that both comparisons find is told once, with the numbers of the run before.
    """
    broken = quality_alert(run.after, run.previous, run.alarms)
    if broken is not None:
        return (broken,) if rules.coverage else ()
    found: dict[str, Alert] = {}
    for alert in (*_model(run, rules), *_changes(run, rules), *_lost(run, rules)):
        key = alert.key(panel)
        if not run.stale.get(key, frozenset()) & set(alert.before):
            found.setdefault(key, alert)
    order = list(Severity)
    return tuple(sorted(found.values(), key=lambda one: order.index(one.severity)))


def _model(run: EngineRun, rules: AlertRules) -> Iterator[Alert]:
    """Another served model: news by itself, whatever it changed."""
    if run.previous is None or not rules.engine_changed:
        return
    for event in run.previous.events:
        if event.kind is EventKind.SERVED_MODEL:
            yield _alert(
                run,
                run.previous,
                AlertKind.ENGINE_CHANGED,
                f"{event.before} -> {event.after}",
                severity=Severity.NOTICE,
                says=f"{run.after.engine} is served by another model: "
                f"{event.after}, {event.before} before.",
                advice="Expect changes beside it; nothing is left out of them for that reason.",
            )


def _changes(run: EngineRun, rules: AlertRules) -> Iterator[Alert]:
    """Changes against the run before, then those that only the pooled runs before show.

    Against pooled runs the month after a step looks like a change once more. So they tell only of
    what goes on moving: the same way against the run before, too.
    """
    for comparison in (run.previous, _going_on(run)):
        if comparison is None or not comparison.is_comparable:
            continue
        yield from _families(run, comparison, rules)
        yield from _measures(run, comparison, rules)
        yield from _concentration(run, comparison, rules)


def _going_on(run: EngineRun) -> Comparison | None:
    """The comparison with pooled runs, less what has stopped since, or turned round."""
    if run.drift is None or run.previous is None:
        return None
    moves = {(c.subject, c.name): c.difference or 0.0 for c in _rows(run.previous)}

    def goes_on(change: Change) -> bool:
        return moves.get((change.subject, change.name), 0.0) * (change.difference or 0.0) > 0

    return replace(
        run.drift,
        families=tuple(filter(goes_on, run.drift.families)),
        measures=tuple(filter(goes_on, run.drift.measures)),
        concentration=run.drift.concentration if _concentrates_on(run) else None,
    )


def _rows(comparison: Comparison) -> tuple[Change, ...]:
    return (*comparison.families, *comparison.measures)


def _concentrates_on(run: EngineRun) -> bool:
    """Whether concentration moves the same way against the run before as against the pooled."""
    tests = [
        one.concentration.test
        for one in (run.previous, run.drift)
        if one is not None and one.concentration is not None
    ]
    ratios = [test.ratio for test in tests if test is not None]
    return len(ratios) == 2 and (ratios[0] - 1) * (ratios[1] - 1) > 0


def _families(run: EngineRun, comparison: Comparison, rules: AlertRules) -> Iterator[Alert]:
    """Shares that changed; many at once are one alert about the engine, but for watched ones."""
    strict = None if comparison is run.previous else rules.strict_level
    changed = [c for c in comparison.families if _is_changed(c, strict)]
    tested = sum(change.is_tested for change in comparison.families)
    many = len(changed) >= LEAST_MANY and len(changed) > rules.many * tested
    if many and rules.engine_changed:
        yield _many(run, comparison, changed, tested)
    for change in changed:
        watched = change.name in run.watched
        if rules.share is ShareScope.OFF or (rules.share is ShareScope.WATCHED and not watched):
            continue
        if watched or not (many and rules.engine_changed):
            yield _family(run, comparison, change, rules)


def _is_changed(change: Change, strict: float | None) -> bool:
    """Whether a change passed every rule, and a stricter level where one is set."""
    if change.verdict is not ChangeVerdict.CHANGED:
        return False
    adjusted = change.test.adjusted if change.test else None
    return strict is None or (adjusted is not None and adjusted <= strict)


def _many(run: EngineRun, comparison: Comparison, changed: Sequence[Change], tested: int) -> Alert:
    """One alert in place of one a family."""
    named = ", ".join(c.name for c in changed[:LEAST_MANY])
    more = f" and {len(changed) - LEAST_MANY} more" if len(changed) > LEAST_MANY else ""
    return _alert(
        run,
        comparison,
        AlertKind.ENGINE_CHANGED,
        "sources",
        says=f"{run.after.engine} cites otherwise as a whole: the shares of {len(changed)} of "
        f"{tested} tested families changed at once, among them {named}{more}.",
        advice="Look for a change of the engine itself first: its model, its searches, its layout.",
        answers=tuple(
            dict.fromkeys(ref for c in changed for ref in _behind(run, comparison, c, share_in))
        ),
    )


def _family(run: EngineRun, comparison: Comparison, change: Change, rules: AlertRules) -> Alert:
    """One family's share."""
    size = abs(change.difference or 0.0)
    grave = size >= rules.critical_change or change.appearance is Appearance.DISAPPEARED
    return _alert(
        run,
        comparison,
        AlertKind.FAMILY_SHARE,
        change.name,
        severity=Severity.CRITICAL if change.name in run.watched and grave else Severity.WARNING,
        says=f"{run.after.engine} {_cites(change)} {_since(run, comparison)}.",
        advice=_RISEN if (change.difference or 0.0) > 0 else _FALLEN,
        change=change,
        answers=_behind(run, comparison, change, share_in),
    )


_RISEN = "Open the answers: what it is cited for, and which source it took the place of."
_FALLEN = "Open the answers: which prompts lost it, and which source stands there instead."


def _cites(change: Change) -> str:
    """What became of a family, without numbers."""
    if change.appearance is Appearance.APPEARED:
        return f"now cites {change.name}, unlike"
    if change.appearance is Appearance.DISAPPEARED:
        return f"no longer cites {change.name}, unlike"
    return f"cites {change.name} {'more' if (change.difference or 0) > 0 else 'less'} than"


def _since(run: EngineRun, comparison: Comparison) -> str:
    """The runs that a change is held against, as a sentence ends with them."""
    before = _before(run, comparison)
    return (
        f"in {slot_of(before[0])}"
        if len(before) == 1
        else f"in the {len(before)} runs before, pooled"
    )


def _measures(run: EngineRun, comparison: Comparison, rules: AlertRules) -> Iterator[Alert]:
    """Measures that are to be told, and contradictions that became more frequent."""
    for change in comparison.measures:
        if not _is_changed(change, rules.strict_level):
            continue
        rose = (change.difference or 0.0) > 0
        if change.name == CONTRADICTIONS and rules.contradiction and rose:
            yield _measure(run, comparison, change, AlertKind.CONTRADICTION)
        elif change.name in rules.measures:
            yield _measure(run, comparison, change, AlertKind.MEASURE)


def _measure(run: EngineRun, comparison: Comparison, change: Change, kind: AlertKind) -> Alert:
    """One measure, with the answers that made its difference."""
    rose = (change.difference or 0.0) > 0
    spoken = change.name.replace("_", " ")
    return _alert(
        run,
        comparison,
        kind,
        change.name,
        says=f"{spoken} of {run.after.engine} is {'higher' if rose else 'lower'} than "
        f"{_since(run, comparison)}.",
        advice="Open the answers and see which sources or claims made the difference.",
        change=change,
        answers=_behind(run, comparison, change, rate_of),
    )


def _behind(
    run: EngineRun, comparison: Comparison, change: Change, value: Callable[[str], Value]
) -> tuple[AnswerRef, ...]:
    """The answers that made a change."""
    many = 1 if comparison is run.previous else run.pooled
    rose = (change.difference or 0.0) > 0
    return answers_behind(run.after, run.earlier[-many:], value(change.name), rose=rose)


def _concentration(run: EngineRun, comparison: Comparison, rules: AlertRules) -> Iterator[Alert]:
    """Citations spread over clearly more or fewer sources."""
    change = comparison.concentration
    if not rules.concentration or change is None or change.verdict is not ChangeVerdict.CHANGED:
        return
    test = change.test
    if test is None or test.adjusted is None or test.adjusted > rules.strict_level:
        return
    more = test.ratio > 1
    yield Alert(
        kind=AlertKind.CONCENTRATION,
        engine=run.after.engine,
        entity="effective sources",
        direction=Direction.DOWN if more else Direction.UP,
        severity=Severity.WARNING,
        says=f"{run.after.engine} spreads its citations over "
        f"{'fewer' if more else 'more'} sources than {_since(run, comparison)}.",
        advice="Look at the largest families: which one took or lost its place.",
        before=_before(run, comparison),
        after=run.after.name,
        concentration=change,
    )


def _lost(run: EngineRun, rules: AlertRules) -> Iterator[Alert]:
    """Required sources that every answer cited before and none of the last two runs does."""
    if not rules.required_lost or run.previous is None:
        return
    level = run.previous.rules.q_changed
    for lost in lost_sources(run.earlier, run.after, level=level):
        refs = tuple(_ref(run.after, capture) for capture in lost.captures)
        yield Alert(
            kind=AlertKind.REQUIRED_LOST,
            engine=run.after.engine,
            entity=f"{lost.prompt_id}: {lost.source}",
            direction=Direction.DOWN,
            severity=Severity.WARNING,
            says=f"{run.after.engine} no longer cites the required source {lost.source} for "
            f"{lost.prompt_id}: 0 of {lost.missing} answers of the last two runs do, "
            f"{lost.cited} of {lost.cited} before did.",
            advice="See what is cited in its place, and whether the page can still be read.",
            before=tuple(name for one in run.earlier[:-1] for name in one.runs),
            after=run.after.name,
            answers=refs,
            answers_in_all=len(refs),
        )


def _before(run: EngineRun, comparison: Comparison) -> tuple[str, ...]:
    """Runs that a comparison holds this one against."""
    if comparison is run.previous:
        return run.earlier[-1].runs
    return tuple(name for one in run.earlier[-run.pooled :] for name in one.runs)


def _alert(
    run: EngineRun,
    comparison: Comparison,
    kind: AlertKind,
    entity: str,
    *,
    says: str,
    advice: str,
    severity: Severity = Severity.WARNING,
    change: Change | None = None,
    answers: Sequence[AnswerRef] = (),
) -> Alert:
    """An alert with its direction and the answers behind it."""
    moved = change.difference if change else None
    return Alert(
        kind=kind,
        engine=run.after.engine,
        entity=entity,
        direction=Direction.NONE if not moved else Direction.UP if moved > 0 else Direction.DOWN,
        severity=severity,
        says=says,
        advice=advice,
        before=_before(run, comparison),
        after=run.after.name,
        change=change,
        answers=tuple(answers[:ANSWERS]),
        answers_in_all=len(answers),
    )


def _ref(sample: Sample, capture_id: int) -> AnswerRef:
    """One answer by name."""
    tally = sample.tallies[capture_id]
    return AnswerRef(capture_id, tally.prompt_id, tally.repeat, sample.run_of[capture_id])
