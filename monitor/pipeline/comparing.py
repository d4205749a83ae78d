"""Two runs of one panel -> what changed, both sides scored under the recipe of now."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from monitor.changes import compare
from monitor.domain.change import Comparison, Event, EventKind
from monitor.domain.claim import Judge
from monitor.domain.score import Tally
from monitor.errors import StoreError
from monitor.panels.differences import frame_changes
from monitor.pipeline.bench import Bench
from monitor.pipeline.tallying import Scored, engine_tallies, run_recipes, score_run, served_models
from monitor.scoring.signature import (
    Recipe,
    blocking_difference,
    parse_signature,
    recipe_difference,
)
from monitor.store import captures, citations, panels, runs, scores
from monitor.store.codec import encode

QUERIES_SHARED = 0.5
"""Mean overlap of rewritten queries below which their change is an event."""

_EVENT_KEYS: Mapping[str, EventKind] = {
    "baseline": EventKind.BASELINE,
    "families": EventKind.FAMILY_MAP,
    "panel": EventKind.PANEL_VERSION,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Both runs scored alike, and the comparison of every engine they share."""

    before: Scored
    after: Scored
    comparisons: Mapping[str, Comparison]
    only_before: tuple[str, ...] = ()
    """Engines that only the earlier run asked: nothing to compare."""
    only_after: tuple[str, ...] = ()
    """Engines that only the later run asked."""


def previous_run(bench: Bench, run: runs.Run) -> runs.Run | None:
    """The run of the same panel planned last before this one, or None."""
    begun = [state for state in runs.RunState if state is not runs.RunState.PLANNED]
    earlier = bench.read(
        lambda c: runs.list_runs(c, run.panel, states=begun, before=run.id, limit=1)
    )
    return earlier[0] if earlier else None


def compare_runs(bench: Bench, before: runs.Run, after: runs.Run, judge: Judge) -> Compared:
    """Score both runs under the settings of now and compare the engines they share."""
    if before.panel != after.panel:
        raise StoreError(
            f"{before.public_id} and {after.public_id} are runs of different panels; "
            "compare two runs of one panel"
        )
    first = bench.read(lambda c: scores.first_signatures(c, before.id))
    sides = score_run(bench, before, judge), score_run(bench, after, judge)
    comparisons = _comparisons(bench, (before, after), sides, judge.version, first)
    _save(bench, before, after, comparisons, recipes_of(sides[1]))
    asked = tuple(_engines(bench, run) for run in (before, after))
    return Compared(
        *sides,
        comparisons,
        tuple(e for e in asked[0] if e not in asked[1]),
        tuple(e for e in asked[1] if e not in asked[0]),
    )


def _engines(bench: Bench, run: runs.Run) -> tuple[str, ...]:
    """Engines that a run was planned to ask."""
    return tuple(part.engine for part in bench.read(lambda c: runs.load_plan(c, run.id)))


def _comparisons(
    bench: Bench,
    pair: tuple[runs.Run, runs.Run],
    sides: tuple[Scored, Scored],
    judge: str,
    first: Mapping[str, str],
) -> dict[str, Comparison]:
    """Comparison per engine that both runs asked."""
    before, after = pair
    old = run_recipes(bench, before, judge, sides[0].baseline)
    new = run_recipes(bench, after, judge, sides[1].baseline)
    coverage = tuple(bench.read(partial(captures.coverage, run_id=one.id)) for one in pair)
    models = tuple(served_models(bench, one) for one in pair)
    queries = tuple(_queries(bench, one) for one in pair)
    asked = tuple(_asked(side) for side in sides)
    frame = _frame_note(bench, pair)
    versions = {
        id(side.tallies[a.capture_id]): f"{a.prompt.id}@{a.prompt.version_key}"
        for side in sides
        for a in side.assessed
    }
    found = {}
    for engine in (e for e in new if e in old):
        tallies = tuple(engine_tallies(side).get(engine, []) for side in sides)
        events = (
            *_model_event(models[0].get(engine, ()), models[1].get(engine, ())),
            *_query_event(queries[0].get(engine, {}), queries[1].get(engine, {})),
            *_recipe_events(first.get(engine), old[engine], new[engine], note=frame),
        )
        found[engine] = compare(
            tallies[0],
            tallies[1],
            engine=engine,
            panel_version=f"{after.panel}@{after.panel_version}",
            before_id=before.public_id,
            after_id=after.public_id,
            coverage=(coverage[0][engine], coverage[1][engine]),
            events=events,
            blocked=_blocked(old[engine], new[engine]),
            key=partial(_version_of, versions),
            prompts=(asked[0].get(engine, {}), asked[1].get(engine, {})),
        )
    return found


