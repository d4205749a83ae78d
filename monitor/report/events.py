"""What happened around the answers of two runs: no proof of a cause, and said once."""

from monitor.domain.change import EventKind
from monitor.report.view import EngineView, ReportView
from monitor.report.words import event_words, short


def has_event(engine: EngineView) -> bool:
    """Whether anything but the scoring, which is alike on both sides, is another than before."""
    events = engine.comparison.events if engine.comparison else ()
    return any(event.kind is not EventKind.RESCORED for event in events)


def events_once(view: ReportView, *, longest: int) -> tuple[tuple[str, str], ...]:
    """(engines, event) of every event; what may explain a change comes first."""
    engines: dict[str, list[str]] = {}
    late: set[str] = set()
    for engine in view.engines:
        for event in engine.comparison.events if engine.comparison else ():
            said = short(event_words(event), longest)
            engines.setdefault(said, []).append(engine.label)
            late |= {said} if event.kind is EventKind.RESCORED else set()
    whole = len(view.engines)
    return tuple(
        ("All engines" if len(names) == whole > 1 else ", ".join(names), said)
        for said, names in sorted(engines.items(), key=lambda pair: pair[0] in late)
    )
