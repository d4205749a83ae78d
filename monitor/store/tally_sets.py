"""Counts of single captures by recipe: derived, so another outcome is a newer set.

A set has a row for every measure of every capture, and most rows say one of a few things. Equal
counts are one value in memory, and equal names one text: a run of thousands of captures is held
whole where its pages are looked at.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from sys import intern
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, Select, Text, cast, select, update

from monitor.domain.score import Measured, Rate, Tally, Undefined, UndefinedReason
from monitor.store.rows import insert_many, insert_one
from monitor.store.tables import capture, family_tally, prompt_version, tally, tally_set

COUNTS = (tally.c.undefined, tally.c.hits, tally.c.total, cast(tally.c.not_assessable, Text))
"""Columns that `counts_of` reads, in its order."""
_ALL = ""
"""Category column of a measure over all categories."""
_REQUIRED = "required_source"
"""Measure column of a required source, whose key stands in the category column."""
_MEASURES = (tally.c.capture_id, tally.c.measure, tally.c.category, *COUNTS)
_FAMILIES = (
    family_tally.c.capture_id,
    family_tally.c.family,
    family_tally.c.pages,
    family_tally.c.groups,
)


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
    newest = _newest_set(connection, run_id, recipe)
    owner = connection.execute(_owners(run_id).where(capture.c.id == capture_id)).first()
    if newest is None or owner is None:
        return None
    measures = _measures_of(newest.id).where(tally.c.capture_id == capture_id)
    families = _families_of(newest.id).where(family_tally.c.capture_id == capture_id)
    counted = list(connection.execute(measures))
    if not counted:
        return None
    return _tally_of(owner, _ordered(counted), _ordered(connection.execute(families)))


def load_counted(
    connection: Connection, run_id: int, recipe: str, inputs: str
) -> dict[int, Tally] | None:
    """The same as `load_tallies`, where they were counted from these very inputs; else None."""
    newest = _newest_set(connection, run_id, recipe)
    if newest is None or newest.inputs != inputs:
        return None
    return _tallies_of(connection, run_id, newest)


def _newest_set(connection: Connection, run_id: int, recipe: str) -> Row[Any] | None:
    """The set of tallies that counts for a run under a recipe."""
    return connection.execute(
        select(tally_set)
        .where(tally_set.c.run_id == run_id, tally_set.c.recipe == recipe)
        .order_by(tally_set.c.id.desc())
        .limit(1)
    ).first()


def _tallies_of(connection: Connection, run_id: int, newest: Row[Any]) -> dict[int, Tally]:
    measures = _by_capture(connection.execute(_measures_of(newest.id)))
    families = _by_capture(connection.execute(_families_of(newest.id)))
    owners = {row.id: row for row in connection.execute(_owners(run_id))}
    return {
        capture_id: _tally_of(
            owners[capture_id], measures.get(capture_id, []), families.get(capture_id, [])
        )
        for capture_id in newest.captures
    }


def _measures_of(set_id: int) -> Select[Any]:
    return select(*_MEASURES).where(tally.c.tally_set_id == set_id)


def _families_of(set_id: int) -> Select[Any]:
    return select(*_FAMILIES).where(family_tally.c.tally_set_id == set_id)


def _owners(run_id: int) -> Select[Any]:
    return (
        select(capture.c.id, capture.c.repeat, prompt_version.c.prompt_id)
        .join_from(capture, prompt_version)
        .where(capture.c.run_id == run_id)
    )


def _by_capture(rows: Iterable[Row[Any]]) -> dict[int, list[tuple[Any, ...]]]:
    """Rows by capture."""
    by_capture = groupby(_ordered(rows), key=lambda row: row[0])
    return {capture_id: list(own) for capture_id, own in by_capture}


def _ordered(rows: Iterable[Row[Any]]) -> list[tuple[Any, ...]]:
    """Rows in an order that is no server's own, so that sums come out the same."""
    return sorted(map(tuple, rows), key=lambda row: row[:3])


def _tally_of(
    owner: Row[Any], measures: list[tuple[Any, ...]], families: list[tuple[Any, ...]]
) -> Tally:
    whole: dict[str, Measured] = {}
    categories: dict[tuple[str, str], Measured] = {}
    required: dict[str, Rate] = {}
    for _, measure, category, *columns in measures:
        counts = counts_of(*columns)
        if measure == _REQUIRED and isinstance(counts, Rate):
            required[intern(category)] = counts
        elif category == _ALL:
            whole[intern(measure)] = counts
        else:
            categories[intern(measure), intern(category)] = counts
    return Tally(
        prompt_id=intern(owner.prompt_id),
        repeat=owner.repeat,
        measures=MappingProxyType(whole),
        categories=MappingProxyType(categories),
        families=MappingProxyType(
            {intern(family): pages for _, family, pages, _ in families if pages is not None}
        ),
        groups=MappingProxyType(
            {intern(family): groups for _, family, _, groups in families if groups is not None}
        ),
        required=MappingProxyType(required),
    )


@lru_cache(16_384)
def counts_of(
    undefined: str | None, hits: float | None, total: float | None, not_assessable: str | None
) -> Measured:
    """Counts by the columns of `COUNTS`, or why there are none."""
    if undefined is not None:
        return Undefined(UndefinedReason(undefined))
    reasons = json.loads(not_assessable or "{}")
    return Rate(float(hits or 0), float(total or 0), MappingProxyType(reasons))
