"""What engines have in common: overlap, shared sources, and bounded recall side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.report.families import family_names
from monitor.report.numbers import NOT_MEASURED, between, interval, p_words, percent
from monitor.report.view import BoundedView, EngineView, OverlapView, ReportView, SharedView
from monitor.report.words import cites_anchor, plural, stability_words

_ALONE = "no other engine of this kind answered in the run"
_REPEATS, _MONTHS, _FAMILY = "repeats", "months", "family"


@dataclass(frozen=True, slots=True)
class AlikeCell:
    """How alike two sets of answers are: mean over prompts, and what stands beside it."""

    mean: str
    beside: str
    """Prompts behind the mean and the overlap over all prompts together, or why there is none."""
    is_own: bool = False
    """True for an engine beside itself: its repeats."""


@dataclass(frozen=True, slots=True)
class AlikeRow:
    """One engine beside every engine, itself among them, and beside its run before."""

    engine: EngineView
    cells: tuple[AlikeCell, ...]
    before: AlikeCell
    repeats: str
    """How far its own repeats agree before and now, and whether that changed."""


@dataclass(frozen=True, slots=True)
class SharedRow:
    """One source that several engines cite, each engine with a way to its rows."""

    key: str
    engines: tuple[tuple[str, str | None], ...]
    looks_like: str = ""
    """Pages and publishers that a copied text appears to be; empty for a family."""


@dataclass(frozen=True, slots=True)
class SharedTables:
    """What looks like agreement: publishers in common, and texts in common."""

    families: tuple[SharedRow, ...]
    texts: tuple[SharedRow, ...]
    cited: int
    """Families that any engine cites: of how many those in common are."""


@dataclass(frozen=True, slots=True)
class BoundedRow:
    """One engine's recall against the pool, in words."""

    engine: EngineView
    bounds: str
    point: str
    judged: str
    widened: str
    separated: str
    alone: str = ""
    """Why there is nothing to show, where the engine is the only one of its access."""


def alike_rows(view: ReportView) -> tuple[AlikeRow, ...]:
    """Overlap of cited families between all engines; empty where nothing was compared."""
    if not view.overlaps:
        return ()
    pairs = {frozenset((o.a, o.b)): o for o in view.overlaps if o.kind != _MONTHS}
    months = {o.a: o for o in view.overlaps if o.kind == _MONTHS}
    return tuple(
        AlikeRow(
            engine,
            tuple(
                _cell(pairs.get(frozenset((engine.name, e.name))), _apart(engine, e))
                for e in view.engines
            ),
            _month_cell(engine, months.get(engine.name), _no_month(view)),
            _repeats(engine),
        )
        for engine in view.engines
    )


def _apart(engine: EngineView, other: EngineView) -> str:
    """Why two engines have no overlap."""
    if engine.access is not other.access:
        return "an API and a browser surface are two kinds"
    return "no answers of both"


def _no_month(view: ReportView) -> str:
    """Why an engine has no overlap with its run before."""
    if view.before_slot is None:
        return "answers handed in" if view.imported else "no earlier run"
    return "not asked in the run before"


def _cell(overlap: OverlapView | None, without: str) -> AlikeCell:
    """One overlap in words; without a prompt in common there is none."""
    if overlap is None:
        return AlikeCell("not compared", without)
    is_own = overlap.kind == _REPEATS
    if overlap.mean is None:
        why = "one answer a prompt" if is_own else "no prompt that both cite for"
        return AlikeCell(NOT_MEASURED, why, is_own)
    panel = overlap.panel_wide
    together = "" if panel is None else f"; all together {percent(panel)}"
    beside = f"{plural(overlap.prompts, 'prompt')}{together}"
    return AlikeCell(percent(overlap.mean), beside, is_own)


def _month_cell(engine: EngineView, overlap: OverlapView | None, without: str) -> AlikeCell:
    """An engine beside its run before: the compared overlap with its interval, where there is."""
    level = engine.comparison.overlap if engine.comparison else None
    if level is None or level.mean is None:
        return _cell(overlap, without)
    together = overlap.panel_wide if overlap else None
    tail = "" if together is None else f"; all together {percent(together)}"
    interval_of = f" ({interval(level.interval)})" if level.interval else ""
    return AlikeCell(
        f"{percent(level.mean)}{interval_of}", f"{plural(level.prompts, 'prompt')}{tail}"
    )


