"""Scorecards and comparisons by recipe: derived, so another outcome is a newer set."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, func, select

from monitor.domain.change import Comparison
from monitor.domain.score import Scorecard
from monitor.store.codec import decode, encode
from monitor.store.rows import insert_many, insert_one
from monitor.store.tables import (
    comparison,
    scorecard,
)
from monitor.store.types import storable_json


@dataclass(frozen=True, slots=True)
class ComparisonKey:
    """What was compared: one engine's runs before and after, under one recipe."""

    panel: str
    engine: str
    before_run_id: int
    after_run_id: int
    recipe: str


def last_signature(
    connection: Connection, run_id: int, engine: str, segment: str
) -> tuple[str, str] | None:
    """Signature and recipe of an engine's last scoring in a run; None before it was scored."""
    columns = scorecard.c
    query = (
        select(columns.signature, columns.recipe)
        .where(columns.run_id == run_id, columns.engine == engine, columns.segment == segment)
        .order_by(columns.id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else (row.signature, row.recipe)


def first_signatures(connection: Connection, run_id: int) -> dict[str, str]:
    """The signature each engine of a run was scored under first, by engine; none before scoring."""
    columns = scorecard.c
    query = select(columns.engine, columns.signature).where(columns.run_id == run_id)
    rows = connection.execute(query.order_by(columns.id.desc()))
    return {row.engine: row.signature for row in rows}


def save_scorecards(
    connection: Connection, run_id: int, cards: Sequence[Scorecard], *, made_at: datetime
) -> int:
    """Insert scorecards of a run, and say how many; the last scoring of an engine counts.

    An engine whose last scoring holds these very cards is left as it is.
    """
    stored, given = _by_engine(load_scorecards(connection, run_id)), _by_engine(cards)
    rows = [
        {
            "run_id": run_id,
            "recipe": card.recipe,
            "engine": card.engine,
            "segment": card.segment,
            "signature": card.signature,
            "body": encode(Scorecard, card),
            "made_at": made_at,
        }
        for card in cards
        if stored.get(card.engine) != given[card.engine]
    ]
    insert_many(connection, scorecard, rows)
    return len(rows)


def _by_engine(cards: Sequence[Scorecard]) -> dict[str, dict[str, Scorecard]]:
    """Scorecards by engine and segment."""
    found: dict[str, dict[str, Scorecard]] = {}
    for card in cards:
        found.setdefault(card.engine, {})[card.segment] = card
    return found


def load_scorecards(
    connection: Connection, run_id: int, recipe: str | None = None, *, segment: str | None = None
) -> tuple[Scorecard, ...]:
    """Scorecards of a run by engine and segment: each engine's last scoring, under any recipe.

    `segment` reads those of one segment alone.
    """
    columns = scorecard.c
    asked = [
        columns.run_id == run_id,
        *([columns.recipe == recipe] if recipe else []),
        *([columns.segment == segment] if segment else []),
    ]
    scorings = select(columns.engine, columns.recipe, columns.made_at).where(*asked)
    last = {
        row.engine: (row.recipe, row.made_at)
        for row in connection.execute(scorings.order_by(columns.id))
    }
    cards = select(scorecard).where(*asked, columns.made_at.in_([at for _, at in last.values()]))
    newest = {
        (row.engine, row.segment): row.body
        for row in connection.execute(cards.order_by(columns.id))
        if (row.recipe, row.made_at) == last[row.engine]
    }
    return tuple(decode(Scorecard, body) for _, body in sorted(newest.items(), key=itemgetter(0)))


def save_comparison(
    connection: Connection, key: ComparisonKey, body: Mapping[str, Any], *, made_at: datetime
) -> int:
    """Insert a comparison as the JSON object given; the newest one of a key counts.

    Where the newest one is this very object, it stays and its id is returned.
    """
    newest = connection.execute(_of_key(key, comparison.c.id, comparison.c.body)).first()
    if newest is not None and newest.body == json.loads(json.dumps(storable_json(dict(body)))):
        return int(newest.id)
    return insert_one(
        connection,
        comparison,
        {
            "panel": key.panel,
            "engine": key.engine,
            "before_run_id": key.before_run_id,
            "after_run_id": key.after_run_id,
            "recipe": key.recipe,
            "body": dict(body),
            "made_at": made_at,
        },
    )


def load_comparison(connection: Connection, key: ComparisonKey) -> dict[str, Any] | None:
    """The newest comparison of a key as it was given, or None."""
    body = connection.execute(_of_key(key, comparison.c.body)).scalar()
    return None if body is None else dict(body)


def load_comparisons(
    connection: Connection, before_run_id: int, after_run_id: int
) -> dict[str, tuple[str, Comparison]]:
    """Engine -> recipe and comparison that were told of two runs last; none where nobody asked."""
    columns = comparison.c
    query = select(columns.engine, columns.recipe, columns.body).where(
        columns.after_run_id == after_run_id, columns.before_run_id == before_run_id
    )
    found = {row.engine: row for row in connection.execute(query.order_by(columns.id))}
    return {engine: (row.recipe, decode(Comparison, row.body)) for engine, row in found.items()}


def scoring_mark(connection: Connection, run_id: int) -> tuple[int, int]:
    """Newest scorecard and newest comparison of a run: another mark, other numbers; 0 for none."""
    newest = (
        select(func.max(scorecard.c.id)).where(scorecard.c.run_id == run_id),
        select(func.max(comparison.c.id)).where(comparison.c.after_run_id == run_id),
    )
    cards, compared = (connection.execute(query).scalar() for query in newest)
    return cards or 0, compared or 0


def _of_key(key: ComparisonKey, *wanted: Column[Any]) -> Select[Any]:
    """Columns of the newest comparison of a key."""
    columns = comparison.c
    query = select(*wanted).where(
        columns.panel == key.panel,
        columns.engine == key.engine,
        columns.before_run_id == key.before_run_id,
        columns.after_run_id == key.after_run_id,
        columns.recipe == key.recipe,
    )
    return query.order_by(columns.id.desc()).limit(1)


def list_comparisons(
    connection: Connection, panel: str
) -> tuple[tuple[ComparisonKey, dict[str, Any]], ...]:
    """The newest comparison of every key of a panel, latest first."""
    columns = comparison.c
    newest = (
        select(func.max(columns.id))
        .where(columns.panel == panel)
        .group_by(columns.engine, columns.before_run_id, columns.after_run_id, columns.recipe)
    )
    rows = connection.execute(
        select(comparison).where(columns.id.in_(newest)).order_by(columns.id.desc())
    )
    return tuple((_key_of(row), dict(row.body)) for row in rows)


def _key_of(row: Row[Any]) -> ComparisonKey:
    return ComparisonKey(row.panel, row.engine, row.before_run_id, row.after_run_id, row.recipe)