def _blocked(old: Recipe, new: Recipe) -> tuple[str, ...]:
    """Keys that forbid a comparison; matched prompts share their locale, whatever others have."""
    return tuple(key for key in blocking_difference(old, new) if key != "locale")


def _asked(side: Scored) -> dict[str, dict[str, str]]:
    """Engine -> prompt id -> version of what it was to be asked."""
    found: dict[str, dict[str, str]] = {}
    for one in side.assessed:
        found.setdefault(one.engine, {})[one.prompt.id] = one.prompt.version_key
    return found


def _frame_note(bench: Bench, pair: tuple[runs.Run, runs.Run]) -> str:
    """What changed around the prompts between two versions of a panel."""
    old, new = (bench.read(partial(panels.load_panel_by_id, panel_id=r.panel_id)) for r in pair)
    return "; ".join(frame_changes(old, new))


def _version_of(versions: Mapping[int, str], one: Tally) -> str:
    """Prompt version that a tally belongs to: an edited prompt matches nothing."""
    return versions[id(one)]


def _model_event(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[Event, ...]:
    """Another served model, where both sides tell one."""
    if not before or not after or before == after:
        return ()
    return (Event(EventKind.SERVED_MODEL, " + ".join(before), " + ".join(after)),)


def _queries(bench: Bench, run: runs.Run) -> dict[str, dict[str, set[str]]]:
    """Engine -> prompt version -> rewritten queries of its captures, case folded."""
    readings = bench.read(lambda c: citations.load_readings(c, run.id))
    found: dict[str, dict[str, set[str]]] = {}
    for capture in bench.read(lambda c: captures.load_captures(c, run.id)):
        stored = readings.get(capture.id)
        if stored and stored.reading.queries:
            version = f"{capture.prompt.id}@{capture.prompt.version_key}"
            own = found.setdefault(capture.engine, {}).setdefault(version, set())
            own.update(q.casefold() for q in stored.reading.queries)
    return found


def _query_event(
    before: Mapping[str, set[str]], after: Mapping[str, set[str]]
) -> tuple[Event, ...]:
    """Rewritten queries that mostly differ, over the prompts where both sides tell them."""
    shared = sorted(before.keys() & after.keys())
    if not shared:
        return ()
    overlap = fmean(len(before[p] & after[p]) / len(before[p] | after[p]) for p in shared)
    if overlap >= QUERIES_SHARED:
        return ()
    note = f"mean overlap {overlap:.0%} over {len(shared)} prompts"
    first = shared[0]
    return (Event(EventKind.QUERIES, min(before[first]), min(after[first]), note),)


def _recipe_events(first: str | None, old: Recipe, new: Recipe, *, note: str) -> tuple[Event, ...]:
    """What the earlier run's first scoring had otherwise, and panel versions."""
    events = []
    if old.panel != new.panel:
        events.append(Event(EventKind.PANEL_VERSION, old.panel, new.panel, note))
    if first is None:
        return tuple(events)
    was = parse_signature(first).recipe
    for key in recipe_difference(was, old):
        kind = _EVENT_KEYS.get(key, EventKind.RESCORED)
        events.append(Event(kind, str(getattr(was, key)), str(getattr(old, key)), key))
    return tuple(events)


def recipes_of(side: Scored) -> dict[str, str]:
    """Engine -> recipe hash of its scorecards."""
    return {card.engine: card.recipe for card in side.cards}


def _save(
    bench: Bench,
    before: runs.Run,
    after: runs.Run,
    comparisons: Mapping[str, Comparison],
    recipes: Mapping[str, str],
) -> None:
    """Store every comparison under its key."""
    made_at = bench.clock.now()
    bench.write(
        lambda c: [
            scores.save_comparison(
                c,
                scores.ComparisonKey(
                    panel=after.panel,
                    engine=engine,
                    before_run_id=before.id,
                    after_run_id=after.id,
                    recipe=recipes[engine],
                ),
                comparison_json(one),
                made_at=made_at,
            )
            for engine, one in comparisons.items()
        ]
    )


def comparison_json(one: Comparison) -> dict[str, object]:
    """A comparison as JSON values."""
    body: dict[str, object] = encode(Comparison, one)
    return body
