"""Source families of one engine: share before and now, concentration, and the chart."""

from collections.abc import Mapping
from dataclasses import dataclass

from monitor.domain.change import Change
from monitor.domain.score import Bounds, Concentration, FamilyShare, Rate, Scorecard
from monitor.report.charts import ShareDot, share_chart, svg
from monitor.report.figures import Figure, figure
from monitor.report.findings import (
    concentration_tested,
    concentration_text,
    per_answer_text,
    side_text,
)
from monitor.report.numbers import (
    NOT_MEASURED,
    index,
    p_value,
    p_words,
    rate_text,
    signed_interval,
    signed_points,
    sources,
)
from monitor.report.view import EngineView, ReportView
from monitor.report.words import cites_anchor

SHOWN = 15
"""Families in the open table; the rest follows folded."""

_DRAWN = 12
"""Families in the chart."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family of one engine."""

    family: str
    tags: tuple[str, ...]
    """`client` and `watched` where the panel says so."""
    before: str
    now: Figure
    per_answer: str
    """Mean per answer on the matched prompts; empty where it is close to the share."""
    change: str
    interval: str
    adjusted: str
    verdict: str
    because: str
    prompts: int
    independent: str
    href: str


@dataclass(frozen=True, slots=True)
class ConcentrationLine:
    """One concentration in words: plug-in, bounds, and the cross-prompt estimate, named."""

    label: str
    before: str
    change: str
    """How it differs from before, with its verdict; or why that is not told."""
    hhi: str
    effective: str
    bounds: str
    estimate: str
    basis: str


@dataclass(frozen=True, slots=True)
class FamilyTable:
    """Everything said of one engine's families."""

    engine: EngineView
    rows: tuple[FamilyRow, ...]
    concentration: tuple[ConcentrationLine, ...]
    chart: str | None
    """SVG, or None where nothing is cited."""


def family_tables(view: ReportView, colours: Mapping[str, str]) -> tuple[FamilyTable, ...]:
    """One table an engine, largest share first; families that went away at the end."""
    return tuple(_table(view, engine, colours[engine.name]) for engine in view.engines)


def family_names(engine: EngineView) -> tuple[str, ...]:
    """Families of an engine in this run, then those only seen before, each once."""
    now = sorted(engine.card.families, key=lambda f: (-f.rate.hits, f.family))
    before = engine.before.families if engine.before else ()
    changes = engine.comparison.families if engine.comparison else ()
    names = [f.family for f in (*now, *before)] + [c.name for c in changes]
    return tuple(dict.fromkeys(names))


def _table(view: ReportView, engine: EngineView, colour: str) -> FamilyTable:
    """Table, concentration and chart of one engine."""
    return FamilyTable(
        engine,
        tuple(_row(view, engine, name) for name in family_names(engine)),
        concentration_lines(engine),
        _chart(engine, colour),
    )


def concentration_lines(engine: EngineView) -> tuple[ConcentrationLine, ...]:
    """How far an engine's citations lie with few families: by pages, and by independent texts."""
    card = engine.card
    return (
        _concentration("Pages", card.concentration, *_moved(engine)),
        _concentration("Independent (a copied text counts once)",
                       card.independent_concentration, *_moved_alone(engine)),
    )  # fmt: skip


def _row(view: ReportView, engine: EngineView, name: str) -> FamilyRow:
    """One family's numbers as text; a family that is not cited has none of all citations."""
    card = engine.card
    now = _share(card.families, name)
    change = _change(engine, name)
    test = change.test if change else None
    href = f"#{cites_anchor(engine.name, name)}"
    return FamilyRow(
        family=name,
        tags=family_tags(view, name),
        before=_before(engine, name, change),
        now=share_figure(card, name, href),
        per_answer=per_answer_text(change.after) if change else "",
        change=signed_points(change.difference if change else None),
        interval=signed_interval(test.interval) if test else "",
        adjusted=p_value(test.adjusted if test else None),
        verdict=change.verdict.value if change else "not compared",
        because=p_words(change.because) if change else uncompared(engine),
        prompts=now.prompts if now else 0,
        independent=rate_text(now.independent if now else _none_of(card.independent_concentration)),
        href=href,
    )


def uncompared(engine: EngineView) -> str:
    """Why a family of an engine was not compared."""
    if engine.comparison is not None:
        return "not cited for a matched prompt"
    return engine.skipped_before or "no earlier run"


