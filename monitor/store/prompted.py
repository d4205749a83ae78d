"""What one prompt, or some, were asked and came to in some runs; found by index, never by scan."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from monitor.domain.panel import Prompt
from monitor.domain.score import Measured
from monitor.store.parts import COUNTED
from monitor.store.rows import chunks
from monitor.store.tables import capture, prompt_version, run, search_query, tally, tally_set
from monitor.store.tally_sets import COUNTS, counts_of


@dataclass(frozen=True, slots=True)
class PromptCapture:
    """One capture of a prompt, without its evidence."""

    id: int
    run_id: int
    engine: str
    prompt_id: str
    version_id: int
    """Row id of the prompt version that was asked."""


def captures_of(
    connection: Connection, run_ids: Collection[int], prompt_ids: Iterable[str]
) -> tuple[PromptCapture, ...]:
    """Captures of some prompts in some runs that figures are made of, in the order of their ids."""
    found: list[PromptCapture] = []
    for part in chunks(prompt_ids):
        query = (
            select(
                capture.c.id,
                capture.c.run_id,
                capture.c.engine,
                prompt_version.c.prompt_id,
                capture.c.prompt_version_id,
            )
            .join_from(prompt_version, capture)
            .where(prompt_version.c.prompt_id.in_(part), capture.c.run_id.in_(run_ids), COUNTED)
        )
        found.extend(PromptCapture(*row) for row in connection.execute(query))
    return tuple(sorted(found, key=lambda one: one.id))


def newest_run_of(connection: Connection, prompt_id: str) -> str | None:
    """Public id of the run that asked a prompt last; None where none did."""
    newest = (
        select(func.max(capture.c.run_id))
        .join_from(prompt_version, capture)
        .where(prompt_version.c.prompt_id == prompt_id)
        .scalar_subquery()
    )
    return connection.execute(select(run.c.public_id).where(run.c.id == newest)).scalar()


def load_versions(connection: Connection, version_ids: Collection[int]) -> dict[int, Prompt]:
    """Prompts as they were asked, by the id of their version; without segments."""
    found: dict[int, Prompt] = {}
    for part in chunks(version_ids):
        query = select(prompt_version).where(prompt_version.c.id.in_(part))
        for row in connection.execute(query):
            found[row.id] = Prompt(row.prompt_id, row.text, row.locale, persona=row.persona)
    return found


def newest_sets(connection: Connection, run_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """(run, recipe) -> id of the set of tallies that counts."""
    columns = tally_set.c
    query = (
        select(columns.run_id, columns.recipe, func.max(columns.id).label("newest"))
        .where(columns.run_id.in_(run_ids))
        .group_by(columns.run_id, columns.recipe)
    )
    return {(row.run_id, row.recipe): row.newest for row in connection.execute(query)}


def load_measured(
    connection: Connection, set_id: int, capture_ids: Collection[int], measures: Collection[str]
) -> dict[int, dict[str, Measured]]:
    """Capture id -> some measures of it, as a set of tallies has them."""
    columns = tally.c
    found: dict[int, dict[str, Measured]] = {}
    for part in chunks(capture_ids):
        query = select(columns.capture_id, columns.measure, *COUNTS).where(
            columns.tally_set_id == set_id,
            columns.capture_id.in_(part),
            columns.measure.in_(measures),
            columns.category == "",
        )
        for capture_id, measure, *counts in connection.execute(query):
            found.setdefault(capture_id, {})[measure] = counts_of(*counts)
    return found


def load_searches(
    connection: Connection, capture_ids: Collection[int]
) -> dict[int, tuple[str, ...]]:
    """Capture id -> queries that its engine told it searched for, in order."""
    found: dict[int, list[str]] = {}
    for part in chunks(capture_ids):
        query = (
            select(capture.c.id, search_query.c.text)
            .join_from(capture, search_query, capture.c.reading_id == search_query.c.reading_id)
            .where(capture.c.id.in_(part))
            .order_by(capture.c.id, search_query.c.position)
        )
        for row in connection.execute(query):
            found.setdefault(row.id, []).append(row.text)
    return {capture_id: tuple(texts) for capture_id, texts in found.items()}
