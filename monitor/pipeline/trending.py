"""The last runs of a panel as they were scored -> what a trend draws, engine by engine."""

from collections.abc import Mapping, Sequence

from monitor.domain.change import Event, EventKind
from monitor.domain.score import Scorecard
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.comparing import earlier_runs
from monitor.pipeline.events import EVENT_KEYS
from monitor.report.view import TrendPoint, TrendView
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import NOT_TOLD, Signature, parse_signature, recipe_difference
from monitor.store import runs, scores

RUNS_SHOWN = 12
"""Runs of a trend, the report's own among them: a year of months."""

_ANOTHER_VERSION = ("version",)
"""Said of a recipe that another version of this program wrote in other words."""

Cards = Mapping[str, Scorecard]
"""Engine -> its scorecard over all of the panel."""


def trends(bench: Bench, run: runs.Run) -> tuple[TrendView, ...]:
    """One trend for each engine of a run, over it and at most eleven runs before it."""
    shown = (*earlier_runs(bench, run, RUNS_SHOWN - 1), run)
    scored = [(one, _cards(bench, one)) for one in shown]
    return tuple(trend(engine, scored) for engine in scored[-1][1])


def _cards(bench: Bench, run: runs.Run) -> Cards:
    """Scorecards of a run over all of the panel, as stored last."""
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id, segment=EVERYTHING))
    return {card.engine: card for card in cards}


def trend(engine: str, scored: Sequence[tuple[runs.Run, Cards]]) -> TrendView:
    """One engine's points, each held against the last one, and against the one before it."""
    last = scored[-1][1].get(engine)
    points, before = [], None
    for run, cards in scored:
        card = cards.get(engine)
        events = _events(before, card) if before and card else ()
        unlike = _unlike(card, last) if card and last else ()
        points.append(TrendPoint(run.public_id, run.slot, card, unlike, events))
        before = card or before
    return TrendView(engine, tuple(points))


def _signature(card: Scorecard) -> Signature | None:
    """A scorecard's signature; None where another version wrote it in other words."""
    try:
        return parse_signature(card.signature)
    except StoreError:
        return None


def _unlike(card: Scorecard, last: Scorecard) -> tuple[str, ...]:
    """Keys in which a scorecard's recipe is not the last one's."""
    if card.recipe == last.recipe:
        return ()
    here, there = _signature(card), _signature(last)
    if here is None or there is None:
        return _ANOTHER_VERSION
    return recipe_difference(here.recipe, there.recipe)


def _events(before: Scorecard, after: Scorecard) -> tuple[Event, ...]:
    """What two signatures tell that happened between them."""
    old, new = _signature(before), _signature(after)
    if old is None or new is None:
        return ()
    served = (old.sample.served, new.sample.served)
    models = () if NOT_TOLD in served or served[0] == served[1] else (
        Event(EventKind.SERVED_MODEL, *served),
    )  # fmt: skip
    return models + tuple(
        Event(kind, getattr(old.recipe, key), getattr(new.recipe, key))
        for key, kind in EVENT_KEYS.items()
        if getattr(old.recipe, key) != getattr(new.recipe, key)
    )
