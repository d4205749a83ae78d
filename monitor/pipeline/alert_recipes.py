"""Alerts whose numbers are history: their run was scored under another recipe afterwards."""

from collections.abc import Sequence

from monitor.domain.alert import StoredAlert
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import parse_signature
from monitor.store import Connection, runs
from monitor.store.scorings import Scoring, load_scorings


def counted_words(connection: Connection, found: Sequence[StoredAlert]) -> dict[int, str]:
    """Id of an alert -> how it was counted, of those whose run was scored otherwise since."""
    known: dict[tuple[str, str], tuple[Scoring, ...]] = {}
    told = {}
    for one in found:
        key = (one.alert.after, one.alert.engine)
        if key not in known:
            known[key] = _scorings(connection, *key)
        words = _words(one, known[key])
        if words:
            told[one.id] = words
    return told


def _scorings(connection: Connection, run: str, engine: str) -> tuple[Scoring, ...]:
    held = runs.load_run(connection, run)
    return () if held is None else load_scorings(connection, held.id, engine, EVERYTHING)


def _words(one: StoredAlert, scorings: Sequence[Scoring]) -> str:
    """By which baseline an alert was counted; empty where the recipe is the same now."""
    then = next((s for s in reversed(scorings) if s.made_at <= one.opened_at), None)
    if then is None or then.recipe == scorings[-1].recipe:
        return ""
    baseline = parse_signature(then.signature).recipe.baseline
    return (
        f"as counted under baseline {baseline} on {then.made_at:%Y-%m-%d}; the run was scored "
        "anew since"
    )
