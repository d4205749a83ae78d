"""Captures of one run for lists: a page of them at a time, found by index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    func,
    or_,
    select,
)

from monitor.domain.capture_line import CaptureLine
from monitor.domain.engine import ANY_HEARD, HEARD, VISIBLE, Role
from monitor.domain.locale import LocaleState
from monitor.domain.source import UrlIdentity
from monitor.store.captures import ELSEWHERE, CaptureState
from monitor.store.parts import COUNTED
from monitor.store.rows import chunks, identity_of
from monitor.store.tables import capture, citation, claim_set, prompt_version, reading, spend

_OPEN = {CaptureState.PLANNED.value, CaptureState.ASKED.value}
"""Outcomes of captures of which nothing is stored: their states."""


@dataclass(frozen=True, slots=True)
class Sought:
    """Which captures of a run a list shows; empty means every one."""

    engine: str | None = None
    prompts: Sequence[str] = ()
    """Prompt ids, any of which will do."""
    outcome: str | None = None
    """As coverage names it: `answered`, `blocked/captcha`, `locale/contradicted`, ..."""
    words: str = ""
    """Words of the prompt's id, its text, or the model that answered."""


def find_lines(
    connection: Connection, run_id: int, sought: Sought, *, offset: int, limit: int
) -> tuple[int, tuple[CaptureLine, ...]]:
    """How many captures of a run are sought, and some of them in the order they were planned."""
    wanted = _wanted(run_id, sought)
    total = connection.execute(_joined(func.count()).where(wanted)).scalar_one()
    query = _lines().where(wanted).order_by(capture.c.id).offset(offset).limit(limit)
    return int(total), tuple(_line_of(row) for row in connection.execute(query))


def lines_of(connection: Connection, capture_ids: Sequence[int]) -> dict[int, CaptureLine]:
    """Lines of some captures by capture id."""
    found: dict[int, CaptureLine] = {}
    for part in chunks(capture_ids):
        for row in connection.execute(_lines().where(capture.c.id.in_(part))):
            found[row.id] = _line_of(row)
    return found


def counted_captures(connection: Connection, run_id: int, engine: str) -> dict[int, int]:
    """Captures of an engine that figures are made of: capture id -> id of its prompt version."""
    query = select(capture.c.id, capture.c.prompt_version_id).where(
        capture.c.run_id == run_id, capture.c.engine == engine, COUNTED
    )
    return {row.id: row.prompt_version_id for row in connection.execute(query)}


def engines_of(connection: Connection, run_id: int) -> dict[int, str]:
    """Capture id -> engine, of all captures of a run that figures are made of."""
    query = select(capture.c.id, capture.c.engine).where(capture.c.run_id == run_id, COUNTED)
    return {row.id: row.engine for row in connection.execute(query)}


def locale_states(connection: Connection, run_id: int) -> dict[str, dict[str, int]]:
    """Engine -> what canaries said of the locale -> captures; engines without canaries absent."""
    query = (
        select(capture.c.engine, capture.c.locale_state, func.count().label("captures"))
        .where(capture.c.run_id == run_id, COUNTED, capture.c.locale_state.is_not(None))
        .group_by(capture.c.engine, capture.c.locale_state)
    )
    found: dict[str, dict[str, int]] = {}
    for row in connection.execute(query):
        found.setdefault(row.engine, {})[row.locale_state] = row.captures
    return found


