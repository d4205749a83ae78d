"""A run as it was scored and compared last -> the view of a report without its answers.

Nothing is scored anew, so that a page shows what commands and reports told, and shows it at once.
"""

from collections.abc import Container, Mapping, Sequence
from functools import partial

from monitor.domain.baseline import Baseline
from monitor.domain.change import Comparison
from monitor.domain.engine import Access
from monitor.domain.keys import content_key
from monitor.domain.score import Scorecard, Tally
from monitor.engines import ENGINES
from monitor.pipeline.bench import Bench
from monitor.pipeline.comparing import none_before, previous_run
from monitor.pipeline.correcting import recipe_of
from monitor.pipeline.funnels import run_funnels
from monitor.pipeline.recalling import reminders, told_of
from monitor.pipeline.reporting import engine_label, measure_notes, unasked
from monitor.pipeline.trending import trends
from monitor.report.view import EngineView, ReportView
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import recipe_hash
from monitor.store import Connection, alerts, eligibility, panels, runs, scores, tally_sets


def view_key(bench: Bench, run: runs.Run) -> str:
    """Another key where a view of the run would tell something else; made of indexed look-ups."""
    before = previous_run(bench, run)
    marks = [
        bench.read(partial(scores.scoring_mark, run_id=one.id)) for one in (run, before) if one
    ]
    panel = bench.read(lambda c: alerts.alert_mark(c, run.panel))
    checked = bench.read(lambda c: eligibility.eligibility_mark(c, run.panel))
    return content_key([run.id, run.state.value, run.spent_micros, marks, panel, checked])


def stored_view(bench: Bench, run: runs.Run) -> ReportView:
    """View of a run by its stored scorecards, tallies and comparisons; its captures are left out.

    Engines without a scorecard are left out as well: nobody scored them yet.
    """
    before = previous_run(bench, run)
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    panel = bench.read(lambda c: panels.load_panel_by_id(c, run.panel_id))
    baseline = _baseline(bench, run, cards)
    plan = {p.engine: p.access for p in bench.read(lambda c: runs.load_plan(c, run.id))}
    return ReportView(
        panel=panel,
        run=run.public_id,
        slot=run.slot,
        before_run=before.public_id if before else None,
        before_slot=before.slot if before else None,
        made_at=run.finished_at or run.created_at,
        fictional=run.fictional,
        imported=run.imported,
        engines=_engines(bench, run, before, cards, plan),
        skipped=unasked(run, panel, plan),
        captures=(),
        tallies=_tallies(bench, run, cards),
        baseline=f"{baseline.panel}@{baseline.label}" if baseline else None,
        drawn_blind=baseline.drawn_blind if baseline else None,
        annotators=len(baseline.annotators) if baseline else 0,
        spent_micros=run.spent_micros,
        measures=measure_notes(),
        trends=trends(bench, run),
        alerts=reminders(bench, run),
        told=told_of(bench, run),
        strict_level=bench.settings.alerts.rules.strict_level,
        funnels=run_funnels(bench, run, cards),
    )


def _engines(
    bench: Bench,
    run: runs.Run,
    before: runs.Run | None,
    cards: tuple[Scorecard, ...],
    plan: Mapping[str, Access],
) -> tuple[EngineView, ...]:
    """Every scored engine with its segments, and what was told of the run before."""
    earlier = _whole(bench, before)
    compared, elsewise = told_comparisons(bench, before, run, cards) if before else ({}, ())
    return tuple(
        EngineView(
            name=card.engine,
            label=engine_label(card.engine, plan.get(card.engine, ENGINES[card.engine].access)),
            access=plan.get(card.engine, ENGINES[card.engine].access),
            card=card,
            segments=tuple(c for c in cards if c.engine == card.engine and c.segment != EVERYTHING),
            before=earlier.get(card.engine),
            comparison=compared.get(card.engine),
            skipped_before=_uncompared(before, run, earlier, card.engine, elsewise),
        )
        for card in cards
        if card.segment == EVERYTHING
    )


def told_comparisons(
    bench: Bench, before: runs.Run, run: runs.Run, cards: Sequence[Scorecard]
) -> tuple[dict[str, Comparison], frozenset[str]]:
    """Comparisons that hold for the scorecards of a run, and engines whose comparison does not.

    One that was made under another recipe tells of numbers that the run no longer has.
    """
    recipes = {card.engine: recipe_hash(one) for card in cards if (one := recipe_of(card))}
    told = bench.read(lambda c: scores.load_comparisons(c, before.id, run.id))
    holds = {
        engine: one for engine, (recipe, one) in told.items()
        if recipes.get(engine, recipe) == recipe
    }  # fmt: skip
    return holds, frozenset(told) - frozenset(holds)


def _uncompared(
    before: runs.Run | None,
    run: runs.Run,
    earlier: Mapping[str, Scorecard],
    engine: str,
    elsewise: Container[str],
) -> str:
    """Why a run's engine may lack a comparison."""
    if before is None:
        return none_before(run)
    if engine not in earlier:
        return f"{before.slot} did not ask it"
    command = f"`monitor compare {before.public_id} {run.public_id}`"
    if engine in elsewise:
        return f"it was scored anew since it was compared with {before.slot}: {command} does again"
    return f"nobody compared it with {before.slot} yet: {command} does"


def _baseline(bench: Bench, run: runs.Run, cards: Sequence[Scorecard]) -> Baseline | None:
    """The baseline that a run was scored with; the newest one where its scorecards name none."""
    named = {one.baseline for card in cards if (one := recipe_of(card))}
    if named == {"none"}:
        return None
    version = _version(run.panel, named.pop()) if len(named) == 1 else None
    return bench.read(lambda c: panels.load_baseline(c, run.panel, version))


def view_baseline(connection: Connection, view: ReportView) -> Baseline | None:
    """The baseline of a view, in full."""
    if view.baseline is None:
        return None
    version = _version(view.panel.name, view.baseline)
    return panels.load_baseline(connection, view.panel.name, version)


def _version(panel: str, label: str) -> str:
    """Version of a baseline, of the label that signatures print."""
    return label.removeprefix(f"{panel}@").removesuffix("-draft")


def _whole(bench: Bench, run: runs.Run | None) -> dict[str, Scorecard]:
    """Scorecards of a run over all of its panel, by engine."""
    if run is None:
        return {}
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id, segment=EVERYTHING))
    return {card.engine: card for card in cards}


def _tallies(bench: Bench, run: runs.Run, cards: tuple[Scorecard, ...]) -> dict[int, Tally]:
    """Counts of every capture, under the recipes of the scorecards."""
    found: dict[int, Tally] = {}
    for recipe in dict.fromkeys(card.recipe for card in cards):
        found |= bench.read(partial(tally_sets.load_tallies, run_id=run.id, recipe=recipe))
    return found
