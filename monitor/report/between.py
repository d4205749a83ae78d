"""What engines have in common: overlap, shared sources, and bounded recall side by side."""

from dataclasses import dataclass

from monitor.report.numbers import NOT_MEASURED, interval, percent
from monitor.report.view import BoundedView, OverlapView, ReportView, SharedView
from monitor.report.words import clipped

_KINDS = {
    "repeats": "Between repeats of one engine",
    "engines": "Between engines",
    "months": "Between this run and the one before",
}


@dataclass(frozen=True, slots=True)
class OverlapRow:
    """One overlap of cited families in words."""

    kind: str
    sides: str
    mean: str
    prompts: int
    panel_wide: str


@dataclass(frozen=True, slots=True)
class SharedRow:
    """One source that several engines cite, in words."""

    kind: str
    key: str
    engines: str


@dataclass(frozen=True, slots=True)
class BoundedRow:
    """One engine's recall against the pool, in words."""

    label: str
    bounds: str
    point: str
    judged: str
    widened: str
    higher_than: str


def overlap_rows(view: ReportView) -> tuple[OverlapRow, ...]:
    """Mean overlap of cited families, kinds in a fixed order."""
    labels = _labels(view)
    order = {kind: place for place, kind in enumerate(_KINDS)}
    ordered = sorted(view.overlaps, key=lambda o: order.get(o.kind, len(order)))
    return tuple(_overlap(overlap, labels) for overlap in ordered)


def shared_rows(view: ReportView) -> tuple[SharedRow, ...]:
    """Families and copied texts cited by at least two engines, most shared first."""
    labels = _labels(view)
    ordered = sorted(view.shared, key=lambda s: (-len(s.engines), s.kind, s.key))
    return tuple(_shared(shared, labels) for shared in ordered)


def bounded_rows(view: ReportView) -> tuple[BoundedRow, ...]:
    """Recall against everything the engines cited together, one engine each."""
    labels = _labels(view)
    return tuple(_bounded(bounded, labels) for bounded in view.bounded)


def _labels(view: ReportView) -> dict[str, str]:
    """Engine -> its name for a reader."""
    return {engine.name: engine.label for engine in view.engines}


def _overlap(overlap: OverlapView, labels: dict[str, str]) -> OverlapRow:
    """One overlap in words; an engine with itself is named once."""
    a, b = (labels.get(side, side) for side in (overlap.a, overlap.b))
    return OverlapRow(
        _KINDS.get(overlap.kind, overlap.kind),
        a if a == b else f"{a} and {b}",
        percent(overlap.mean),
        overlap.prompts,
        percent(overlap.panel_wide),
    )


def _shared(shared: SharedView, labels: dict[str, str]) -> SharedRow:
    """One shared source in words."""
    names = ", ".join(labels.get(engine, engine) for engine in shared.engines)
    return SharedRow(shared.kind, clipped(shared.key), names)


def _bounded(bounded: BoundedView, labels: dict[str, str]) -> BoundedRow:
    """One engine's bounds in words; bounds lead, a point only follows."""
    others = ", ".join(labels.get(engine, engine) for engine in bounded.higher_than)
    return BoundedRow(
        labels.get(bounded.engine, bounded.engine),
        f"{interval(bounded.bounds)} %" if bounded.bounds else NOT_MEASURED,
        "no point: too little was judged" if bounded.point is None else percent(bounded.point),
        percent(bounded.judged_share),
        f"{interval(bounded.widened)} %" if bounded.widened else NOT_MEASURED,
        f"higher than {others}" if others else "not separated from any engine",
    )