def answer_shapes(
    connection: Connection, run_id: int, engine: str
) -> dict[int, tuple[bool, str | None]]:
    """Capture id -> whether products were shown, and the format of the answer's text."""
    newest = (
        select(claim_set.c.answer_format)
        .where(claim_set.c.reading_id == reading.c.id)
        .order_by(claim_set.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(capture.c.id, reading.c.shopping, newest.label("format"))
        .join_from(capture, reading, capture.c.reading_id == reading.c.id)
        .where(capture.c.run_id == run_id, capture.c.engine == engine)
    )
    return {row.id: (bool(row.shopping), row.format) for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class Cited:
    """One visible citation of a capture, as its reading identified it."""

    title: str | None
    role: Role
    marks: int
    identity: UrlIdentity


def visible_citations(
    connection: Connection, capture_ids: Sequence[int]
) -> dict[int, tuple[Cited, ...]]:
    """Visible citations of some captures by capture id, in their order."""
    found: dict[int, list[Cited]] = {}
    for part in chunks(capture_ids):
        query = (
            select(citation)
            .join_from(capture, citation, capture.c.reading_id == citation.c.reading_id)
            .where(capture.c.id.in_(part), citation.c.role.in_(sorted(VISIBLE)))
            .order_by(citation.c.reading_id, citation.c.position)
        )
        for row in connection.execute(query):
            one = Cited(row.title, Role(row.role), row.marks, identity_of(row))
            found.setdefault(row.capture_id, []).append(one)
    return {capture_id: tuple(cited) for capture_id, cited in found.items()}


def _joined(*columns: Any) -> Select[Any]:
    """Captures with their prompt, and with the reading that counts where there is one."""
    return (
        select(*columns)
        .select_from(capture)
        .join(prompt_version, capture.c.prompt_version_id == prompt_version.c.id)
        .join(reading, capture.c.reading_id == reading.c.id, isouter=True)
    )


def _lines() -> Select[Any]:
    # What was paid for every try; a reading tells of the last one alone, and not always.
    paid = (
        select(func.sum(func.coalesce(spend.c.settled_micros, spend.c.reserved_micros)))
        .where(spend.c.capture_id == capture.c.id)
        .scalar_subquery()
    )
    return _joined(
        capture.c.id,
        capture.c.engine,
        capture.c.repeat,
        capture.c.state,
        capture.c.asked_at,
        capture.c.locale_state,
        prompt_version.c.prompt_id,
        prompt_version.c.text,
        prompt_version.c.locale,
        reading.c.outcome,
        reading.c.reason,
        reading.c.served_model,
        paid.label("paid_micros"),
    )


def _wanted(run_id: int, sought: Sought) -> ColumnElement[bool]:
    """Condition on captures, their prompts and their readings."""
    wanted = [capture.c.run_id == run_id, COUNTED]
    if sought.engine:
        wanted.append(capture.c.engine == sought.engine)
    if sought.prompts:
        wanted.append(prompt_version.c.prompt_id.in_(list(dict.fromkeys(sought.prompts))))
    if sought.outcome:
        wanted.append(_came_to(sought.outcome))
    for word in sought.words.split():
        columns = (prompt_version.c.prompt_id, prompt_version.c.text, reading.c.served_model)
        wanted.append(or_(*(one.icontains(word, autoescape=True) for one in columns)))
    return and_(*wanted)


def _came_to(outcome: str) -> ColumnElement[bool]:
    """Condition that a capture came to an outcome, as coverage counts them."""
    heard = reading.c.outcome.in_([one.value for one in HEARD])
    elsewhere = and_(
        heard,
        capture.c.locale_state.is_not_distinct_from(LocaleState.CONTRADICTED.value),
    )
    if outcome == ELSEWHERE:
        return elsewhere
    if outcome == ANY_HEARD:
        return and_(heard, ~elsewhere)
    if outcome in _OPEN:
        return and_(capture.c.state == outcome, reading.c.outcome.is_(None))
    word, _, reason = outcome.partition("/")
    of_reason = (
        reading.c.reason == reason
        if reason
        else or_(reading.c.reason.is_(None), reading.c.reason == "")
    )
    return and_(reading.c.outcome == word, of_reason, ~elsewhere)


def _line_of(row: Row[Any]) -> CaptureLine:
    return CaptureLine(
        id=row.id,
        engine=row.engine,
        prompt_id=row.prompt_id,
        prompt_text=row.text,
        locale=row.locale,
        repeat=row.repeat,
        outcome=_outcome(row),
        asked_at=row.asked_at,
        served_model=row.served_model or None,
        cost_micros=None if row.paid_micros is None else int(row.paid_micros),
        locale_state=row.locale_state,
    )


def _outcome(row: Row[Any]) -> str:
    if row.outcome is None:
        return str(row.state)
    heard = {one.value for one in HEARD}
    if row.outcome in heard and row.locale_state == LocaleState.CONTRADICTED.value:
        return ELSEWHERE
    return f"{row.outcome}/{row.reason}" if row.reason else str(row.outcome)
