"""What happened around the answers of two samples: told first, and never a reason to be silent."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from monitor.domain.change import Event, EventKind
from monitor.pipeline.samples import EngineSample
from monitor.scoring.signature import parse_signature, recipe_difference

QUERIES_SHARED = 0.5
"""Mean overlap of rewritten queries below which their change is an event."""

EVENT_KEYS: Mapping[str, EventKind] = {
    "panel": EventKind.PANEL_VERSION,
    "baseline": EventKind.BASELINE,
    "families": EventKind.FAMILY_MAP,
}
"""Keys of a recipe whose change is an event of its own."""


def events_between(
    before: Sequence[EngineSample], after: EngineSample, *, frame: str = ""
) -> tuple[Event, ...]:
    """Events between the samples before, oldest first, and the one after.

    `frame` says what changed around the prompts of the panel. Queries are held against those of
    the newest one: several runs together tell more of them. Between engines, models and queries
    are what they are and no events.
    """
    newest = before[-1]
    found: list[Event] = []
    if newest.sample.engine == after.sample.engine:
        models = sorted({model for one in before for model in one.sample.models})
        found += _model_event(tuple(models), after.sample.models)
        found += _query_event(newest.queries, after.queries)
    if newest.recipe.panel != after.recipe.panel:
        kind = EventKind.PANEL_VERSION
        found.append(Event(kind, newest.recipe.panel, after.recipe.panel, frame))
    for one in before:
        found += _rescored(one)
    return tuple(dict.fromkeys(found))


def _model_event(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[Event, ...]:
    """Another served model, where both sides tell one."""
    if not before or not after or before == after:
        return ()
    return (Event(EventKind.SERVED_MODEL, " + ".join(before), " + ".join(after)),)


def _query_event(
    before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]
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


def _rescored(one: EngineSample) -> Iterator[Event]:
    """What a run's first scoring had otherwise."""
    if one.first_signature is None:
        return
    was = parse_signature(one.first_signature).recipe
    for key in recipe_difference(was, one.recipe):
        kind = EVENT_KEYS.get(key, EventKind.RESCORED)
        yield Event(kind, str(getattr(was, key)), str(getattr(one.recipe, key)), key)