def share_figure(card: Scorecard, name: str, href: str | None) -> Figure:
    """A family's share in one run; `0 of N` where other families alone are cited."""
    share = _share(card.families, name)
    if share is None:
        return figure(
            _none_of(card.concentration), card.uncited, href=href, bounds=_none_bounds(card)
        )
    return figure(share.rate, share.interval, href=href, bounds=share.bounds)


def _none_of(sample: Concentration) -> Rate:
    """No citation of all those of a sample."""
    return Rate(0, sample.citations)


def _none_bounds(card: Scorecard) -> Bounds | None:
    """What an uncited family's share could be if every unresolved citation were its own."""
    spread = next((f.bounds.high - f.bounds.low for f in card.families if f.bounds), None)
    return Bounds(0.0, spread) if spread is not None else None


def _share(families: tuple[FamilyShare, ...], name: str) -> FamilyShare | None:
    """A family's share in one sample."""
    return next((f for f in families if f.family == name), None)


def _change(engine: EngineView, name: str) -> Change | None:
    """A family's change, where the runs were compared."""
    changes = engine.comparison.families if engine.comparison else ()
    return next((c for c in changes if c.name == name), None)


def _before(engine: EngineView, name: str, change: Change | None) -> str:
    """The share before: on matched prompts where compared, else over the whole earlier run."""
    if change is not None:
        return side_text(change.before)
    if engine.before is None:
        return NOT_MEASURED
    share = _share(engine.before.families, name)
    if share is None:
        return rate_text(_none_of(engine.before.concentration), engine.before.uncited)
    return rate_text(share.rate, share.interval)


def family_tags(view: ReportView, name: str) -> tuple[str, ...]:
    """Whether a family is the client's own, or watched."""
    client = "client" if name in view.panel.client_domains else ""
    watched = "watched" if name in view.panel.watch else ""
    return tuple(tag for tag in (client, watched) if tag)


def _moved(engine: EngineView) -> tuple[str, str]:
    """Concentration before, and its change on the matched prompts."""
    change = engine.comparison.concentration if engine.comparison else None
    if change is None:
        why = uncompared(engine) if engine.comparison is None else "not comparable"
        return _earlier(engine.before.concentration if engine.before else None), why
    tested = concentration_tested(change)
    because = p_words(change.because)
    told = f"{tested}; {because}" if tested else because
    return concentration_text(change.before), f"{change.verdict.value}: {told}"


def _moved_alone(engine: EngineView) -> tuple[str, str]:
    """Independent concentration before; its change is not tested."""
    return _earlier(
        engine.before.independent_concentration if engine.before else None
    ), "not tested"


def _earlier(value: Concentration | None) -> str:
    """Concentration of the run before, over all its prompts."""
    return "no earlier run" if value is None else concentration_text(value)


def _concentration(label: str, value: Concentration, before: str, change: str) -> ConcentrationLine:
    """One concentration in words."""
    estimate = value.cross_prompt_interval
    between = f" ({estimate.low:.3f} to {estimate.high:.3f})" if estimate else ""
    return ConcentrationLine(
        label=label,
        before=before,
        change=change,
        hhi=index(value.hhi),
        effective=sources(value.effective_sources),
        bounds=_index_bounds(value.bounds),
        estimate=f"{index(value.cross_prompt)}{between}",
        basis=f"{value.citations} citations, {value.families} families",
    )


def _index_bounds(bounds: Bounds | None) -> str:
    """Bounds of the index and of its reciprocal; empty where they are the index itself."""
    if bounds is None or bounds.low == bounds.high:
        return "none: every address was resolved"
    effective = (
        f", {1 / bounds.high:.1f} to {1 / bounds.low:.1f} effective sources" if bounds.low else ""
    )
    return f"{bounds.low:.3f} to {bounds.high:.3f}{effective}"


def _chart(engine: EngineView, colour: str) -> str | None:
    """Largest families as dots with intervals."""
    names = family_names(engine)[:_DRAWN]
    dots = [_dot(engine, name) for name in names]
    if not any(dot.now is not None for dot in dots):
        return None
    return svg(share_chart(f"Citation shares of {engine.label}", dots, colour))


def _dot(engine: EngineView, name: str) -> ShareDot:
    """One family in the chart."""
    now = _share(engine.card.families, name)
    change = _change(engine, name)
    between = now.interval if now else None
    return ShareDot(
        family=name,
        now=now.rate.value if now else None,
        low=between.low if between else None,
        high=between.high if between else None,
        before=change.before.pooled.value if change else None,
    )
