"""Tallies, scorecards and comparisons by recipe: derived, so another outcome is a newer set."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, Table, func, select, update

from monitor.domain.change import Comparison
from monitor.domain.score import Measured, Rate, Scorecard, Tally, Undefined, UndefinedReason
from monitor.store.codec import decode, encode
from monitor.store.rows import insert_many, insert_one
from monitor.store.tables import (
    capture,
    comparison,
    family_tally,
    prompt_version,
    scorecard,
    tally,
    tally_set,
)
from monitor.store.types import storable_json

_ALL = ""
"""Category column of a measure over all categories."""
_REQUIRED = "required_source"
"""Measure column of a required source, whose key stands in the category column."""


@dataclass(frozen=True, slots=True)
class ComparisonKey:
    """What was compared: one engine's runs before and after, under one recipe."""

    panel: str
    engine: str
    before_run_id: int
    after_run_id: int
    recipe: str


def save_tallies(
    connection: Connection,
    run_id: int,
    recipe: str,
    tallies: Mapping[int, Tally],
    *,
    made_at: datetime,
    inputs: str | None = None,
) -> int:
    """Insert the tallies of a run by capture id, as one set; the newest set of a recipe counts.

    Where the newest set holds these very tallies, it stays and its id is returned. `inputs` is
    the hash of what they were counted from, None where nothing vouches for it.
    """
    newest = _newest_set(connection, run_id, recipe)
    if newest is not None and load_tallies(connection, run_id, recipe) == dict(tallies):
        same = update(tally_set).where(tally_set.c.id == newest.id)
        connection.execute(same.values(inputs=inputs))
        return int(newest.id)
    row = {
        "run_id": run_id,
        "recipe": recipe,
        "captures": sorted(tallies),
        "made_at": made_at,
        "inputs": inputs,
    }
    set_id = insert_one(connection, tally_set, row)
    counts = (
        {"tally_set_id": set_id, "capture_id": capture_id, **counted}
        for capture_id, one in tallies.items()
        for counted in _measure_rows(one)
    )
    families = (
        {"tally_set_id": set_id, "capture_id": capture_id, **counted}
        for capture_id, one in tallies.items()
        for counted in _family_rows(one)
    )
    insert_many(connection, tally, counts)
    insert_many(connection, family_tally, families)
    return set_id


def _measure_rows(one: Tally) -> Iterator[dict[str, Any]]:
    for measure, counts in one.measures.items():
        yield {"measure": measure, "category": _ALL, **_count_columns(counts)}
    for (measure, category), counts in one.categories.items():
        yield {"measure": measure, "category": category, **_count_columns(counts)}
    for source, counts in one.required.items():
        yield {"measure": _REQUIRED, "category": source, **_count_columns(counts)}


def _count_columns(counts: Measured) -> dict[str, Any]:
    columns: dict[str, Any] = dict.fromkeys(("hits", "total", "not_assessable", "undefined"))
    if isinstance(counts, Undefined):
        return columns | {"undefined": counts.reason.value}
    reasons = dict(counts.not_assessable)
    return columns | {"hits": counts.hits, "total": counts.total, "not_assessable": reasons}


def _family_rows(one: Tally) -> Iterator[dict[str, Any]]:
    for family in dict.fromkeys((*one.families, *one.groups)):
        yield {
            "family": family,
            "pages": one.families.get(family),
            "groups": one.groups.get(family),
        }


def load_tallies(connection: Connection, run_id: int, recipe: str) -> dict[int, Tally]:
    """Tallies of a run by capture id under a recipe; none when it was not scored so."""
    newest = _newest_set(connection, run_id, recipe)
    return {} if newest is None else _tallies_of(connection, run_id, newest)


