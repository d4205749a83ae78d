"""Whether a run is fit to be compared at all; if not, that is what is told, and nothing else."""

from collections.abc import Sequence

from monitor.domain.alert import Alert, AlertKind, Direction, Severity
from monitor.domain.change import Comparison
from monitor.domain.instrument import Alarm
from monitor.domain.sample import Sample


def quality_alert(
    after: Sample, previous: Comparison | None, alarms: Sequence[Alarm]
) -> Alert | None:
    """What is wrong with an engine's run, or None where nothing is.

    Its entity is the run: each run that is in doubt is told of once.
    """
    grave = [alarm for alarm in alarms if alarm.grave]
    failures = previous.gates.failures if previous is not None else ()
    if not grave and not failures:
        return None
    reasons = [alarm.says for alarm in grave]
    if previous is not None and failures:
        told = "; ".join(failures)
        reasons.append(f"It cannot be compared with {previous.before_id}: {told}.")
    advice = [alarm.advice for alarm in grave]
    return Alert(
        kind=AlertKind.RUN_QUALITY,
        engine=after.engine,
        entity=after.name,
        direction=Direction.NONE,
        severity=Severity.WARNING,
        says=" ".join(reasons),
        advice=" ".join(advice) or "`monitor compare` names every prompt that was left out.",
        before=(previous.before_id,) if previous is not None else (),
        after=after.name,
    )


def absence_alert(engine: str, after: str) -> Alert:
    """An engine of the panel that the run before asked and this one did not."""
    return Alert(
        kind=AlertKind.RUN_QUALITY,
        engine=engine,
        entity=after,
        direction=Direction.NONE,
        severity=Severity.WARNING,
        says=f"{engine} was not asked in this run: its plan left it out.",
        advice="`monitor check` names what it lacks; its key may be gone.",
        before=(),
        after=after,
    )