def _repeats(engine: EngineView) -> str:
    """Overlap of repeats, before and now on the matched prompts, and what is said of it."""
    change = engine.comparison.stability if engine.comparison else None
    if change is None:
        return "not compared"
    return (
        f"{percent(change.before.mean)} → {percent(change.after.mean)}, "
        f"{stability_words(change)}: {p_words(change.because)}"
    )


def shared_tables(view: ReportView) -> SharedTables:
    """Families and copied texts cited by at least two engines, most shared first."""
    engines = {engine.name: engine for engine in view.engines}
    ordered = sorted(view.shared, key=lambda s: (-len(s.engines), s.key))
    return SharedTables(
        tuple(_shared(shared, engines) for shared in ordered if shared.kind == _FAMILY),
        tuple(_shared(shared, engines) for shared in ordered if shared.kind != _FAMILY),
        len({family.family for engine in view.engines for family in engine.card.families}),
    )


def _shared(shared: SharedView, engines: Mapping[str, EngineView]) -> SharedRow:
    """One shared source with the engines that cite it."""
    places = {name: place for place, name in enumerate(engines)}
    names = sorted(shared.engines, key=lambda name: places.get(name, len(places)))
    return SharedRow(
        shared.key,
        tuple(_citing(engines.get(name), name, shared) for name in names),
        _looks_like(shared),
    )


def _looks_like(shared: SharedView) -> str:
    """What a copied text appears to be: so many pages, of so many publishers."""
    if not shared.copies:
        return ""
    publishers = plural(len(shared.publishers), "publisher")
    return f"{plural(len(shared.copies), 'page')} of {publishers}: {', '.join(shared.publishers)}"


def _citing(engine: EngineView | None, name: str, shared: SharedView) -> tuple[str, str | None]:
    """An engine's label, and where its rows for the family stand; None for a text."""
    if engine is None:
        return name, None
    has_rows = shared.kind == _FAMILY and shared.key in family_names(engine)
    return engine.label, f"#{cites_anchor(name, shared.key)}" if has_rows else None


def bounded_rows(view: ReportView) -> tuple[BoundedRow, ...]:
    """Recall against everything the engines cited together, one engine each."""
    found = {bounded.engine: bounded for bounded in view.bounded}
    return tuple(
        _bounded(view, found[engine.name], engine)
        for engine in view.engines
        if engine.name in found
    )


def _bounded(view: ReportView, bounded: BoundedView, engine: EngineView) -> BoundedRow:
    """One engine's bounds in words; bounds lead, a point only follows."""
    if bounded.is_alone:
        return BoundedRow(engine, "", "", "", "", "", _ALONE)
    return BoundedRow(
        engine,
        between(bounds) if (bounds := bounded.bounds) else NOT_MEASURED,
        _point(bounded),
        percent(bounded.judged_share),
        f"{interval(bounded.widened)} %" if bounded.widened else NOT_MEASURED,
        _separated(view, bounded),
    )


def _point(bounded: BoundedView) -> str:
    """The value on what was judged, or why there is none."""
    if bounded.point is not None:
        return percent(bounded.point)
    return "no relevant page is known" if bounded.bounds is None else "none: under 70 % judged"


def _separated(view: ReportView, bounded: BoundedView) -> str:
    """Which engines lie above or below for certain; every other one is not separated."""
    labels = {engine.name: engine.label for engine in view.engines}
    access = {engine.name: engine.access for engine in view.engines}
    above = [b.engine for b in view.bounded if bounded.engine in b.higher_than]
    kind = access.get(bounded.engine)
    same = [b.engine for b in view.bounded if access.get(b.engine) is kind]
    others = [name for name in same if name != bounded.engine]
    open_ = [name for name in others if name not in {*above, *bounded.higher_than}]
    said = (
        ("higher than", bounded.higher_than),
        ("lower than", above),
        ("not separated from", open_),
    )
    return "; ".join(
        f"{words} {', '.join(labels.get(name, name) for name in names)}"
        for words, names in said
        if names
    )