def load_tally(connection: Connection, run_id: int, recipe: str, capture_id: int) -> Tally | None:
    """Tally of one capture under a recipe; None where its run was not scored so."""
    newest = select(func.max(tally_set.c.id)).where(
        tally_set.c.run_id == run_id, tally_set.c.recipe == recipe
    )
    set_id = connection.execute(newest).scalar()
    owner = connection.execute(_owners(run_id).where(capture.c.id == capture_id)).first()
    if set_id is None or owner is None:
        return None
    measures = _of_capture(connection, tally, set_id, capture_id)
    families = _of_capture(connection, family_tally, set_id, capture_id)
    if not measures:
        return None
    measures.sort(key=attrgetter("measure", "category"))
    return _tally_of(owner, measures, sorted(families, key=attrgetter("family")))


def _of_capture(
    connection: Connection, table: Table, set_id: int, capture_id: int
) -> list[Row[Any]]:
    """Rows of a set that are of one capture."""
    query = select(table).where(table.c.tally_set_id == set_id, table.c.capture_id == capture_id)
    return list(connection.execute(query))


def load_counted(
    connection: Connection, run_id: int, recipe: str, inputs: str
) -> dict[int, Tally] | None:
    """The same, where they were counted from these very inputs; None otherwise."""
    newest = _newest_set(connection, run_id, recipe)
    if newest is None or newest.inputs != inputs:
        return None
    return _tallies_of(connection, run_id, newest)


def _tallies_of(connection: Connection, run_id: int, newest: Row[Any]) -> dict[int, Tally]:
    measures = _by_capture(connection, tally, newest.id, "measure", "category")
    families = _by_capture(connection, family_tally, newest.id, "family")
    owners = {row.id: row for row in connection.execute(_owners(run_id))}
    return {
        capture_id: _tally_of(
            owners[capture_id], measures.get(capture_id, []), families.get(capture_id, [])
        )
        for capture_id in newest.captures
    }


def _newest_set(connection: Connection, run_id: int, recipe: str) -> Row[Any] | None:
    """The set of tallies that counts for a run under a recipe."""
    return connection.execute(
        select(tally_set)
        .where(tally_set.c.run_id == run_id, tally_set.c.recipe == recipe)
        .order_by(tally_set.c.id.desc())
        .limit(1)
    ).first()


def _owners(run_id: int) -> Select[Any]:
    return (
        select(capture.c.id, capture.c.repeat, prompt_version.c.prompt_id)
        .join_from(capture, prompt_version)
        .where(capture.c.run_id == run_id)
    )


def _by_capture(
    connection: Connection, table: Table, set_id: int, *order: str
) -> dict[int, list[Row[Any]]]:
    """Rows of a set by capture, in an order that is no server's own: sums come out the same."""
    found: dict[int, list[Row[Any]]] = {}
    for row in connection.execute(select(table).where(table.c.tally_set_id == set_id)):
        found.setdefault(row.capture_id, []).append(row)
    return {capture_id: sorted(rows, key=attrgetter(*order)) for capture_id, rows in found.items()}


def _tally_of(owner: Row[Any], measures: list[Row[Any]], families: list[Row[Any]]) -> Tally:
    return Tally(
        prompt_id=owner.prompt_id,
        repeat=owner.repeat,
        measures=MappingProxyType(
            {row.measure: counts_of(row) for row in measures if row.category == _ALL}
        ),
        categories=MappingProxyType(
            {
                (row.measure, row.category): counts_of(row)
                for row in measures
                if row.category != _ALL and row.measure != _REQUIRED
            }
        ),
        families=MappingProxyType(
            {row.family: row.pages for row in families if row.pages is not None}
        ),
        groups=MappingProxyType(
            {row.family: row.groups for row in families if row.groups is not None}
        ),
        required=MappingProxyType(
            {
                row.category: Rate(row.hits, row.total, MappingProxyType(row.not_assessable))
                for row in measures
                if row.measure == _REQUIRED
            }
        ),
    )


def counts_of(row: Row[Any]) -> Measured:
    """Counts of one row of a tally, or why there are none."""
    if row.undefined is not None:
        return Undefined(UndefinedReason(row.undefined))
    return Rate(row.hits, row.total, MappingProxyType(row.not_assessable))


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
